/// @file  JobPlacement: which rank goes where on a cluster, in an order that keeps rings inside leaf and rack.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tutti/topology/binding.hpp"
#include "tutti/topology/cluster.hpp"

namespace tutti::plan {

/// How often a ring over the nodes goes from one group of a tier to another.
struct TierCrossings {
  std::string tier{};         ///< "leaf"
  std::int64_t as_given = 0;  ///< in the order in which the nodes were named
  std::int64_t ordered = 0;   ///< in the order of the placement
  std::int64_t least = 0;     ///< that any order has: once for each group, none when there is one
};

struct JobPlacement {
  std::vector<std::int64_t> nodes{};  ///< numbers in the cluster, in the order of their ranks
  std::vector<std::string> hosts{};   ///< their names, as long as `nodes`
  int ranks_per_node = 0;
  std::vector<std::vector<Binding>>
      kinds{};                      ///< for each group of nodes of the cluster, by local rank; empty for groups of
                                    ///< which only the wiring is known
  std::vector<int> kind_of_node{};  ///< as long as `nodes`: index into `kinds`
  std::vector<TierCrossings> crossings{};  ///< lowest tier first

  std::int64_t ranks() const { return static_cast<std::int64_t>(nodes.size()) * ranks_per_node; }
  /// Null where nothing is known of the machine.
  const Binding* binding(std::int64_t rank) const;
};

/// The names of all nodes of a cluster, made up ("node007") where it has none.
std::vector<std::string> node_names(const Cluster& cluster);

/// Nodes that meet in a lower tier become neighbours, in the order of the cluster; ranks of a node follow one another.
/// `nodes` are those that the scheduler gave, in its order; empty: all. `ranks_per_node` 0: one for each GPU. Throws
/// Error(invalid_argument) for nodes that are not there or named twice, and when neither GPUs nor `ranks_per_node` say how
/// many ranks there are.
JobPlacement place_job(const Cluster& cluster, std::span<const std::int64_t> nodes = {}, int ranks_per_node = 0);

}  // namespace tutti::plan
