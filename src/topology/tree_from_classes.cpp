#include "topology/tree_from_classes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "topology/rates.hpp"
#include "topology/sockets.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

namespace {

/// Sets of devices that grow together as farther classes count as near.
class Groups {
 public:
  explicit Groups(std::size_t count) : root_(count) { std::iota(root_.begin(), root_.end(), std::size_t{0}); }
  std::size_t of(std::size_t item) {
    while (root_[item] != item) item = root_[item] = root_[root_[item]];
    return item;
  }
  void join(std::size_t a, std::size_t b) { root_[std::max(of(a), of(b))] = std::min(of(a), of(b)); }

 private:
  std::vector<std::size_t> root_;
};

class TreeBuilding {
 public:
  static constexpr std::size_t max_loose = 1024;

  explicit TreeBuilding(const Topology& topology) : topology_(topology), parts_(topology.parts()) {
    for (const Device& device : topology.devices()) {
      const bool hangs = topology.parent(device.id) >= 0;
      if (hangs) continue;
      if (device.kind == DeviceKind::gpu || device.kind == DeviceKind::nic) loose_.push_back(device.id);
      if (device.kind == DeviceKind::pci_switch || device.kind == DeviceKind::host_bridge) tops_.push_back(device.id);
    }
  }

  Topology build() {
    if (loose_.empty() && tops_.empty()) return topology_;
    if (loose_.size() > max_loose) {
      throw Error(Code::unsupported, fmt::format("{} GPUs and NICs without a place; a tree is made for {} at most",
                                                 loose_.size(), max_loose));
    }
    for (const int id : tops_) hang(cpu_for(id), id);
    place(group(PathClass::pix), group(PathClass::pxb), group(PathClass::phb), group_by_node());
    if (std::none_of(parts_.links.begin(), parts_.links.end(),
                     [](const Link& l) { return l.kind == LinkKind::socket; })) {
      join_sockets(parts_);
    }
    name_misfits();
    return Topology(std::move(parts_));
  }

 private:
  Groups group(PathClass farthest) const {
    Groups groups(topology_.devices().size());
    for (const StatedPath& stated : topology_.stated()) {
      if (stated.path >= PathClass::pix && stated.path <= farthest) {
        groups.join(static_cast<std::size_t>(stated.from), static_cast<std::size_t>(stated.to));
      }
    }
    return groups;
  }

  /// By class, and by NUMA number where the source gave one.
  Groups group_by_node() const {
    Groups groups = group(PathClass::node);
    std::map<std::pair<int, int>, int> first;
    for (const int id : loose_) {
      const Device& device = topology_.device(id);
      if (device.numa_node < 0) continue;
      const auto [at, fresh] = first.emplace(std::pair(device.host, device.numa_node), id);
      if (!fresh) groups.join(static_cast<std::size_t>(id), static_cast<std::size_t>(at->second));
    }
    return groups;
  }

  int below(int parent, Device device) {
    device.host = parts_.devices[static_cast<std::size_t>(parent)].host;
    device.numa_node = parts_.devices[static_cast<std::size_t>(parent)].numa_node;
    const int id = parts_.add(std::move(device));
    hang(parent, id);
    return id;
  }

  void hang(int parent, int id) {
    const auto rate = rates::pci(16, 16);
    parts_.add(Link{.kind = LinkKind::pci,
                    .from = parent,
                    .to = id,
                    .bandwidth = Quantity::assumed(rate.reached),
                    .rated = Quantity::assumed(rate.rated),
                    .latency = Quantity::assumed(rates::latency(LinkKind::pci)),
                    .lanes = Quantity::assumed(16),
                    .speed = Quantity::assumed(16)});
  }

  int cpu_for(int member) {
    const Device like = parts_.devices[static_cast<std::size_t>(member)];
    for (const Device& device : parts_.devices) {
      if (device.kind == DeviceKind::cpu && device.host == like.host && device.numa_node == like.numa_node &&
          like.numa_node >= 0) {
        return device.id;
      }
    }
    int free = 0;
    for (const Device& device : parts_.devices) {
      const bool tree = like.kind == DeviceKind::pci_switch || like.kind == DeviceKind::host_bridge;
      if (tree && device.kind == DeviceKind::cpu && device.host == like.host) return device.id;
      if (device.kind == DeviceKind::cpu && device.host == like.host) free = std::max(free, device.numa_node + 1);
    }
    const int numa = like.numa_node >= 0 ? like.numa_node : free;
    return parts_.add(
        Device{.kind = DeviceKind::cpu, .name = fmt::format("numa{}", numa), .numa_node = numa, .host = like.host});
  }

