#include "topology/preset_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "topology/rates.hpp"
#include "topology/sockets.hpp"

namespace tutti {

namespace {

class Building {
 public:
  explicit Building(const PresetMachine& machine) : machine_(machine) {
    parts_.name = machine.name;
    parts_.source = "preset";
  }

  Topology build() {
    for (int host = 0; host < machine_.hosts; ++host) build_host(host);
    join_gpus();
    join_sockets(parts_);
    return Topology(std::move(parts_));
  }

 private:
  void build_host(int host) {
    const PresetCpu& cpu = machine_.cpu;
    HostFacts facts{
        .host = machine_.hosts > 1 ? fmt::format("{} tray {}", machine_.name, host) : std::string(machine_.name),
        .architecture = std::string(cpu.architecture),
        .cpu_vendor = std::string(cpu.vendor),
        .cpu_model = std::string(cpu.model),
        .cpu_family = cpu.family,
        .cpu_model_number = cpu.number,
        .packages = cpu.packages,
        .cores = cpu.packages * cpu.cores,
        .cpus = cpu.packages * cpu.cores * cpu.threads};
    cpus_.clear();
    for (int numa = 0; numa < cpu.numa_nodes; ++numa) {
      facts.numa_nodes.push_back(numa_node(numa));
      cpus_.push_back(parts_.add(Device{.kind = DeviceKind::cpu,
                                        .name = fmt::format("numa{}", numa),
                                        .model = std::string(cpu.model),
                                        .numa_node = numa,
                                        .host = host}));
    }
    parts_.hosts.push_back(std::move(facts));
    host_ = host;
    bus_ = 0x10;
    gpus_ = nics_ = 0;
    uppers_.clear();
    for (const PresetGroup& group : machine_.groups) build_group(group);
  }

  /// As Linux numbers: first one thread of every core, by node, then the others.
  NumaNode numa_node(int index) const {
    const PresetCpu& cpu = machine_.cpu;
    const int cores = cpu.packages * cpu.cores / cpu.numa_nodes;
    NumaNode node{.index = index, .package = index * cpu.packages / cpu.numa_nodes};
    for (int thread = 0; thread < cpu.threads; ++thread) {
      for (int core = 0; core < cores; ++core) {
        node.cpus.push_back(thread * cpu.packages * cpu.cores + index * cores + core);
      }
    }
    return node;
  }

  std::string next_bus() { return fmt::format("0000:{:02x}:00.0", bus_++); }

  int add_below(int above, Device device, double speed, int lanes) {
    const int id = parts_.add(std::move(device));
    const auto rate = rates::pci(speed, lanes);
    parts_.add(Link{.kind = LinkKind::pci,
                    .from = above,
                    .to = id,
                    .bandwidth = Quantity::assumed(rate.reached),
                    .rated = Quantity::assumed(rate.rated),
                    .latency = Quantity::assumed(rates::latency(LinkKind::pci)),
                    .lanes = Quantity::assumed(lanes),
                    .speed = Quantity::assumed(speed)});
    return id;
  }

  int add_switch(int above, int numa) {
    Device device{.kind = DeviceKind::pci_switch, .pci = next_bus(), .numa_node = numa, .host = host_};
    device.name = "switch " + device.pci;
    return add_below(above, std::move(device), std::max(machine_.gpu_speed, machine_.nic_speed), 16);
  }

  void build_group(const PresetGroup& group) {
    const int cpu = cpus_[static_cast<std::size_t>(group.numa)];
    int above = cpu;
    if (group.switches == 2) {
      const auto [upper, fresh] = uppers_.emplace(group.upper, 0);
      if (fresh) upper->second = add_switch(cpu, group.numa);
      above = upper->second;
    }
    if (group.switches > 0) above = add_switch(above, group.numa);
    for (int i = 0; i < group.gpus; ++i) add_gpu(above, cpu, group.numa);
    for (int i = 0; i < group.nics; ++i) add_nic(above, group.numa);
  }

