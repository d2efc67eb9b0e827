/// @file  Topology: the machines of a job as one immutable graph.
#pragma once

#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tutti/topology/device.hpp"
#include "tutti/topology/host_facts.hpp"
#include "tutti/topology/path.hpp"

namespace tutti {

/// What a Topology is made from; readers fill one in. Plain data without rules: the rules are checked by the
/// constructor of Topology.
struct TopologyParts {
  std::string name{};    ///< for people: a file, a host, a preset
  std::string source{};  ///< what was read: "live", "nccl-xml", "hwloc-xml", …
  std::vector<HostFacts> hosts{};
  std::vector<Device> devices{};
  std::vector<Link> links{};
  std::vector<StatedPath> stated{};
  std::vector<std::string> notes{};  ///< oddities and conflicts, a sentence each

  /// Appends and returns the new device's id.
  int add(Device device);
  /// Appends and returns the link's index.
  int add(Link link);

  bool operator==(const TopologyParts&) const = default;
};

/// A value; copies share their data, so they cost a counter. Equal to another when all parts are equal. All
/// members may be called from any thread.
class Topology {
 public:
  static constexpr int most_levels = 512;  ///< PCI has 256 buses, and a bridge has two ports

  Topology();  ///< no hosts, no devices

  /// Throws Error(invalid_argument) when an id is out of range, a number is negative or not finite, or the
  /// pci links are no forest (each device has at most one pci link towards the CPU) or one more than `most_levels` deep.
  explicit Topology(TopologyParts parts);

  const std::string& name() const noexcept { return data_->parts.name; }
  const std::string& source() const noexcept { return data_->parts.source; }
  std::span<const HostFacts> hosts() const noexcept { return data_->parts.hosts; }
  std::span<const Device> devices() const noexcept { return data_->parts.devices; }
  std::span<const Link> links() const noexcept { return data_->parts.links; }
  std::span<const StatedPath> stated() const noexcept { return data_->parts.stated; }
  std::span<const std::string> notes() const noexcept { return data_->parts.notes; }
  const TopologyParts& parts() const noexcept { return data_->parts; }

  bool empty() const noexcept { return devices().empty(); }
  const Device& device(int id) const { return data_->parts.devices.at(static_cast<std::size_t>(id)); }

  /// Ids of all devices of one kind: GPUs by host and index, the others as listed.
  std::vector<int> all(DeviceKind kind) const;

  /// Ids of the devices of one host, as listed.
  std::span<const int> devices_of(int host) const { return data_->devices_of.at(static_cast<std::size_t>(host)); }

  /// Indices of the links that touch a device.
  std::span<const int> links_of(int id) const { return data_->links_of.at(static_cast<std::size_t>(id)); }

  /// The device above in the tree of pci and local links, nearer to the CPU; -1 at the top.
  int parent(int id) const { return data_->parents.at(static_cast<std::size_t>(id)); }
  /// The devices right below in that tree, as listed.
  std::span<const int> children(int id) const { return data_->children.at(static_cast<std::size_t>(id)); }

  /// What a source stated of two devices, looked up from either end; null when it stated nothing. Where it states both
  /// ways, the one that begins at `from`.
  const StatedPath* stated_between(int from, int to) const;

  /// The device with this name, or bus id in any spelling; -1 when there is none. The first of several.
  int find(std::string_view name_or_pci) const;

  bool operator==(const Topology& other) const { return data_ == other.data_ || data_->parts == other.data_->parts; }

 private:
  struct Data {
    TopologyParts parts;
    std::vector<std::vector<int>> devices_of;
    std::vector<std::vector<int>> links_of;
    std::vector<std::vector<int>> children;
    std::vector<int> parents;
    std::vector<int> stated_order;  ///< indices into parts.stated, by the devices' ids
  };
  std::shared_ptr<const Data> data_;
};

/// A machine of which only its processors and memory are known: a cpu device for every NUMA node.
Topology from_host_facts(const HostFacts& facts);

/// The machines of several hosts as one topology, in the order given; readings of the same host (equal
/// HostFacts::id, not empty) count once. Hosts that have network adapters are joined by one assumed
/// network switch unless a part brings its own.
Topology merge(std::span<const Topology> machines);

/// Everything, as text in the project's own JSON (docs/schema/topology.schema.json), in one line.
std::string serialise(const Topology& topology);
/// The inverse: deserialise(serialise(t)) == t. Throws Error(invalid_argument) naming line and column.
Topology deserialise(std::string_view text);

/// The machine as a tree with bandwidths, then its GPU matrix, then its oddities.
std::ostream& operator<<(std::ostream& out, const Topology& topology);

}  // namespace tutti
