#include "tutti/topology/cluster_of.hpp"

#include <algorithm>
#include <utility>

namespace tutti {

Cluster cluster_of(const Topology& machine, std::int64_t count) {
  ClusterParts parts{.name = machine.name(), .source = machine.source()};
  parts.nodes.push_back({.machine = machine.name(), .topology = machine, .count = count});
  parts.fabric.rails = std::clamp(static_cast<int>(machine.all(DeviceKind::nic).size()), 1, 64);
  if (count > 1) parts.fabric.tiers.push_back({.name = "switch", .nodes = count});
  return Cluster(std::move(parts));
}

}  // namespace tutti
