/// @file  What processes may use: locked memory, files, threads, shared memory, and the limits of containers.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "doctor/rule.hpp"
#include "doctor/view.hpp"
#include "settings/value.hpp"
#include "topology/sysfs.hpp"
#include "tutti/base/units.hpp"

namespace tutti::doctor {

namespace {

using namespace literals;

/// The least of a limit over this process's group and those around it, cgroup version 2; nothing: no limit.
std::optional<long> group_limit(const Snapshot& snapshot, std::string_view file) {
  std::optional<long> least;
  for (const auto& [path, text] : snapshot.files) {
    if (!path.starts_with("sys/fs/cgroup/") || !path.ends_with(file)) continue;
    const auto value = settings::whole_number(text.substr(0, text.find(' ')));
    if (value && (!least || *value < *least)) least = value;
  }
  return least;
}

std::size_t memory_of_machine(const Snapshot& snapshot) {
  const auto text = field(snapshot.text("proc/meminfo").value_or(""), "MemTotal");
  return static_cast<std::size_t>(settings::whole_number(text.substr(0, text.find(' '))).value_or(0)) << 10;
}

/// The size of /dev/shm as it was mounted last; nothing: not a file system of its own, or without a limit of its own.
std::optional<std::size_t> shared_memory(const Snapshot& snapshot) {
  std::optional<std::size_t> size;
  for (const auto line : lines_of(snapshot.text("proc/self/mounts").value_or(""))) {
    if (line.find(" /dev/shm ") == std::string_view::npos) continue;
    const auto at = line.find("size=");
    if (at == std::string_view::npos) {
      size.reset();
      continue;
    }
    std::string text(line.substr(at + 5, line.find_first_of(", ", at) - at - 5));
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    size = parse_kernel_size(text);
  }
  return size;
}

void look_at_process_limits(const Snapshot& snapshot, Report& report) {
  const auto limits = snapshot.text("proc/self/limits").value_or("");
  const bool adapters = !snapshot.names("sys/class/infiniband").empty();
  const auto locked = soft_limit(limits, "Max locked memory");
  if (locked && *locked >= 0 && static_cast<std::size_t>(*locked) < 64_GiB) {
    Finding& finding = report.found("memlock", "ulimit -l",
                                    fmt::format("{} may be locked", format_bytes(static_cast<std::size_t>(*locked))));
    if (adapters) finding.severity = static_cast<std::size_t>(*locked) < 1_GiB ? Severity::error : Severity::warning;
  }
  const auto files = soft_limit(limits, "Max open files");
  if (files && *files >= 0 && *files < 65'536) {
    Finding& finding = report.found("nofile", "ulimit -n", fmt::format("{} files", *files));
    if (*files < 4'096) finding.severity = Severity::warning;
  }
  if (soft_limit(limits, "Max stack size") == -1) report.found("stack-unlimited", "ulimit -s", "unlimited");
  const auto processes = soft_limit(limits, "Max processes");
  if (processes && *processes >= 0 && *processes < 4'096)
    report.found("processes-limit", "ulimit -u", fmt::format("{}", *processes));
}

void look_at_group_limits(const Snapshot& snapshot, Report& report) {
  auto processes = group_limit(snapshot, "/pids.max");
  if (processes && *processes < 4'096)
    report.found("processes-limit", "cgroup", fmt::format("pids.max: {}", *processes));
  const std::size_t cpus = usable_cpus(snapshot);
  double share = 0;
  for (const auto& [path, text] : snapshot.files) {
    if (!path.starts_with("sys/fs/cgroup/") || !path.ends_with("/cpu.max")) continue;
    const auto blank = text.find(' ');
    const auto quota = settings::whole_number(text.substr(0, blank));
    const long period = blank == std::string::npos ? 0 : settings::whole_number(text.substr(blank + 1)).value_or(0);
    if (!quota || period <= 0) continue;
    const double each = static_cast<double>(*quota) / static_cast<double>(period);
    if (share == 0 || each < share) share = each;
  }
  const long quota = snapshot.number("sys/fs/cgroup/cpu/cpu.cfs_quota_us").value_or(-1);
  const long period = snapshot.number("sys/fs/cgroup/cpu/cpu.cfs_period_us").value_or(0);
  if (share == 0 && quota > 0 && period > 0) share = static_cast<double>(quota) / static_cast<double>(period);
  if (share > 0 && cpus > 0 && share < static_cast<double>(cpus) - 0.01) {
    report.found("cpu-quota", "cgroup", fmt::format("time of {:.3g} CPUs, and {} to run on", share, cpus));
  }
  auto memory = group_limit(snapshot, "/memory.max");
  if (!memory) memory = snapshot.number("sys/fs/cgroup/memory/memory.limit_in_bytes");
  const std::size_t all = memory_of_machine(snapshot);
  // Version 1 says "no limit" by a number that no machine has.
  if (memory && *memory > 0 && all > 0 && static_cast<std::size_t>(*memory) < all) {
    Finding& finding =
        report.found("memory-limit", "cgroup",
                     fmt::format("{} of {}", format_bytes(static_cast<std::size_t>(*memory)), format_bytes(all)));
    if (static_cast<std::size_t>(*memory) < 2_GiB) finding.severity = Severity::warning;
  }
}

}  // namespace

void look_at_limits(const Snapshot& snapshot, Report& report) {
  look_at_process_limits(snapshot, report);
  look_at_group_limits(snapshot, report);
  const auto size = shared_memory(snapshot);
  if (size && *size < 1_GiB) {
    Finding& finding = report.found("shm-small", "/dev/shm", format_bytes(*size));
    if (*size <= 64_MiB && gpu_ids(snapshot).size() > 1) finding.severity = Severity::error;
  }
}

}  // namespace tutti::doctor
