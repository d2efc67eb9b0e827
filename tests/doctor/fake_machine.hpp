/// @file  FakeMachine: a root folder with /sys and /proc of a healthy GPU host, in which a test breaks one thing.
#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "doctor/rule.hpp"
#include "doctor/snapshot.hpp"
#include "topology/fixtures.hpp"

namespace tutti::doctor {

class FakeMachine {
 public:
  /// Two GPUs with NVLink, two InfiniBand adapters, two NUMA nodes: nothing is wrong with it.
  FakeMachine() {
    file("proc/sys/kernel/hostname", "n1");
    file("proc/sys/kernel/osrelease", "5.15.0-91-generic");
    file("proc/sys/kernel/numa_balancing", "0");
    file("proc/self/limits",
         "Limit                     Soft Limit           Hard Limit           Units     \n"
         "Max stack size            8388608              unlimited            bytes     \n"
         "Max processes             1000000              1000000              processes \n"
         "Max open files            1048576              1048576              files     \n"
         "Max locked memory         unlimited            unlimited            bytes     \n");
    file("proc/self/status", "Name:\ttutti\nNSpid:\t42\nCapEff:\t0000000000000000\nCpus_allowed_list:\t0-63\n");
    file("proc/self/mounts", "tmpfs /dev/shm tmpfs rw,nosuid,nodev,size=263716892k 0 0\n");
    file("proc/self/cgroup", "0::/system.slice/job\n");
    file("proc/meminfo", "MemTotal:       527433784 kB\nMemAvailable:   500000000 kB\n");
    file("proc/modules", "nvidia_peermem 16384 0 - Live 0x0\nnvidia 56000000 8 - Live 0x0\n");
    file("proc/driver/nvidia/version",
         "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023\n");
    file("sys/devices/system/cpu/online", "0-63");
    file("sys/devices/system/node/node0/cpulist", "0-31");
    file("sys/devices/system/node/node1/cpulist", "32-63");
    file("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never");
    file("sys/kernel/iommu_groups/0/type", "identity");
    file("sys/class/net/lo/operstate", "unknown");
    file("sys/class/net/eth0/operstate", "up");
    file("sys/class/net/eth0/mtu", "1500");
    file("etc/hosts", "127.0.0.1 localhost\n10.0.0.1 n1\n");
    file("dev/infiniband/uverbs0", "");
    pci("0000:00:01.0", "0x060400", "0x8086", 0);
    bridge_control(0x0000);
    pci("0000:01:00.0", "0x030200", "0x10de", 0);
    pci("0000:02:00.0", "0x020700", "0x15b3", 0);
    pci("0000:41:00.0", "0x030200", "0x10de", 1);
    pci("0000:42:00.0", "0x020700", "0x15b3", 1);
    adapter("mlx5_0", 0);
    adapter("mlx5_1", 1);
    file("usr/local/cuda/version.json", R"({"cuda": {"name": "CUDA SDK", "version": "12.2.2"}})");
    file("usr/lib/x86_64-linux-gnu/libnccl.so.2.27.5", "");
    file("usr/lib/x86_64-linux-gnu/libnccl.so.2", "");
    file("usr/lib/x86_64-linux-gnu/libnvidia-ml.so.535.104.05", "");
    outputs["nvidia-smi -q -x"] = smi(gpu(0), gpu(1));
    outputs["nvidia-smi nvlink -s"] =
        "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-0)\n\t Link 0: 26.562 GB/s\n\t Link 1: 26.562 GB/s\n"
        "GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-1)\n\t Link 0: 26.562 GB/s\n\t Link 1: 26.562 GB/s\n";
    outputs["nvidia-smi topo -p2p r"] =
        " \tGPU0\tGPU1\t\n GPU0\tX\tOK\t\n GPU1\tOK\tX\t\n\nLegend:\n  NS = Not supported\n";
  }

  void file(const std::string& path, const std::string& text) { root_.write(path, text); }
  void remove(const std::string& path) { std::filesystem::remove_all(root_.path() / path); }

  void pci(const std::string& id, const std::string& kind, const std::string& vendor, int node) {
    const std::string folder = "sys/bus/pci/devices/" + id + "/";
    file(folder + "class", kind);
    file(folder + "vendor", vendor);
    file(folder + "device", "0x2330");
    file(folder + "numa_node", std::to_string(node));
    file(folder + "local_cpulist", node == 0 ? "0-31" : "32-63");
    for (const char* which : {"current", "max"}) {
      file(folder + which + "_link_speed", "32.0 GT/s PCIe");
      file(folder + which + "_link_width", "16");
    }
  }

  /// The ACS control register of the only bridge: a capability of another kind stands before it.
  void bridge_control(int control) {
    std::string config(4096, '\0');
    const auto put = [&](std::size_t at, unsigned value, int count) {
      for (int i = 0; i < count; ++i)
        config[at + static_cast<std::size_t>(i)] = static_cast<char>(value >> (8 * i) & 0xff);
    };
    put(0x100, 0x0001 | 1U << 16 | 0x148U << 20, 4);
    put(0x148, 0x000d | 1U << 16, 4);
    put(0x14e, static_cast<unsigned>(control), 2);
    file("sys/bus/pci/devices/0000:00:01.0/config", config);
  }

