#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <set>
#include <system_error>

#include "doctor/pci_config.hpp"
#include "doctor/snapshot.hpp"
#include "settings/database.hpp"
#include "topology/sysfs.hpp"

namespace tutti::doctor {

namespace {

/// Files that are taken as they are; a `*` stands for any one name.
constexpr std::array patterns = {
    "proc/cmdline",
    "proc/meminfo",
    "proc/modules",
    "proc/self/limits",
    "proc/self/status",
    "proc/self/cgroup",
    "proc/self/mounts",
    "proc/driver/nvidia/version",
    "proc/sys/kernel/hostname",
    "proc/sys/kernel/numa_balancing",
    "proc/sys/kernel/osrelease",
    "proc/sys/kernel/yama/ptrace_scope",
    "sys/devices/system/cpu/online",
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
    "sys/devices/system/cpu/smt/active",
    "sys/devices/system/node/*/cpulist",
    "sys/kernel/mm/transparent_hugepage/enabled",
    "sys/kernel/iommu_groups/*/type",
    "sys/bus/pci/devices/*/class",
    "sys/bus/pci/devices/*/vendor",
    "sys/bus/pci/devices/*/device",
    "sys/bus/pci/devices/*/numa_node",
    "sys/bus/pci/devices/*/local_cpulist",
    "sys/bus/pci/devices/*/current_link_speed",
    "sys/bus/pci/devices/*/current_link_width",
    "sys/bus/pci/devices/*/max_link_speed",
    "sys/bus/pci/devices/*/max_link_width",
    "sys/bus/pci/devices/*/aer_dev_fatal",
    "sys/bus/pci/devices/*/aer_dev_nonfatal",
    "sys/class/infiniband/*/fw_ver",
    "sys/class/infiniband/*/board_id",
    "sys/class/infiniband/*/device/numa_node",
    "sys/class/infiniband/*/tc/*/traffic_class",
    "sys/class/infiniband/*/ports/*/state",
    "sys/class/infiniband/*/ports/*/phys_state",
    "sys/class/infiniband/*/ports/*/rate",
    "sys/class/infiniband/*/ports/*/link_layer",
    "sys/class/infiniband/*/ports/*/counters/symbol_error",
    "sys/class/infiniband/*/ports/*/counters/link_downed",
    "sys/class/infiniband/*/ports/*/counters/link_error_recovery",
    "sys/class/infiniband/*/ports/*/counters/port_rcv_errors",
    "sys/class/infiniband/*/ports/*/counters/local_link_integrity_errors",
    "sys/class/infiniband/*/ports/*/gids/*",
    "sys/class/infiniband/*/ports/*/gid_attrs/types/*",
    "sys/class/infiniband/*/ports/*/gid_attrs/ndevs/*",
    "sys/class/net/*/mtu",
    "sys/class/net/*/operstate",
    "sys/class/net/*/speed",
    "etc/hosts",
    "etc/nccl.conf",
    "etc/systemd/logind.conf",
    "usr/local/cuda/version.json",
};

constexpr std::array cgroup_files = {"memory.max", "cpu.max", "pids.max", "cpuset.cpus.effective"};
constexpr std::array cgroup_1_files = {"memory/memory.limit_in_bytes", "cpu/cpu.cfs_quota_us", "cpu/cpu.cfs_period_us",
                                       "pids/pids.max"};

constexpr std::array library_folders = {
    "usr/lib/x86_64-linux-gnu", "usr/lib/aarch64-linux-gnu", "usr/lib64", "usr/local/lib",
    "usr/local/cuda/lib64",     "usr/local/nccl/lib"};

constexpr std::array commands = {"nvidia-smi -q -x", "nvidia-smi nvlink -s", "nvidia-smi topo -p2p r"};

class Collector {
 public:
  explicit Collector(const Source& source) : source_(source), root_(source.root) {}

  Snapshot collect() {
    for (const char* pattern : patterns) take(pattern, {});
    snapshot_.host = std::string(snapshot_.text("proc/sys/kernel/hostname").value_or(""));
    for (const char* folder : {"sys/class/infiniband", "sys/class/net", "sys/bus/pci/devices", "dev/infiniband",
                               "sys/devices/system/node", "sys/kernel/iommu_groups"}) {
      list(folder);
    }
    collect_cgroups();
    collect_libraries();
    collect_pci();
    collect_processes();
    if (source_.run) {
      for (const char* command : commands) {
        if (auto output = source_.run(command)) snapshot_.outputs[command] = *std::move(output);
      }
    }
    collect_environment();
    return std::move(snapshot_);
  }

 private:
  /// Reads all files that a pattern fits.
  void take(std::string_view pattern, const std::string& before) {
    const auto star = pattern.find('*');
    if (star == std::string_view::npos) {
      const std::string path = before + std::string(pattern);
      if (auto text = read_small_file(root_ / path)) snapshot_.files[path] = *std::move(text);
      return;
    }
    const std::string folder = before + std::string(pattern.substr(0, star));
    for (const std::string& name : names_in(root_ / folder)) take(pattern.substr(star + 1), folder + name);
  }

  void list(const std::string& folder) {
    std::error_code ignored;
    if (std::filesystem::is_directory(root_ / folder, ignored)) snapshot_.folders[folder] = names_in(root_ / folder);
  }

