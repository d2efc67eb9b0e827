/// @file  HostFacts: what one machine's processors and memory look like; cheap enough to read at every start.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tutti {

/// One NUMA node as the operating system numbers it. Nodes may have memory only (HBM, CXL, GPU memory).
struct NumaNode {
  int index = 0;               ///< the operating system's number; numbers may have gaps
  int package = -1;            ///< the socket it belongs to; -1: not known
  std::vector<int> cpus{};     ///< logical CPUs that are online, ascending; empty: memory only
  std::size_t memory_bytes{};  ///< 0: not known

  bool operator==(const NumaNode&) const = default;
};

/// A value; copy it freely. Numbers that could not be read are 0, texts are empty.
struct HostFacts {
  std::string host{};                  ///< its name, for people
  std::string id{};                    ///< equal exactly for readings of the same running machine; may be empty
  std::string architecture{};          ///< "x86_64", "arm64", "ppc64le"
  std::string cpu_vendor{};            ///< "GenuineIntel", "AuthenticAMD", …
  std::string cpu_model{};             ///< "AMD EPYC 9555 64-Core Processor"
  int cpu_family = -1;                 ///< as CPUID counts it, extended family added
  int cpu_model_number = -1;           ///< as CPUID counts it, extended model included
  int packages = 0;                    ///< sockets
  int cores = 0;                       ///< physical, of all packages
  int cpus = 0;                        ///< logical, online
  std::vector<int> allowed_cpus{};     ///< where this process may run, ascending
  std::vector<NumaNode> numa_nodes{};  ///< by index; at least one in facts read from a live machine
  std::size_t memory_bytes = 0;
  std::size_t l1_bytes = 0;  ///< data cache of one core
  std::size_t l2_bytes = 0;  ///< of one instance
  std::size_t l3_bytes = 0;  ///< of one instance
  int cpus_per_l3 = 0;       ///< logical CPUs that share one instance

  bool operator==(const HostFacts&) const = default;
};

/// The machine this process runs on, from /sys and /proc: no libraries are loaded. Read once, at the first
/// call (under 3 ms); later calls return the same object, `allowed_cpus` included. Any thread. Never throws
/// for what is missing; then the numbers fall back to those of a machine with one node.
const HostFacts& this_host_facts();

}  // namespace tutti