  void adapter(const std::string& name, int node) {
    const std::string folder = "sys/class/infiniband/" + name + "/";
    file(folder + "fw_ver", "28.39.1002");
    file(folder + "board_id", "MT_0000000838");
    file(folder + "device/numa_node", std::to_string(node));
    port(name, "state", "4: ACTIVE");
    port(name, "phys_state", "5: LinkUp");
    port(name, "rate", "400 Gb/sec (4X NDR)");
    port(name, "link_layer", "InfiniBand");
    port(name, "counters/symbol_error", "0");
    port(name, "counters/link_downed", "1");
  }
  void port(const std::string& adapter, const std::string& name, const std::string& text) {
    file("sys/class/infiniband/" + adapter + "/ports/1/" + name, text);
  }
  /// Both adapters become RoCE, with an address at index 3.
  void make_roce() {
    for (const char* name : {"mlx5_0", "mlx5_1"}) {
      port(name, "link_layer", "Ethernet");
      port(name, "gids/0", "fe80:0000:0000:0000:9a03:9bff:fe00:0001");
      port(name, "gid_attrs/types/0", "IB/RoCE v1");
      port(name, "gids/3", "0000:0000:0000:0000:0000:ffff:0a00:0001");
      port(name, "gid_attrs/types/3", "RoCE v2");
      port(name, "gid_attrs/ndevs/3", "rdma0");
      file("sys/class/infiniband/" + std::string(name) + "/tc/1/traffic_class", "Global tclass=106");
    }
    file("sys/class/net/rdma0/operstate", "up");
    file("sys/class/net/rdma0/mtu", "9000");
  }

  /// One GPU as nvidia-smi -q -x says it; each of `changes` replaces what stands there.
  static std::string gpu(int index, std::vector<std::pair<std::string, std::string>> changes = {}) {
    std::string text = "<gpu id=\"00000000:0" + std::to_string(index) + ":00.0\">" + R"(
      <product_name>NVIDIA H100 80GB HBM3 SXM</product_name><persistence_mode>Enabled</persistence_mode>
      <mig_mode><current_mig>Disabled</current_mig></mig_mode><compute_mode>Default</compute_mode>
      <pci><replay_counter>0</replay_counter></pci>
      <clocks_event_reasons><clocks_event_reason_hw_thermal_slowdown>Not Active</clocks_event_reason_hw_thermal_slowdown>
      <clocks_event_reason_hw_power_brake_slowdown>Not Active</clocks_event_reason_hw_power_brake_slowdown>
      </clocks_event_reasons><ecc_mode><current_ecc>Enabled</current_ecc></ecc_mode>
      <ecc_errors><volatile><dram_uncorrectable>0</dram_uncorrectable></volatile></ecc_errors>
      <remapped_rows><remapped_row_pending>No</remapped_row_pending><remapped_row_failure>No</remapped_row_failure>
      </remapped_rows><temperature><gpu_temp>40 C</gpu_temp><gpu_temp_slow_threshold>87 C</gpu_temp_slow_threshold>
      </temperature><gpu_power_readings><current_power_limit>700.00 W</current_power_limit>
      <default_power_limit>700.00 W</default_power_limit></gpu_power_readings>
      <applications_clocks><graphics_clock>1980 MHz</graphics_clock></applications_clocks>
      <default_applications_clocks><graphics_clock>1980 MHz</graphics_clock></default_applications_clocks>
      <fabric><state>Completed</state><status>Success</status></fabric></gpu>)";
    for (const auto& [from, to] : changes) text.replace(text.find(from), from.size(), to);
    return text;
  }
  static std::string smi(const std::string& first, const std::string& second) {
    return "<?xml version=\"1.0\" ?>\n<nvidia_smi_log>" + first + second + "</nvidia_smi_log>";
  }

  Snapshot snapshot() const {
    return collect({.root = root_.path(),
                    .run = [this](const std::string& command) -> std::optional<std::string> {
                      const auto found = outputs.find(command);
                      if (found == outputs.end()) return {};
                      return found->second;
                    },
                    .environment = environment_of(variables),
                    .variable_names = names()});
  }
  std::vector<Finding> findings() const { return diagnose(std::vector<Snapshot>{snapshot()}); }

  const std::filesystem::path& root() const { return root_.path(); }
  std::map<std::string, std::string> outputs{};
  std::map<std::string, std::string> variables{};

 private:
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& [name, value] : variables) all.push_back(name);
    return all;
  }
  TemporaryFolder root_{};
};

/// "id severity" of each finding, in order of the ids.
inline std::vector<std::string> ids_of(const std::vector<Finding>& findings) {
  std::vector<std::string> ids;
  for (const Finding& each : findings) ids.push_back(each.id + " " + name(each.severity));
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

}  // namespace tutti::doctor
