/// @file  The machine around the GPUs: CPUs, memory, interfaces, names, kernel settings.
#include <fmt/format.h>

#include <algorithm>

#include "doctor/rule.hpp"
#include "doctor/view.hpp"
#include "settings/value.hpp"
#include "tutti/base/units.hpp"

namespace tutti::doctor {

namespace {

using namespace literals;

std::string_view text_of(const Snapshot& snapshot, const std::string& path) { return snapshot.text(path).value_or(""); }

std::size_t numa_nodes(const Snapshot& snapshot) {
  const auto& names = snapshot.names("sys/devices/system/node");
  return static_cast<std::size_t>(std::count_if(names.begin(), names.end(), [](const std::string& name) {
    return name.starts_with("node") && name.size() > 4 && name.find_first_not_of("0123456789", 4) == std::string::npos;
  }));
}

void look_at_cpus_and_memory(const Snapshot& snapshot, Report& report) {
  const std::size_t cpus = usable_cpus(snapshot);
  const std::size_t gpus = gpu_ids(snapshot).size();
  if (cpus > 0 && cpus < std::max<std::size_t>(4, 3 * gpus)) {
    report.found("cpus-few", "CPUs",
                 gpus > 0 ? fmt::format("{} CPUs for {} GPUs", cpus, gpus)
                          : fmt::format("{} CPU{}", cpus, cpus == 1 ? "" : "s"));
  }
  const auto available = field(text_of(snapshot, "proc/meminfo"), "MemAvailable");
  const auto kib = settings::whole_number(available.substr(0, available.find(' ')));
  if (kib && *kib >= 0 && (static_cast<std::size_t>(*kib) << 10) < 2_GiB) {
    report.found("memory-small", "memory",
                 fmt::format("{} available", format_bytes(static_cast<std::size_t>(*kib) << 10)));
  }
}

void look_at_names(const Snapshot& snapshot, Report& report) {
  bool up = false;
  for (const std::string& name : snapshot.names("sys/class/net")) {
    const auto state = text_of(snapshot, "sys/class/net/" + name + "/operstate");
    // Some drivers, and interfaces inside containers, say "unknown" and work.
    up = up || (name != "lo" && (state == "up" || state == "unknown"));
  }
  if (!snapshot.names("sys/class/net").empty() && !up)
    report.found("no-interface", "network", "no interface but lo is up");
  for (const auto line : lines_of(text_of(snapshot, "etc/hosts"))) {
    if (!line.starts_with("127.")) continue;
    const auto comment = line.substr(0, line.find('#'));
    std::string words(comment);
    std::replace(words.begin(), words.end(), '\t', ' ');
    words += ' ';
    if (!snapshot.host.empty() && snapshot.host != "localhost" &&
        words.find(" " + snapshot.host + " ") != std::string::npos) {
      report.found("host-name-loopback", snapshot.host, std::string(comment));
    }
  }
}

void look_at_kernel(const Snapshot& snapshot, Report& report) {
  if (snapshot.number("proc/sys/kernel/numa_balancing").value_or(0) > 0 && numa_nodes(snapshot) > 1) {
    report.found("numa-balancing", "kernel.numa_balancing", fmt::format("1, with {} NUMA nodes", numa_nodes(snapshot)));
  }
  if (text_of(snapshot, "sys/kernel/mm/transparent_hugepage/enabled").find("[never]") != std::string_view::npos) {
    report.found("huge-pages-never", "transparent huge pages", "never");
  }
  const auto governor = text_of(snapshot, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  if (governor == "powersave" || governor == "ondemand" || governor == "conservative") {
    report.found("governor", "CPU clock", fmt::format("governor {}", governor));
  }
  const long scope = snapshot.number("proc/sys/kernel/yama/ptrace_scope").value_or(0);
  // CAP_SYS_PTRACE is bit 19.
  const auto capabilities =
      settings::whole_number("0x" + std::string(field(text_of(snapshot, "proc/self/status"), "CapEff")));
  const bool may = capabilities && (*capabilities >> 19 & 1) != 0;
  if (scope > 0 && !may) report.found("ptrace-scope", "kernel.yama.ptrace_scope", fmt::format("{}", scope));
  const auto namespaces = field(text_of(snapshot, "proc/self/status"), "NSpid");
  if (namespaces.find_first_of(" \t") != std::string_view::npos) {
    report.found("pid-namespace", "process namespace", fmt::format("NSpid: {}", namespaces));
  }
  for (const auto line : lines_of(text_of(snapshot, "etc/systemd/logind.conf"))) {
    if (line.starts_with("RemoveIPC=yes")) report.found("remove-ipc", "systemd-logind", std::string(line));
  }
}

}  // namespace

void look_at_host(const Snapshot& snapshot, Report& report) {
  look_at_cpus_and_memory(snapshot, report);
  look_at_names(snapshot, report);
  look_at_kernel(snapshot, report);
}

}  // namespace tutti::doctor
