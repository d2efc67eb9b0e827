/// @file  Ports of InfiniBand and RoCE adapters as `ibstat`, `ibstatus` and `ibv_devinfo` list them.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

#include "topology/pasted.hpp"
#include "topology/reader.hpp"
#include "topology/smi.hpp"
#include "topology/text.hpp"

namespace tutti {

namespace {

constexpr std::size_t max_ports = 1024;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// What follows a start up to its closing quote: "CA 'mlx5_0'".
std::string_view quoted_after(std::string_view line, std::string_view start) {
  if (!take(line, start)) return {};
  return line.substr(0, line.find('\''));
}

class PortReading {
 public:
  PortReading(std::string_view text, const std::string& name) : lines_(smi::lines_of(text, name)), name_(name) {
    parts_.name = name;
    parts_.source = ibstat_reader.kind;
    parts_.hosts.emplace_back();
  }

  Topology read() {
    for (const PastedLine& line : lines_) {
      const auto text = trim(line.text);
      if (const auto ca = quoted_after(text, "CA '"); !ca.empty()) {
        begin(ca, line.number);
      } else if (const auto device = quoted_after(text, "Infiniband device '"); !device.empty()) {
        begin(device, line.number);
        if (const auto at = text.find(" port "); at != std::string_view::npos) port(text.substr(at + 6));
      } else if (const auto colon = text.find(':'); colon != std::string_view::npos) {
        field(lower(trim(text.substr(0, colon))), trim(text.substr(colon + 1)), line.number);
      }
    }
    if (parts_.devices.empty())
      smi::refuse(name_, 1, "expected CA 'mlx5_0', Infiniband device 'mlx5_0' or hca_id: mlx5_0, found none");
    return Topology(std::move(parts_));
  }

 private:
  void begin(std::string_view adapter, std::size_t line) {
    if (parts_.devices.size() >= max_ports) smi::refuse(name_, line, fmt::format("more than {} ports", max_ports));
    parts_.add(Device{.kind = DeviceKind::nic, .name = std::string(adapter)});
  }

  void port(std::string_view text) {
    const int number = take_number(text);
    if (number < 0) return;
    Device& last = parts_.devices.back();
    if (last.attributes.contains("port")) {  // one more of the same adapter
      Device more{.kind = DeviceKind::nic, .name = last.name, .model = last.model};
      if (parts_.devices.size() < max_ports) parts_.add(std::move(more));
    }
    parts_.devices.back().attributes["port"] = fmt::format("{}", number);
  }

  void field(const std::string& key, std::string_view value, std::size_t line) {
    if (key == "hca_id") return begin(value, line);
    if (parts_.devices.empty()) return;
    if (key == "port") return port(value);
    if (key.starts_with("port ")) return port(std::string_view(key).substr(5));
    Device& nic = parts_.devices.back();
    if (key == "rate") return rate(nic, value, line);
    if (key == "state") {
      nic.attributes["state"] = lower(value);
      if (lower(value).find("active") == std::string::npos) {
        parts_.notes.push_back(fmt::format("line {}: {} is not active: {}", line, nic.name, shown(value, 40)));
      }
    } else if (key == "ca type") {
      nic.model = value;
    } else if (key == "link layer" || key == "link_layer") {
      nic.attributes["link_layer"] = value;
    } else if (key == "port guid" || key == "node guid" || key == "node_guid") {
      nic.attributes["guid"] = value;
    } else if (key == "physical state" || key == "phys state") {
      nic.attributes["physical_state"] = value;
    }
  }

  /// Gbit/s: "400", "200 Gb/sec (4X HDR)"
  void rate(Device& nic, std::string_view value, std::size_t line) {
    auto digits = value;
    const int gigabits = take_number(digits);
    if (gigabits < 0 || gigabits > 3200) {
      smi::refuse(name_, line, fmt::format("expected a rate in Gbit/s, found \"{}\"", shown(value, 40)));
    }
    nic.attributes["speed"] = fmt::format("{}", gigabits * 1000);
  }

  const std::vector<PastedLine> lines_;
  const std::string& name_;
  TopologyParts parts_;
};

bool is_ibstat(std::string_view text) {
  text = text.substr(0, smi::max_bytes);
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size());
    const auto line = trim(text.substr(begin, end - begin));
    begin = end + 1;
    if (line.starts_with("CA '") || line.starts_with("Infiniband device '") || line.starts_with("hca_id:")) return true;
  }
  return false;
}

}  // namespace

const Reader ibstat_reader{
    .kind = "ibstat",
    .what = "ibstat, ibstatus or ibv_devinfo",
    .recognises = is_ibstat,
    .read = [](std::string_view text, const std::string& name) { return PortReading(text, name).read(); }};

}  // namespace tutti
