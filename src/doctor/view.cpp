#include "doctor/view.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <utility>

#include "topology/cpu_list.hpp"
#include "topology/text.hpp"

namespace tutti::doctor {

std::vector<std::string> gpu_ids(const Snapshot& snapshot) {
  std::vector<std::string> ids;
  for (const std::string& id : snapshot.names("sys/bus/pci/devices")) {
    const std::string kind = pci(snapshot, id, "class");
    if (pci(snapshot, id, "vendor") == "0x10de" && (kind.starts_with("0x0300") || kind.starts_with("0x0302"))) {
      ids.push_back(id);
    }
  }
  return ids;
}

std::string pci(const Snapshot& snapshot, const std::string& id, std::string_view file) {
  return std::string(snapshot.text("sys/bus/pci/devices/" + id + "/" + std::string(file)).value_or(""));
}

std::size_t usable_cpus(const Snapshot& snapshot) {
  const auto status = snapshot.text("proc/self/status").value_or("");
  const auto allowed = parse_cpu_list(field(status, "Cpus_allowed_list"));
  if (allowed && !allowed->empty()) return allowed->size();
  const auto online = parse_cpu_list(snapshot.text("sys/devices/system/cpu/online").value_or(""));
  return online ? online->size() : 0;
}

std::string_view field(std::string_view text, std::string_view name) {
  for (const std::string_view line : lines_of(text)) {
    if (line.size() > name.size() && line.starts_with(name) && line[name.size()] == ':') {
      return trim(line.substr(name.size() + 1));
    }
  }
  return {};
}

std::optional<long> soft_limit(std::string_view limits, std::string_view name) {
  for (std::string_view line : lines_of(limits)) {
    if (!line.starts_with(name)) continue;
    line = trim(line.substr(name.size()));
    if (line.starts_with("unlimited")) return -1;
    long value = 0;
    const auto [end, fault] = std::from_chars(line.data(), line.data() + line.size(), value);
    if (fault == std::errc{}) return value;
  }
  return {};
}

std::vector<std::string> children(const Snapshot& snapshot, const std::string& folder) {
  std::vector<std::string> names;
  const std::string start = folder + "/";
  for (auto file = snapshot.files.lower_bound(start); file != snapshot.files.end() && file->first.starts_with(start);
       ++file) {
    const auto end = file->first.find('/', start.size());
    std::string name = file->first.substr(start.size(), end == std::string::npos ? end : end - start.size());
    if (names.empty() || names.back() != name) names.push_back(std::move(name));
  }
  return names;
}

std::vector<Port> ports(const Snapshot& snapshot) {
  std::vector<Port> all;
  for (const std::string& adapter : children(snapshot, "sys/class/infiniband")) {
    const std::string folder = "sys/class/infiniband/" + adapter + "/ports";
    for (const std::string& number : children(snapshot, folder)) {
      std::string its_folder = folder;
      its_folder.append("/").append(number);
      all.push_back({adapter, number, std::move(its_folder)});
    }
  }
  return all;
}

std::string state_of(const Snapshot& snapshot, const Port& port) {
  const auto state = snapshot.text(port.folder + "/state").value_or("");
  return std::string(state.substr(state.find_last_of(' ') + 1));
}

bool is_roce(const Snapshot& snapshot, const Port& port) {
  return snapshot.text(port.folder + "/link_layer") == "Ethernet";
}

double rate_of(const Snapshot& snapshot, const Port& port) {
  return std::atof(std::string(snapshot.text(port.folder + "/rate").value_or("")).c_str());
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace tutti::doctor
