#include "topology/host_facts.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "topology/cpu_list.hpp"
#include "topology/sysfs.hpp"

namespace tutti {

namespace {

namespace fs = std::filesystem;

std::vector<int> cpu_list_at(const fs::path& path) {
  const auto text = read_small_file(path);
  return text ? parse_cpu_list(*text).value_or(std::vector<int>{}) : std::vector<int>{};
}

/// The value after "key : " in lines of "key : value"; empty when there is none.
std::string_view value_of(std::string_view text, std::string_view key) {
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    const auto line = text.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with(key)) continue;
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    if (line.substr(key.size(), colon - key.size()).find_first_not_of(" \t") != std::string_view::npos) continue;
    const auto value = line.find_first_not_of(" \t", colon + 1);
    return value == std::string_view::npos ? std::string_view{} : line.substr(value);
  }
  return {};
}

int number_of(std::string_view text, int fallback) {
  int value = fallback;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// A quantity in kB after a label, as in meminfo; 0 when it is not there.
std::size_t kilobytes_after(std::string_view text, std::string_view label) {
  const auto at = text.find(label);
  if (at == std::string_view::npos) return 0;
  const auto digits = text.find_first_of("0123456789", at + label.size());
  if (digits == std::string_view::npos) return 0;
  std::size_t value = 0;
  std::from_chars(text.data() + digits, text.data() + text.size(), value);
  return value <= (std::size_t{1} << 50) ? value << 10 : 0;
}

void read_processor(const fs::path& root, HostFacts& facts) {
  const auto info = read_small_file(root / "proc/cpuinfo", 8192).value_or("");
  facts.cpu_vendor = value_of(info, "vendor_id");
  facts.cpu_model = value_of(info, "model name");
  if (facts.cpu_model.empty()) facts.cpu_model = value_of(info, "cpu");  // POWER
  facts.cpu_family = number_of(value_of(info, "cpu family"), -1);
  facts.cpu_model_number = number_of(value_of(info, "model"), -1);
}

void read_caches(const fs::path& cpu, HostFacts& facts) {
  for (int index = 0; index < 8; ++index) {
    const auto cache = cpu / "cache" / fmt::format("index{}", index);
    const auto level = read_number(cache / "level");
    if (!level) break;
    if (read_small_file(cache / "type", 32).value_or("") == "Instruction") continue;
    const auto bytes = parse_kernel_size(read_small_file(cache / "size", 32).value_or("")).value_or(0);
    if (*level == 1) facts.l1_bytes = bytes;
    if (*level == 2) facts.l2_bytes = bytes;
    if (*level == 3) {
      facts.l3_bytes = bytes;
      facts.cpus_per_l3 = static_cast<int>(cpu_list_at(cache / "shared_cpu_list").size());
    }
  }
}

/// Package of every CPU. Each file read names all its siblings, so there are few reads even with many CPUs.
std::vector<int> read_cores(const fs::path& cpus_folder, const std::vector<int>& online, HostFacts& facts) {
  std::vector<int> package_of(static_cast<std::size_t>(online.empty() ? 0 : online.back() + 1), -1);
  std::vector<bool> counted(package_of.size());
  const auto within = [&](int cpu) { return static_cast<std::size_t>(cpu) < package_of.size(); };
  for (const int cpu : online) {
    const auto folder = cpus_folder / fmt::format("cpu{}", cpu) / "topology";
    if (package_of[static_cast<std::size_t>(cpu)] < 0) {
      const int package = static_cast<int>(read_number(folder / "physical_package_id").value_or(-1));
      auto siblings = cpu_list_at(folder / "package_cpus_list");
      if (siblings.empty()) siblings = cpu_list_at(folder / "core_siblings_list");  // before Linux 5.5
      siblings.push_back(cpu);
      ++facts.packages;
      for (const int sibling : siblings) {
        if (within(sibling)) package_of[static_cast<std::size_t>(sibling)] = std::max(package, 0);
      }
    }
    if (!counted[static_cast<std::size_t>(cpu)]) {
      auto siblings = cpu_list_at(folder / "core_cpus_list");
      if (siblings.empty()) siblings = cpu_list_at(folder / "thread_siblings_list");
      siblings.push_back(cpu);
      ++facts.cores;
      for (const int sibling : siblings) {
        if (within(sibling)) counted[static_cast<std::size_t>(sibling)] = true;
      }
    }
  }
  return package_of;
}

void read_nodes(const fs::path& nodes_folder, const std::vector<int>& package_of, HostFacts& facts) {
  for (const int index : cpu_list_at(nodes_folder / "online")) {
    const auto folder = nodes_folder / fmt::format("node{}", index);
    NumaNode node{.index = index};
    node.cpus = cpu_list_at(folder / "cpulist");
    node.memory_bytes = kilobytes_after(read_small_file(folder / "meminfo").value_or(""), "MemTotal:");
    if (!node.cpus.empty() && static_cast<std::size_t>(node.cpus.front()) < package_of.size()) {
      node.package = package_of[static_cast<std::size_t>(node.cpus.front())];
    }
    facts.numa_nodes.push_back(std::move(node));
  }
}

}  // namespace

HostFacts read_host_facts(const fs::path& root) {
  HostFacts facts;
  facts.host = read_small_file(root / "proc/sys/kernel/hostname", 256).value_or("");
  facts.id = read_small_file(root / "proc/sys/kernel/random/boot_id", 64).value_or("");
  facts.architecture = read_small_file(root / "proc/sys/kernel/arch", 64).value_or("");  // from Linux 6.1
  read_processor(root, facts);
  const auto cpus = root / "sys/devices/system/cpu";
  const auto online = cpu_list_at(cpus / "online");
  facts.cpus = static_cast<int>(online.size());
  const auto package_of = read_cores(cpus, online, facts);
  if (!online.empty()) read_caches(cpus / fmt::format("cpu{}", online.front()), facts);
  read_nodes(root / "sys/devices/system/node", package_of, facts);
  facts.memory_bytes = kilobytes_after(read_small_file(root / "proc/meminfo", 4096).value_or(""), "MemTotal:");
  const auto status = read_small_file(root / "proc/self/status").value_or("");
  facts.allowed_cpus = parse_cpu_list(value_of(status, "Cpus_allowed_list")).value_or(std::vector<int>{});
  if (facts.numa_nodes.empty() && !online.empty()) {  // a kernel without NUMA, or /sys not mounted
    facts.numa_nodes.push_back({.index = 0, .package = 0, .cpus = online, .memory_bytes = facts.memory_bytes});
  }
  return facts;
}

const HostFacts& this_host_facts() {
  static const HostFacts facts = [] {
    HostFacts read = read_host_facts("/");
    utsname system{};
    if (uname(&system) == 0) {
      if (read.host.empty()) read.host = system.nodename;
      if (read.architecture.empty()) read.architecture = system.machine;
    }
    if (read.architecture == "aarch64") read.architecture = "arm64";
    const auto online = std::max(1, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));
    std::vector<int> all;
    for (int cpu = 0; cpu < online; ++cpu) all.push_back(cpu);
    if (read.cpus == 0) read.cpus = online;
    if (read.cores == 0) read.cores = online;
    if (read.packages == 0) read.packages = 1;
    if (read.allowed_cpus.empty()) read.allowed_cpus = all;
    if (read.numa_nodes.empty()) read.numa_nodes.push_back({.index = 0, .package = 0, .cpus = all});
    return read;
  }();
  return facts;
}

}  // namespace tutti
