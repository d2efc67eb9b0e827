#include "tutti/plan/job_placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "topology/host_list.hpp"
#include "tutti/base/error.hpp"

namespace tutti::plan {

namespace {

std::int64_t crossings(const Cluster& cluster, int tier, const std::vector<std::int64_t>& nodes) {
  std::int64_t count = 0;
  for (std::size_t i = 0; nodes.size() > 1 && i < nodes.size(); ++i) {
    count += cluster.group_in_tier(nodes[i], tier) != cluster.group_in_tier(nodes[(i + 1) % nodes.size()], tier);
  }
  return count;
}

/// Nodes of the same groups together, higher tiers first.
std::vector<std::int64_t> ordered(const Cluster& cluster, std::vector<std::int64_t> nodes) {
  const int tiers = static_cast<int>(cluster.fabric().tiers.size());
  std::sort(nodes.begin(), nodes.end(), [&](std::int64_t a, std::int64_t b) {
    for (int tier = tiers - 1; tier >= 0; --tier) {
      const auto in_a = cluster.group_in_tier(a, tier);
      const auto in_b = cluster.group_in_tier(b, tier);
      if (in_a != in_b) return in_a < in_b;
    }
    return a < b;
  });
  return nodes;
}

int ranks_of(const Cluster& cluster, const std::vector<std::int64_t>& nodes, int asked) {
  if (asked < 0 || asked > 4096) {
    throw Error(Code::invalid_argument, fmt::format("{} ranks on a node; expected 1 to 4096", asked));
  }
  if (asked > 0) return asked;
  const auto gpus = cluster.gpus_of(nodes.front());
  if (gpus == 0) {
    throw Error(Code::invalid_argument, fmt::format("{}: how many GPUs a node has is not known", cluster.name()),
                {.remedy = "say how many ranks a node gets"});
  }
  for (const auto node : nodes) {
    if (cluster.gpus_of(node) != gpus) {
      throw Error(Code::invalid_argument,
                  fmt::format("{}: node {} has {} GPUs, node {} has {}", cluster.name(), nodes.front(), gpus, node,
                              cluster.gpus_of(node)),
                  {.remedy = "say how many ranks each node gets"});
    }
  }
  return static_cast<int>(gpus);
}

}  // namespace

std::vector<std::string> node_names(const Cluster& cluster) {
  std::vector<std::string> names;
  for (const NodeGroup& group : cluster.groups()) {
    if (!group.hosts.empty() && for_each_host(group.hosts, [&](const std::string& name) { names.push_back(name); }))
      continue;
    const int digits = static_cast<int>(fmt::format("{}", cluster.node_count() - 1).size());
    for (std::int64_t i = 0; i < group.count; ++i) names.push_back(fmt::format("node{:0{}}", names.size(), digits));
  }
  return names;
}

const Binding* JobPlacement::binding(std::int64_t rank) const {
  const auto node = static_cast<std::size_t>(rank / ranks_per_node);
  const auto& kind = kinds[static_cast<std::size_t>(kind_of_node[node])];
  return kind.empty() ? nullptr : &kind[static_cast<std::size_t>(rank % ranks_per_node)];
}

JobPlacement place_job(const Cluster& cluster, std::span<const std::int64_t> nodes, int ranks_per_node) {
  std::vector<std::int64_t> given(nodes.begin(), nodes.end());
  if (given.empty()) {
    given.resize(static_cast<std::size_t>(cluster.node_count()));
    std::iota(given.begin(), given.end(), std::int64_t{0});
  }
  std::set<std::int64_t> seen;
  for (const auto node : given) {
    if (node < 0 || node >= cluster.node_count()) {
      throw Error(Code::invalid_argument,
                  fmt::format("{} has nodes 0 to {}, and no node {}", cluster.name(), cluster.node_count() - 1, node));
    }
    if (!seen.insert(node).second) throw Error(Code::invalid_argument, fmt::format("node {} is named twice", node));
  }
  JobPlacement placement;
  placement.ranks_per_node = ranks_of(cluster, given, ranks_per_node);
  placement.nodes = ordered(cluster, given);
  const auto names = node_names(cluster);
  const auto& groups = cluster.groups();
  for (const NodeGroup& group : groups) {
    auto& kind = placement.kinds.emplace_back();
    if (group.topology.hosts().empty()) continue;
    for (int local = 0; local < placement.ranks_per_node; ++local) {
      kind.push_back(bind_rank(group.topology, 0, local, placement.ranks_per_node));
    }
  }
  for (const auto node : placement.nodes) {
    placement.hosts.push_back(names[static_cast<std::size_t>(node)]);
    placement.kind_of_node.push_back(static_cast<int>(&cluster.group_of(node) - groups.data()));
  }
  for (int tier = 0; tier < static_cast<int>(cluster.fabric().tiers.size()); ++tier) {
    std::set<std::int64_t> distinct;
    for (const auto node : given) distinct.insert(cluster.group_in_tier(node, tier));
    placement.crossings.push_back({.tier = cluster.fabric().tiers[static_cast<std::size_t>(tier)].name,
                                   .as_given = crossings(cluster, tier, given),
                                   .ordered = crossings(cluster, tier, placement.nodes),
                                   .least = distinct.size() > 1 ? static_cast<std::int64_t>(distinct.size()) : 0});
  }
  return placement;
}

}  // namespace tutti::plan
