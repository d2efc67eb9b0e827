/// @file  Cluster: the machines of a job and the fabric between them, by counts; as small for 131,072 GPUs as for 16.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tutti/topology/topology.hpp"

namespace tutti {

/// Nodes that are built alike.
struct NodeGroup {
  std::string machine{};   ///< what the topology was called: a preset's name, a file; for people, may be empty
  Topology topology{};     ///< of one node, with one host; empty where only the wiring is known, as from Slurm
  std::int64_t count = 1;  ///< how many nodes
  std::string hosts{};     ///< their names in order, in Slurm's short form "node[001-128,200]"; may be empty

  bool operator==(const NodeGroup&) const = default;
};

/// How the adapters of a node are spread over the switches.
enum class RailWiring : std::uint8_t {
  shared,     ///< all rails of a node go to the same leaf
  optimised,  ///< each rail has leaves of its own; rails meet one tier above
  separate,   ///< each rail is a fabric of its own; from rail to rail only within a node
};

/// "shared", "rail-optimised", "rail-only".
std::string_view name(RailWiring wiring) noexcept;
std::optional<RailWiring> rail_wiring_named(std::string_view name) noexcept;

/// One level of switches. A group of a tier is the nodes that reach one another without going higher.
struct FabricTier {
  std::string name{};                ///< "leaf", "spine", "core"
  std::int64_t nodes = 0;            ///< in one group; in the largest, where they differ
  std::vector<std::int64_t> ends{};  ///< only where groups differ in size: the first node after each group, ascending
  double oversubscription = 1;       ///< bandwidth from below over bandwidth upward; the highest tier's has no effect
  Quantity latency{};                ///< microseconds through one switch

  bool operator==(const FabricTier&) const = default;
};

struct Fabric {
  std::string link{};    ///< "NDR", "RoCE 400"; for people
  Quantity bandwidth{};  ///< GB/s (10^9) one direction of one rail, by the data sheet; unknown: not stated
  Quantity latency{};    ///< microseconds one way from adapter to adapter, without the switches between
  int rails = 1;         ///< adapters of a node that carry the job
  RailWiring wiring = RailWiring::shared;
  std::vector<FabricTier> tiers{};  ///< lowest first; none: the job has one node

  bool operator==(const Fabric&) const = default;
};

/// What a Cluster is made from. Plain data; the rules are checked by the constructor of Cluster.
struct ClusterParts {
  std::string name{};    ///< for people: a preset, a file
  std::string source{};  ///< "preset", "tutti-cluster", "slurm"
  std::vector<NodeGroup> nodes{};
  Fabric fabric{};
  std::vector<std::string> notes{};  ///< oddities, a sentence each

  bool operator==(const ClusterParts&) const = default;
};

/// A value. Nodes are numbered from 0, group after group, and so are GPUs, node after node. All members may be
/// called from any thread, and cost no more than the number of groups and the logarithm of the number of switches.
class Cluster {
 public:
  static constexpr std::int64_t max_nodes = std::int64_t{1} << 20;

  /// Throws Error(invalid_argument) naming the place ("superpod.json: fabric.tiers[1].nodes") for numbers that are
  /// missing, negative, absurd (more than `max_nodes` nodes, 64 rails, 8 tiers, 10 TB/s, 1 s) or that contradict
  /// one another: several nodes without tiers, a tier whose groups are not made of whole groups of the tier
  /// below, more rails than a machine has adapters, host names that are not as many as the nodes.
  explicit Cluster(ClusterParts parts);

  const std::string& name() const noexcept { return parts_.name; }
  const std::string& source() const noexcept { return parts_.source; }
  const std::vector<NodeGroup>& groups() const noexcept { return parts_.nodes; }
  const Fabric& fabric() const noexcept { return parts_.fabric; }
  const std::vector<std::string>& notes() const noexcept { return parts_.notes; }
  const ClusterParts& parts() const noexcept { return parts_; }

  std::int64_t node_count() const noexcept { return nodes_; }
  std::int64_t gpu_count() const noexcept { return gpus_; }

  /// Throws std::out_of_range for a node that is not there.
  const NodeGroup& group_of(std::int64_t node) const;
  std::int64_t gpus_of(std::int64_t node) const;
  std::int64_t first_gpu_of(std::int64_t node) const;
  /// The node that a GPU is in. Throws std::out_of_range for a GPU that is not there.
  std::int64_t node_of_gpu(std::int64_t gpu) const;

  /// The number of a node's group in a tier.
  std::int64_t group_in_tier(std::int64_t node, int tier) const;
  /// The lowest tier in which two nodes meet, on one rail; nothing when the fabric does not join them. 0 for a
  /// node and itself.
  std::optional<int> meeting_tier(std::int64_t a, std::int64_t b) const;
  /// The same from one rail to another, by the wiring; nothing for rails that do not meet.
  std::optional<int> meeting_tier(std::int64_t a, int rail_a, std::int64_t b, int rail_b) const;

  /// Microseconds one way between two adapters that meet in a tier: up and down through every switch.
  Quantity latency_through(int tier) const;
  /// GB/s one direction that a rail keeps when all rails of all nodes send through a tier at once.
  Quantity bandwidth_through(int tier) const;

  bool operator==(const Cluster& other) const { return parts_ == other.parts_; }

 private:
  std::size_t position(std::int64_t node) const;

  ClusterParts parts_;
  std::vector<std::int64_t> first_node_{};  ///< of each group
  std::vector<std::int64_t> first_gpu_{};
  std::int64_t nodes_ = 0;
  std::int64_t gpus_ = 0;
};

}  // namespace tutti
