/// @file  Several hosts: what is not the same on all of them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>

#include "doctor/rule.hpp"
#include "doctor/smi.hpp"
#include "doctor/view.hpp"
#include "settings/ranks.hpp"

namespace tutti::doctor {

namespace {

/// Groups hosts by what a question answers; a finding when there is more than one group. Hosts without an answer are
/// left out.
void compare(std::span<const Snapshot> hosts, Report& report, std::string_view id, const std::string& subject,
             const std::function<std::string(const Snapshot&)>& question) {
  std::map<std::string, std::vector<std::string>> groups;
  for (const Snapshot& host : hosts) {
    if (auto answer = question(host); !answer.empty()) groups[std::move(answer)].push_back(host.host);
  }
  if (groups.size() < 2) return;
  std::vector<std::string> parts;
  for (auto& [answer, names] : groups) {
    const std::size_t more = names.size() > 4 ? names.size() - 4 : 0;
    names.resize(names.size() - more);
    parts.push_back(
        fmt::format("{} on {}{}", answer, fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : ""));
  }
  report.found(id, subject, fmt::format("{}", fmt::join(parts, "; ")));
}

std::string first_line(std::optional<std::string_view> text) {
  return std::string(text.value_or("").substr(0, text.value_or("").find('\n')));
}

std::string nccl(const Snapshot& host) {
  std::vector<std::string> names;
  for (const auto& [folder, libraries] : host.folders) {
    for (const std::string& name : libraries) {
      if (name.starts_with("libnccl.so.") && std::count(name.begin(), name.end(), '.') == 4)
        names.push_back(name.substr(11));
    }
  }
  std::sort(names.begin(), names.end());
  return fmt::format("{}", fmt::join(names, "+"));
}

std::string gpus(const Snapshot& host) {
  std::map<std::string, int> models;
  for (const SmiGpu& gpu : smi_gpus(host)) ++models[gpu.name];
  if (models.empty()) {
    for (const std::string& id : gpu_ids(host)) ++models["PCI device " + pci(host, id, "device")];
  }
  std::vector<std::string> parts;
  for (const auto& [name, count] : models) parts.push_back(fmt::format("{} x {}", count, name));
  return parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string links(const Snapshot& host) {
  std::map<std::string, int> widths;
  for (const std::string& id : gpu_ids(host)) ++widths["x" + pci(host, id, "current_link_width")];
  std::vector<std::string> parts;
  for (const auto& [width, count] : widths) parts.push_back(fmt::format("{} at {}", count, width));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string adapters(const Snapshot& host) {
  std::vector<std::string> parts;
  for (const Port& port : ports(host)) {
    if (state_of(host, port) == "ACTIVE")
      parts.push_back(fmt::format("{} {:g} Gb/s", port.name(), rate_of(host, port)));
  }
  return parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, ", "));
}

/// Board and firmware of all adapters.
std::string firmware(const Snapshot& host) {
  std::map<std::string, int> versions;
  for (const std::string& name : host.names("sys/class/infiniband")) {
    const auto folder = "sys/class/infiniband/" + name;
    ++versions[fmt::format("{} {}", host.text(folder + "/board_id").value_or("?"),
                           host.text(folder + "/fw_ver").value_or("?"))];
  }
  std::vector<std::string> parts;
  for (const auto& [version, count] : versions) parts.push_back(version);
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

void compare_hosts(std::span<const Snapshot> hosts, Report& report) {
  compare(hosts, report, "hosts-driver", "driver",
          [](const Snapshot& host) { return first_line(host.text("proc/driver/nvidia/version")); });
  compare(hosts, report, "hosts-nccl", "NCCL", nccl);
  compare(hosts, report, "hosts-gpus", "GPUs", gpus);
  compare(hosts, report, "hosts-pci", "PCIe links of GPUs", links);
  compare(hosts, report, "hosts-adapters", "adapters", adapters);
  compare(hosts, report, "ib-firmware-differs", "adapters", firmware);
  compare(hosts, report, "hosts-kernel", "kernel",
          [](const Snapshot& host) { return std::string(host.text("proc/sys/kernel/osrelease").value_or("")); });
  for (const char* limit : {"Max locked memory", "Max open files"}) {
    compare(hosts, report, "hosts-limits", limit, [limit](const Snapshot& host) {
      const auto value = soft_limit(host.text("proc/self/limits").value_or(""), limit);
      return value ? *value < 0 ? std::string("unlimited") : std::to_string(*value) : std::string();
    });
  }
  std::map<std::string, int> interfaces;
  for (const Snapshot& host : hosts) {
    for (const std::string& name : host.names("sys/class/net")) ++interfaces[name];
  }
  for (const auto& [name, count] : interfaces) {
    if (name == "lo" || count < 2) continue;
    compare(hosts, report, "hosts-mtu", name, [&name = name](const Snapshot& host) {
      return std::string(host.text("sys/class/net/" + name + "/mtu").value_or(""));
    });
  }
  std::vector<settings::Settings> ranks;
  for (const Snapshot& host : hosts) {
    settings::Settings each{.who = host.host};
    for (const auto& [name, value] : host.environment) {
      if (name.starts_with("NCCL_") || name.starts_with("UCX_")) each.all.push_back({.name = name, .value = value});
    }
    ranks.push_back(std::move(each));
  }
  for (Finding& finding : settings::find_differences(ranks)) {
    finding.place = "all hosts";
    report.findings.push_back(std::move(finding));
  }
}

}  // namespace tutti::doctor
