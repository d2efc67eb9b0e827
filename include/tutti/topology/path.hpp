/// @file  Path: how two devices reach one another, as a class that people know and as a bandwidth.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tutti/topology/device.hpp"

namespace tutti {

class Topology;

/// Nearest first, named as `nvidia-smi topo -m` names them.
enum class PathClass : std::uint8_t {
  self,    ///< "X"
  nvlink,  ///< "NV#", # links, straight or through NVSwitches
  xgmi,    ///< "XGMI"
  c2c,     ///< "C2C": GPU and CPU on one module
  pix,     ///< at most one PCI switch
  pxb,     ///< several PCI switches, no host bridge
  phb,     ///< a host bridge, usually through the CPU
  node,    ///< several host bridges within one NUMA node
  sys,     ///< from NUMA node to NUMA node
  net,     ///< from host to host
  none,    ///< no way is known
};

/// "X", "NV", "XGMI", "C2C", "PIX", "PXB", "PHB", "NODE", "SYS", "NET", "-".
std::string_view name(PathClass path) noexcept;
/// The class of such a name; "SOC" is SYS and "NV6" is NV.
std::optional<PathClass> path_class_named(std::string_view name) noexcept;

/// What a source said about two devices without saying what lies between: a cell of `topo -m`.
struct StatedPath {
  int from = 0;
  int to = 0;
  PathClass path = PathClass::none;

  bool operator==(const StatedPath&) const = default;
};

struct Path {
  PathClass path = PathClass::none;
  int count = 0;             ///< NVLinks or XGMI links of the narrowest hop; else 0
  std::vector<int> links{};  ///< indices into Topology::links(), in order; empty when only stated
  Quantity bandwidth{};      ///< GB/s one direction, of the narrowest link; assumed when any part is
  Quantity latency{};        ///< microseconds, the sum; unknown when any part is

  /// As the matrix prints it: "NV18", "PIX", "SYS".
  std::string label() const;
};

/// The way that transfers take: NVLink or XGMI where two GPUs have it, else down and up the PCI tree, else over
/// the network. A stated class stands where the tree says nothing; what a class carries is then assumed.
/// Throws std::out_of_range for an id that is not there.
Path find_path(const Topology& topology, int from, int to);

/// The adapters that no other adapter of the same host is nearer than, by class; as listed.
struct NearestNics {
  std::vector<int> nics{};
  PathClass path = PathClass::none;
  Quantity bandwidth{};  ///< GB/s one direction, of the best of them
};
NearestNics nearest_nics(const Topology& topology, int device);

/// GB/s one direction that a NIC's port carries, from its attribute "speed" (Mbit/s); unknown without it.
Quantity port_speed(const Device& nic);

}  // namespace tutti
