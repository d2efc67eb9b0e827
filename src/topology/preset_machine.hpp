/// @file  PresetMachine: a machine in few words, and the topology made from it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "tutti/topology/topology.hpp"

namespace tutti {

/// GPUs and adapters that hang on one place of the PCI tree. They are numbered in the order of the groups.
struct PresetGroup {
  int numa = 0;
  int gpus = 1;
  int nics = 0;
  /// 0: each on a root port of its own; 1: below one switch; 2: below one switch that hangs, with the groups of the
  /// same `upper`, on another one.
  int switches = 1;
  int upper = -1;
};

/// One NVLink bundle between GPUs.
struct PresetPair {
  std::int8_t a = 0;
  std::int8_t b = 0;
  std::int8_t links = 0;
};

struct PresetCpu {
  std::string_view model{};
  std::string_view vendor{};
  std::string_view architecture = "x86_64";
  int family = -1;
  int number = -1;  ///< model number, as CPUID counts it
  int packages = 2;
  int cores = 0;       ///< of one package
  int numa_nodes = 2;  ///< of the host
  int threads = 2;     ///< of a core
};

struct PresetMachine {
  std::string_view name{};
  std::string_view gpu{};  ///< as the driver names it
  int compute_capability = 0;
  PresetCpu cpu{};
  std::span<const PresetGroup> groups{};
  double gpu_speed = 0;  ///< GT/s of a lane; 16 lanes
  double nic_speed = 0;
  int nic_lanes = 16;
  std::string_view nic{};
  int nic_gigabits = 0;
  std::string_view nic_layer = "InfiniBand";

  // One of these, or none.
  std::span<const PresetPair> pairs{};
  int nv_switches = 0;                       ///< that every GPU has links to
  std::span<const int> links_to_switches{};  ///< of one GPU, by switch
  int boards = 1;                            ///< of that many, each with its GPUs and `nv_switches`
  int board_links = 0;                       ///< between a switch and its like on the other board

  int hosts = 1;         ///< in one NVLink domain: the groups are those of one host
  double chip_link = 0;  ///< GB/s one way of each of `chip_links` between a GPU and its CPU
  int chip_links = 0;
};

Topology topology_of(const PresetMachine& machine);

}  // namespace tutti
