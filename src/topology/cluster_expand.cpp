/// @file  A cluster as devices: every node, and the switches between them.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "topology/host_list.hpp"
#include "tutti/base/error.hpp"
#include "tutti/topology/cluster_file.hpp"

namespace tutti {

namespace {

Quantity half_of_sum(const Quantity& a, const Quantity& b) {
  if (!a.known() || !b.known()) return {};
  return {(a.value + b.value) / 2, std::min(a.origin, b.origin)};
}

class Expansion {
 public:
  explicit Expansion(const Cluster& cluster) : cluster_(cluster), fabric_(cluster.fabric()) {
    parts_.name = cluster.name();
    parts_.source = cluster.source();
    parts_.notes = cluster.notes();
  }

  /// How many devices it would be; switches are fewer than adapters.
  static std::size_t size(const Cluster& cluster) {
    std::size_t sum = 0;
    for (const NodeGroup& group : cluster.groups()) {
      const auto of_one = std::max<std::size_t>(1, group.topology.devices().size());
      sum += static_cast<std::size_t>(group.count) * of_one;
    }
    return sum;
  }

  Topology all() {
    std::int64_t node = 0;
    for (const NodeGroup& group : cluster_.groups()) {
      std::vector<std::string> names;
      for_each_host(group.hosts, [&](const std::string& name) { names.push_back(name); });
      names.resize(static_cast<std::size_t>(group.count));
      for (const std::string& name : names) add_node(group, node++, name);
      const auto notes = group.topology.notes();
      parts_.notes.insert(parts_.notes.end(), notes.begin(), notes.end());
    }
    return Topology(std::move(parts_));
  }

  Topology one_of_each() {
    std::int64_t node = 0;
    for (const NodeGroup& group : cluster_.groups()) {
      add_node(group, node, {});
      node += group.count;
      parts_.notes.push_back(fmt::format("{} nodes{}{}; one of them is shown", group.count,
                                         group.machine.empty() ? "" : " of ", group.machine));
    }
    return Topology(std::move(parts_));
  }

 private:
  void add_node(const NodeGroup& group, std::int64_t node, const std::string& name) {
    const int host = static_cast<int>(parts_.hosts.size());
    parts_.hosts.push_back(group.topology.hosts().empty() ? HostFacts{} : group.topology.hosts()[0]);
    parts_.hosts.back().host = name.empty() ? fmt::format("node {}", node) : name;
    parts_.hosts.back().id.clear();
    std::vector<int> nics;
    if (group.topology.empty()) {
      nics.push_back(parts_.add(Device{.kind = DeviceKind::nic,
                                       .name = parts_.hosts.back().host,
                                       .model = "all adapters of the node as one",
                                       .host = host}));
    } else {
      nics = copy(group.topology, host);
    }
    for (int rail = 0; rail < std::min(fabric_.rails, static_cast<int>(nics.size())); ++rail) {
      join(nics[static_cast<std::size_t>(rail)], node, rail);
    }
  }

  /// Returns the adapters.
  std::vector<int> copy(const Topology& machine, int host) {
    const int offset = static_cast<int>(parts_.devices.size());
    std::vector<int> nics;
    for (Device device : machine.devices()) {
      device.host = host;
      const bool nic = device.kind == DeviceKind::nic;
      const int id = parts_.add(std::move(device));
      if (nic) nics.push_back(id);
    }
    for (Link link : machine.links()) {
      link.from += offset;
      link.to += offset;
      parts_.add(link);
    }
    for (const StatedPath& path : machine.stated()) {
      parts_.stated.push_back({path.from + offset, path.to + offset, path.path});
    }
    return nics;
  }

  void join(int nic, std::int64_t node, int rail) {
    if (fabric_.tiers.empty()) return;
    const int leaf = switch_at(0, node, rail);
    parts_.add(Link{.kind = LinkKind::network,
                    .from = nic,
                    .to = leaf,
                    .bandwidth = fabric_.bandwidth,
                    .rated = fabric_.bandwidth,
                    .latency = half_of_sum(fabric_.latency, fabric_.tiers[0].latency)});
  }

  /// Does a tier have switches for each rail?
  bool by_rail(std::size_t tier) const {
    return fabric_.wiring == RailWiring::separate || (fabric_.wiring == RailWiring::optimised && tier == 0);
  }

  int switch_at(std::size_t tier, std::int64_t node, int rail) {
    const auto group = cluster_.group_in_tier(node, static_cast<int>(tier));
    const int of_rail = by_rail(tier) ? rail : -1;
    const auto [known, fresh] = switches_.try_emplace({tier, group, of_rail}, -1);
    if (!fresh) return known->second;
    const FabricTier& level = fabric_.tiers[tier];
    auto name = fmt::format("{} {}", level.name.empty() ? fmt::format("tier {}", tier) : level.name, group);
    if (of_rail >= 0) name += fmt::format(" rail {}", of_rail);
    const int id = parts_.add(Device{.kind = DeviceKind::network_switch,
                                     .name = std::move(name),
                                     .model = fabric_.link,
                                     .host = static_cast<int>(parts_.hosts.size()) - 1});
    switches_[{tier, group, of_rail}] = id;
    if (tier + 1 < fabric_.tiers.size()) {
      const int above = switch_at(tier + 1, node, rail);
      const auto rate = uplink(tier, group);
      parts_.add(Link{.kind = LinkKind::network,
                      .from = id,
                      .to = above,
                      .bandwidth = rate,
                      .rated = rate,
                      .latency = half_of_sum(level.latency, fabric_.tiers[tier + 1].latency)});
    }
    return id;
  }

  /// What all cables from a group upwards carry together.
  Quantity uplink(std::size_t tier, std::int64_t group) const {
    const FabricTier& level = fabric_.tiers[tier];
    auto nodes = std::min(level.nodes, cluster_.node_count() - group * level.nodes);
    if (!level.ends.empty()) {
      const auto at = static_cast<std::size_t>(group);
      nodes = level.ends[at] - (at == 0 ? 0 : level.ends[at - 1]);
    }
    Quantity rate = fabric_.bandwidth;
    for (std::size_t below = 0; below <= tier; ++below)
      rate.value /= std::max(1.0, fabric_.tiers[below].oversubscription);
    rate.value *= static_cast<double>(nodes) * (by_rail(tier) ? 1 : fabric_.rails);
    return rate;
  }

  const Cluster& cluster_;
  const Fabric& fabric_;
  TopologyParts parts_;
  std::map<std::tuple<std::size_t, std::int64_t, int>, int> switches_;
};

}  // namespace

Topology expand(const Cluster& cluster, std::size_t most) {
  if (const auto size = Expansion::size(cluster); size > most) {
    throw Error(Code::unsupported, fmt::format("{}: {} devices, more than {}", cluster.name(), size, most),
                {.remedy = "use the cluster itself, which is counts"});
  }
  return Expansion(cluster).all();
}

Topology sketch(const Cluster& cluster) {
  constexpr std::size_t most = 20'000;
  return Expansion::size(cluster) > most ? Expansion(cluster).one_of_each() : Expansion(cluster).all();
}

}  // namespace tutti