  /// The limits of this process's group and of those around it: the least counts.
  void collect_cgroups() {
    for (const char* name : cgroup_1_files) take(std::string("sys/fs/cgroup/") + name, {});
    std::string path;
    const std::string groups(snapshot_.text("proc/self/cgroup").value_or(""));
    if (const auto at = groups.find("0::/"); at != std::string::npos) {
      path = groups.substr(at + 4, groups.find('\n', at) - at - 4);
    }
    for (int depth = 0; depth < 32; ++depth) {
      for (const char* name : cgroup_files)
        take(fmt::format("sys/fs/cgroup/{}{}{}", path, path.empty() ? "" : "/", name), {});
      if (path.empty()) break;
      const auto slash = path.rfind('/');
      path.erase(slash == std::string::npos ? 0 : slash);
    }
  }

  /// Only what matters: which NCCL, which driver libraries.
  void collect_libraries() {
    for (const char* folder : library_folders) {
      std::vector<std::string> kept;
      for (const std::string& name : names_in(root_ / folder)) {
        if (name.starts_with("libnccl") || name.starts_with("libcuda.so") || name.starts_with("libnvidia-ml.so") ||
            name.starts_with("libibverbs.so")) {
          kept.push_back(name);
        }
      }
      if (!kept.empty()) snapshot_.folders[folder] = kept;
    }
  }

  void collect_pci() {
    for (const std::string& id : snapshot_.names("sys/bus/pci/devices")) {
      std::error_code error;
      const auto real = std::filesystem::canonical(root_ / "sys/bus/pci/devices" / id, error);
      const std::string parent = error ? std::string{} : real.parent_path().filename().string();
      if (std::find(parent.begin(), parent.end(), '.') != parent.end()) snapshot_.facts["parent/" + id] = parent;
      const auto kind = snapshot_.text("sys/bus/pci/devices/" + id + "/class").value_or("");
      if (!kind.starts_with("0x0604")) continue;
      const auto config = read_config(id);
      if (config.size() <= 256) {
        // Without privileges the kernel gives 64 bytes.
        if (config.size() <= 64) snapshot_.facts["acs/" + id] = "unreadable";
      } else if (const auto control = acs_control(config)) {
        snapshot_.facts["acs/" + id] = fmt::format("0x{:04x}", *control);
      }
    }
  }

  std::string read_config(const std::string& id) const {
    std::ifstream stream(root_ / "sys/bus/pci/devices" / id / "config", std::ios::binary);
    std::string bytes(4096, '\0');
    stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(stream.gcount(), 0)));
    return bytes;
  }

  /// Processes that have NCCL, CUDA or MPI in them: with which libraries, and where they may run.
  void collect_processes() {
    for (const std::string& pid : names_in(root_ / "proc")) {
      if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
      std::ifstream maps(root_ / "proc" / pid / "maps");
      std::set<std::string> libraries;
      for (std::string line; std::getline(maps, line);) {
        const auto slash = line.find('/');
        if (slash == std::string::npos) continue;
        const std::string path = line.substr(slash);
        for (const char* name : {"/libnccl.so", "/libnccl-net", "/libcuda.so", "/libmpi.so"}) {
          if (path.find(name) != std::string::npos) libraries.insert(path);
        }
      }
      if (libraries.empty()) continue;
      std::string text;
      for (const std::string& library : libraries) text += library + '\n';
      snapshot_.facts["libraries/" + pid] = text;
      for (const char* name : {"status", "limits"}) {
        const std::string path = fmt::format("proc/{}/{}", pid, name);
        if (auto content = read_small_file(root_ / path)) snapshot_.files[path] = *std::move(content);
      }
    }
  }

  void collect_environment() {
    if (!source_.environment) return;
    for (const std::string& name : source_.variable_names) {
      const bool wanted = settings::is_ours(name) || name.starts_with("SLURM_") || name.starts_with("OMP_NUM") ||
                          name == "CUDA_VISIBLE_DEVICES" || name.starts_with("OMPI_COMM_WORLD_") ||
                          name == "LD_LIBRARY_PATH";
      // Secrets stay where they are.
      if (!wanted || name.find("SECRET") != std::string::npos || name.find("TOKEN") != std::string::npos) continue;
      if (auto value = source_.environment(name)) snapshot_.environment[name] = *std::move(value);
    }
  }

  const Source& source_;
  std::filesystem::path root_;
  Snapshot snapshot_{};
};

std::optional<std::string> output_of(const std::string& command) {
  const std::string whole = "timeout 20 " + command + " 2>/dev/null";
  std::FILE* pipe = ::popen(whole.c_str(), "re");
  if (pipe == nullptr) return {};
  std::string output;
  std::array<char, 4096> part{};
  for (std::size_t got = 0; (got = std::fread(part.data(), 1, part.size(), pipe)) > 0;) output.append(part.data(), got);
  if (::pclose(pipe) != 0) return {};
  return output;
}

}  // namespace

Snapshot collect(const Source& source) { return Collector(source).collect(); }

Source this_machine_source() {
  return {.run = output_of, .environment = process_environment(), .variable_names = process_variable_names()};
}

}  // namespace tutti::doctor