  void add_gpu(int above, int cpu, int numa) {
    Device gpu{.kind = DeviceKind::gpu,
               .name = fmt::format("gpu{}", gpus_),
               .model = std::string(machine_.gpu),
               .pci = next_bus(),
               .numa_node = numa,
               .host = host_,
               .index = gpus_,
               .rank = machine_.hosts > 1 ? static_cast<int>(all_gpus_.size()) : -1};
    ++gpus_;
    gpu.attributes["sm"] = fmt::format("{}", machine_.compute_capability);
    if (machine_.chip_links == 0) {
      all_gpus_.push_back(add_below(above, std::move(gpu), machine_.gpu_speed, 16));
      return;
    }
    const int id = parts_.add(std::move(gpu));
    all_gpus_.push_back(id);
    const double bandwidth = machine_.chip_link * machine_.chip_links;
    Link link{.kind = LinkKind::c2c,
              .from = cpu,
              .to = id,
              .count = machine_.chip_links,
              .bandwidth = Quantity::assumed(bandwidth),
              .rated = Quantity::assumed(bandwidth),
              .latency = Quantity::assumed(rates::latency(LinkKind::c2c))};
    parts_.add(link);
    link.kind = LinkKind::local;  // the tree, in which ways to adapters are found
    link.count = 1;
    parts_.add(link);
  }

  void add_nic(int above, int numa) {
    Device nic{.kind = DeviceKind::nic,
               .name = fmt::format("mlx5_{}", nics_),
               .model = std::string(machine_.nic),
               .pci = next_bus(),
               .numa_node = numa,
               .host = host_,
               .index = nics_};
    ++nics_;
    nic.attributes["speed"] = fmt::format("{}", machine_.nic_gigabits * 1000);
    nic.attributes["port"] = "1";
    nic.attributes["gdr"] = "1";
    nic.attributes["link_layer"] = std::string(machine_.nic_layer);
    add_below(above, std::move(nic), machine_.nic_speed, machine_.nic_lanes);
  }

  void add_nvlink(int from, int to, int count, int compute_capability) {
    const auto rate = rates::nvlink(compute_capability);
    parts_.add(Link{.kind = LinkKind::nvlink,
                    .from = from,
                    .to = to,
                    .count = count,
                    .bandwidth = Quantity::assumed(rate.reached * count),
                    .rated = Quantity::assumed(rate.rated * count),
                    .latency = Quantity::assumed(rates::latency(LinkKind::nvlink))});
  }

  void join_gpus() {
    for (const PresetPair& pair : machine_.pairs) {
      add_nvlink(all_gpus_[static_cast<std::size_t>(pair.a)], all_gpus_[static_cast<std::size_t>(pair.b)], pair.links,
                 machine_.compute_capability);
    }
    std::vector<std::vector<int>> switches(static_cast<std::size_t>(machine_.boards));
    int number = 0;
    for (auto& of_board : switches) {
      for (int i = 0; i < machine_.nv_switches; ++i) {
        Device device{.kind = DeviceKind::nv_switch, .name = fmt::format("nvswitch{}", number++)};
        if (machine_.hosts == 1) device.pci = next_bus();
        of_board.push_back(parts_.add(std::move(device)));
      }
    }
    const std::size_t each = all_gpus_.size() / switches.size();
    for (std::size_t gpu = 0; gpu < all_gpus_.size(); ++gpu) {
      const auto& of_board = switches[gpu / each];
      for (std::size_t i = 0; i < of_board.size(); ++i) {
        add_nvlink(all_gpus_[gpu], of_board[i], machine_.links_to_switches[i], machine_.compute_capability);
      }
    }
    for (std::size_t i = 0; switches.size() > 1 && i < switches[0].size(); ++i) {
      add_nvlink(switches[0][i], switches[1][i], machine_.board_links, machine_.compute_capability);
    }
  }

  const PresetMachine& machine_;
  TopologyParts parts_;
  std::vector<int> cpus_;      ///< of the host being built
  std::map<int, int> uppers_;  ///< of the host being built
  std::vector<int> all_gpus_;
  int host_ = 0;
  int bus_ = 0;
  int gpus_ = 0;
  int nics_ = 0;
};

}  // namespace

Topology topology_of(const PresetMachine& machine) { return Building(machine).build(); }

}  // namespace tutti