  std::string placeholder_bus() {
    ++placeholders_;
    return fmt::format("ffff:{:02x}:{:02x}.0", 0xff - placeholders_ / 31, placeholders_ % 31 + 1);
  }

  int placeholder(int parent) {
    const auto bus = placeholder_bus();
    return below(parent, Device{.kind = DeviceKind::pci_switch, .name = "switch " + bus, .pci = bus});
  }

  /// From the top down: a node for every group that has several groups of the next nearer class within.
  void place(Groups pix, Groups pxb, Groups phb, Groups node) {
    std::map<std::size_t, int> cpus;
    std::map<std::size_t, int> bridges;
    std::map<std::size_t, int> uppers;
    std::map<std::size_t, int> switches;
    const auto members = [&](Groups& groups, std::size_t group) {
      return std::count_if(loose_.begin(), loose_.end(),
                           [&](int id) { return groups.of(static_cast<std::size_t>(id)) == group; });
    };
    for (const int id : loose_) {
      const auto item = static_cast<std::size_t>(id);
      const auto cpu = cpus.try_emplace(node.of(item), -1).first;
      if (cpu->second < 0) cpu->second = cpu_for(best_known(node, node.of(item)));
      int above = cpu->second;
      if (node.of(item) != phb.of(item) || members(node, node.of(item)) != members(phb, phb.of(item))) {
        const auto bridge = bridges.try_emplace(phb.of(item), -1).first;
        if (bridge->second < 0) {
          bridge->second = below(
              above, Device{.kind = DeviceKind::host_bridge, .name = fmt::format("bridge{}", bridges.size() - 1)});
        }
        above = bridge->second;
      }
      if (members(pxb, pxb.of(item)) > members(pix, pix.of(item))) {
        const auto upper = uppers.try_emplace(pxb.of(item), -1).first;
        if (upper->second < 0) upper->second = placeholder(above);
        above = upper->second;
      }
      if (members(pxb, pxb.of(item)) > 1) {
        const auto lower = switches.try_emplace(pix.of(item), -1).first;
        if (lower->second < 0) lower->second = placeholder(above);
        above = lower->second;
      }
      Device& device = parts_.devices[item];
      const bool on_switch = parts_.devices[static_cast<std::size_t>(above)].kind == DeviceKind::pci_switch;
      if (on_switch && device.kind == DeviceKind::nic && device.pci.empty()) device.pci = placeholder_bus();
      hang(above, id);
    }
  }

  /// The member of a group whose NUMA node is known; the first when none is.
  int best_known(Groups& groups, std::size_t group) const {
    int first = -1;
    for (const int id : loose_) {
      if (groups.of(static_cast<std::size_t>(id)) != group) continue;
      if (topology_.device(id).numa_node >= 0) return id;
      if (first < 0) first = id;
    }
    return first;
  }

  void name_misfits() {
    TopologyParts unstated = parts_;
    unstated.stated.clear();
    const Topology tree(std::move(unstated));
    for (const StatedPath& stated : topology_.stated()) {
      const Path path = find_path(tree, stated.from, stated.to);
      if (path.path == stated.path || path.path == PathClass::nvlink || path.path == PathClass::xgmi) continue;
      parts_.notes.push_back(fmt::format("{} to {} is stated as {}, but in the tree made of all classes it is {}",
                                         topology_.device(stated.from).name, topology_.device(stated.to).name,
                                         name(stated.path), name(path.path)));
    }
  }

  const Topology& topology_;
  TopologyParts parts_;
  std::vector<int> loose_;
  std::vector<int> tops_;  ///< switches and bridges with nothing above them
  int placeholders_ = 0;
};

}  // namespace

Topology tree_from_classes(const Topology& topology) { return TreeBuilding(topology).build(); }

}  // namespace tutti
