/// @file  Device and Link: the nodes and edges of a topology, each number with where it comes from.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace tutti {

/// Where a number comes from. Order: better last.
enum class Origin : std::uint8_t {
  unknown,
  assumed,  ///< from a table of known hardware, or a default
  read,     ///< the source said so
};

/// A number and its origin. The unit stands where one is declared.
struct Quantity {
  double value = 0;
  Origin origin = Origin::unknown;

  static constexpr Quantity read(double value) { return {value, Origin::read}; }
  static constexpr Quantity assumed(double value) { return {value, Origin::assumed}; }
  constexpr bool known() const { return origin != Origin::unknown; }
  constexpr bool is_assumed() const { return origin == Origin::assumed; }
  bool operator==(const Quantity&) const = default;
};

enum class DeviceKind : std::uint8_t {
  cpu,             ///< one NUMA node with its processors; PCI devices hang below
  host_bridge,     ///< the root complex of some PCI buses
  pci_switch,      ///< a PCI switch, or a bridge that is none of the others
  gpu,             ///< or one partition of it (MIG)
  nv_switch,       ///< NVSwitch or its like: connects GPUs
  nic,             ///< one port of a network adapter
  network_switch,  ///< outside the machine
  other,           ///< any other PCI device; shown, not planned with
};

/// "cpu", "host_bridge", "switch", "gpu", "nvswitch", "nic", "network_switch", "other".
std::string_view name(DeviceKind kind) noexcept;
std::optional<DeviceKind> device_kind_named(std::string_view name) noexcept;

/// What a source said about a device beyond the fields below, by the source's own names ("sm", "guid",
/// "link_speed"), so that nothing is lost between a reader and a writer of one format.
using Attributes = std::map<std::string, std::string, std::less<>>;

struct Device {
  int id = 0;  ///< its place in Topology::devices()
  DeviceKind kind = DeviceKind::other;
  std::string name{};   ///< as people call it: "gpu0", "mlx5_0", "numa1"; not always unique
  std::string model{};  ///< "NVIDIA H100 80GB HBM3", "ConnectX-7"; may be empty
  std::string pci{};    ///< bus id, lower case, "0000:1b:00.0"; may be empty
  int numa_node = -1;   ///< the operating system's number; -1: not known
  int host = 0;         ///< index into Topology::hosts()
  int index = -1;       ///< GPU: its number in the driver. NIC: its number in the network plugin. -1: none
  int rank = -1;        ///< the rank that uses it, when the source knew
  Attributes attributes{};

  bool operator==(const Device&) const = default;
};

enum class LinkKind : std::uint8_t {
  pci,      ///< from the end nearer to the CPU to the device; the tree
  socket,   ///< CPU to CPU: QPI, UPI, Infinity Fabric
  nvlink,   ///< GPU to GPU or to an NVSwitch
  xgmi,     ///< the same between AMD GPUs
  c2c,      ///< GPU to its CPU: Grace, POWER, MI300A
  local,    ///< from a CPU to what hangs on it without PCI, a virtual NIC; part of the tree
  peer,     ///< switch to switch, beside the tree
  network,  ///< NIC to network switch, or between these
};

/// "pci", "socket", "nvlink", "xgmi", "c2c", "local", "peer", "network".
std::string_view name(LinkKind kind) noexcept;
std::optional<LinkKind> link_kind_named(std::string_view name) noexcept;

/// Works both ways unless `one_way`, with the same bandwidth each way at the same time.
struct Link {
  LinkKind kind = LinkKind::pci;
  int from = 0;  ///< device id; of a pci link the end nearer to the CPU
  int to = 0;    ///< device id
  bool one_way = false;
  int count = 1;         ///< parallel physical links (NVLinks, cables)
  Quantity bandwidth{};  ///< GB/s (10^9) one direction that transfers reach, all `count` together
  Quantity rated{};      ///< GB/s one direction by the data sheet, all `count` together
  Quantity latency{};    ///< microseconds one way
  Quantity lanes{};      ///< PCI: as trained
  Quantity speed{};      ///< PCI: gigatransfers a second and lane, as trained (2.5 … 64)
  Quantity lanes_possible{};
  Quantity speed_possible{};
  int count_possible = 0;  ///< NVLinks that this model has; 0: not known

  bool operator==(const Link&) const = default;
};

}  // namespace tutti
