#include "tutti/topology/preset_clusters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/nearest.hpp"
#include "topology/preset_cluster_list.hpp"
#include "topology/text.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

namespace {

const PresetCluster* cluster_entry(std::string_view name) {
  for (const PresetCluster& candidate : preset_cluster_list()) {
    if (same_but_case(candidate.preset.name, name)) return &candidate;
  }
  return nullptr;
}

/// The tiers that so many nodes need; the highest holds them all.
std::vector<FabricTier> tiers_for(const PresetCluster& cluster, std::int64_t nodes) {
  std::vector<FabricTier> tiers;
  for (const PresetTier& tier : cluster.tiers) {
    if (!tiers.empty() && tiers.back().nodes >= nodes) break;
    tiers.push_back({.name = std::string(tier.name),
                     .nodes = tier.nodes,
                     .oversubscription = tier.oversubscription,
                     .latency = Quantity::assumed(tier.latency)});
  }
  if (tiers.back().nodes < nodes) {
    const std::int64_t below = tiers.size() > 1 ? tiers[tiers.size() - 2].nodes : 1;
    tiers.back().nodes = std::min((nodes + below - 1) / below * below, Cluster::max_nodes);
  }
  return tiers;
}

}  // namespace

std::span<const Preset> cluster_presets() {
  static const std::vector<Preset> all = [] {
    std::vector<Preset> list;
    for (const PresetCluster& candidate : preset_cluster_list()) list.push_back(candidate.preset);
    return list;
  }();
  return all;
}

const Preset* find_cluster_preset(std::string_view name) {
  const PresetCluster* found = cluster_entry(name);
  return found ? &found->preset : nullptr;
}

Cluster preset_cluster(std::string_view name, std::int64_t nodes) {
  const PresetCluster* found = cluster_entry(name);
  if (!found) {
    std::vector<std::string_view> names;
    for (const Preset& candidate : cluster_presets()) names.push_back(candidate.name);
    throw Error(
        Code::invalid_argument, fmt::format("there is no preset '{}' of a cluster", name),
        {.remedy = fmt::format("did you mean '{}'? `tutti topology --presets` lists all", nearest(name, names))});
  }
  if (nodes < 0 || nodes > Cluster::max_nodes) {
    throw Error(Code::invalid_argument, fmt::format("{} nodes; expected 1 to {}", nodes, Cluster::max_nodes));
  }
  if (nodes == 0) nodes = found->nodes;
  ClusterParts parts{.name = std::string(found->preset.name), .source = "preset"};
  parts.nodes.push_back({.machine = std::string(found->machine), .topology = preset(found->machine), .count = nodes});
  parts.fabric = {.link = std::string(found->link),
                  .bandwidth = Quantity::assumed(found->bandwidth),
                  .latency = Quantity::assumed(found->latency),
                  .rails = found->rails,
                  .wiring = found->wiring,
                  .tiers = tiers_for(*found, nodes)};
  return Cluster(std::move(parts));
}

}  // namespace tutti
