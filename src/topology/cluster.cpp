#include "tutti/topology/cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "topology/host_list.hpp"
#include "topology/text.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

namespace {

constexpr std::array<std::string_view, 3> wirings{"shared", "rail-optimised", "rail-only"};

constexpr int max_rails = 64;
constexpr std::size_t max_tiers = 8;
constexpr double max_bandwidth = 10'000;   // GB/s
constexpr double max_latency = 1'000'000;  // microseconds
constexpr double max_oversubscription = 1'000;

/// Checks the parts; every complaint names its place.
class Checking {
 public:
  explicit Checking(const ClusterParts& parts) : parts_(parts) {}

  /// Returns how many nodes there are.
  std::int64_t run() const {
    const auto nodes = groups();
    const Fabric& fabric = parts_.fabric;
    if (fabric.rails < 1 || fabric.rails > max_rails) refuse("fabric.rails", fabric.rails, "1 to 64");
    quantity("fabric.bandwidth_GBs", fabric.bandwidth, max_bandwidth, "GB/s, above 0 and at most 10,000");
    if (fabric.bandwidth.known() && fabric.bandwidth.value <= 0) {
      refuse("fabric.bandwidth_GBs", fabric.bandwidth.value, "GB/s, above 0 and at most 10,000");
    }
    quantity("fabric.latency_us", fabric.latency, max_latency, "microseconds, at most 1,000,000");
    if (fabric.tiers.size() > max_tiers) refuse("fabric.tiers", fabric.tiers.size(), "at most 8 tiers");
    if (fabric.tiers.empty() && nodes > 1) {
      complain("fabric.tiers", fmt::format("missing; {} nodes need switches between them", nodes));
    }
    for (std::size_t i = 0; i < fabric.tiers.size(); ++i) tier(i, nodes);
    return nodes;
  }

 private:
  [[noreturn]] void complain(const std::string& place, const std::string& why) const {
    throw Error(Code::invalid_argument,
                fmt::format("{}: {}: {}", parts_.name.empty() ? "cluster" : parts_.name, place, shown(why, 1000)));
  }
  template <class T>
  [[noreturn]] void refuse(const std::string& place, const T& value, const char* expected) const {
    complain(place, fmt::format("{}; expected {}", value, expected));
  }

  void quantity(const std::string& place, const Quantity& value, double most, const char* expected) const {
    if (!value.known()) return;
    if (!(value.value >= 0 && value.value <= most)) refuse(place, value.value, expected);
  }

  std::int64_t groups() const {
    if (parts_.nodes.empty()) complain("nodes", "missing; expected at least one kind of node");
    std::int64_t nodes = 0;
    for (std::size_t i = 0; i < parts_.nodes.size(); ++i) {
      const NodeGroup& group = parts_.nodes[i];
      const auto place = fmt::format("nodes[{}]", i);
      if (group.count < 1 || group.count > Cluster::max_nodes) refuse(place + ".count", group.count, "1 to 1,048,576");
      nodes += group.count;
      if (nodes > Cluster::max_nodes) complain(place + ".count", "more than 1,048,576 nodes altogether");
      if (!group.hosts.empty()) hosts(place, group);
      if (group.topology.hosts().size() > 1) {
        complain(place + ".machine", fmt::format("describes {} hosts; expected one, as often as count says",
                                                 group.topology.hosts().size()));
      }
      const auto nics = group.topology.all(DeviceKind::nic).size();
      if (nics > 0 && parts_.fabric.rails > static_cast<int>(nics)) {
        complain("fabric.rails", fmt::format("{}, but {} has {} network adapters", parts_.fabric.rails,
                                             group.machine.empty() ? place : group.machine, nics));
      }
    }
    return nodes;
  }

  void hosts(const std::string& place, const NodeGroup& group) const {
    const auto count = count_hosts(group.hosts);
    if (!count) {
      complain(place + ".hosts",
               fmt::format("\"{}\" is no list of hosts; expected node[001-128,200]", shown(group.hosts, 60)));
    }
    if (*count != group.count) complain(place + ".hosts", fmt::format("{} names for {} nodes", *count, group.count));
  }

  void tier(std::size_t i, std::int64_t nodes) const {
    const FabricTier& tier = parts_.fabric.tiers[i];
    const auto place = fmt::format("fabric.tiers[{}]", i);
    if (!(tier.oversubscription >= 0.01 && tier.oversubscription <= max_oversubscription)) {
      refuse(place + ".oversubscription", tier.oversubscription, "0.01 to 1,000");
    }
    quantity(place + ".latency_us", tier.latency, max_latency, "microseconds, at most 1,000,000");
    if (tier.nodes < 1 || tier.nodes > Cluster::max_nodes) refuse(place + ".nodes", tier.nodes, "1 to 1,048,576");
    if (!tier.ends.empty() && (tier.ends.front() < 1 || tier.ends.back() != nodes ||
                               !std::is_sorted(tier.ends.begin(), tier.ends.end(), std::less_equal<>()))) {
      complain(place + ".ends", fmt::format("expected ascending numbers up to {}, the number of nodes", nodes));
    }
    if (i > 0) made_of_whole_groups(place, parts_.fabric.tiers[i - 1], tier, nodes);
  }

  void made_of_whole_groups(const std::string& place, const FabricTier& below, const FabricTier& tier,
                            std::int64_t nodes) const {
    if (below.ends.empty() && tier.ends.empty()) {
      if (tier.nodes < below.nodes || (tier.nodes % below.nodes != 0 && tier.nodes < nodes)) {
        complain(place + ".nodes", fmt::format("{}; expected a multiple of {}, the nodes of a group of the tier below",
                                               tier.nodes, below.nodes));
      }
      return;
    }
    const auto splits = [&](std::int64_t end) {
      if (below.ends.empty()) return end % below.nodes != 0 && end != nodes;
      return !std::binary_search(below.ends.begin(), below.ends.end(), end);
    };
    std::vector<std::int64_t> ends = tier.ends;
    if (ends.empty()) {
      for (auto end = std::min(tier.nodes, nodes); end < nodes; end += tier.nodes) ends.push_back(end);
    }
    for (const auto end : ends) {
      if (splits(end)) complain(place + ".ends", fmt::format("a group that ends at node {} cuts one below it", end));
    }
  }

  const ClusterParts& parts_;
};

}  // namespace

std::string_view name(RailWiring wiring) noexcept {
  const auto at = static_cast<std::size_t>(wiring);
  return at < wirings.size() ? wirings[at] : "?";
}

std::optional<RailWiring> rail_wiring_named(std::string_view name) noexcept {
  const auto at = std::find(wirings.begin(), wirings.end(), name);
  if (at == wirings.end()) return {};
  return static_cast<RailWiring>(at - wirings.begin());
}

Cluster::Cluster(ClusterParts parts) : parts_(std::move(parts)) {
  nodes_ = Checking(parts_).run();
  std::int64_t node = 0;
  for (const NodeGroup& group : parts_.nodes) {
    first_node_.push_back(node);
    first_gpu_.push_back(gpus_);
    node += group.count;
    gpus_ += group.count * static_cast<std::int64_t>(group.topology.all(DeviceKind::gpu).size());
  }
}

std::size_t Cluster::position(std::int64_t node) const {
  if (node < 0 || node >= nodes_) throw std::out_of_range(fmt::format("node {} of {}", node, nodes_));
  const auto after = std::upper_bound(first_node_.begin(), first_node_.end(), node);
  return static_cast<std::size_t>(after - first_node_.begin()) - 1;
}

const NodeGroup& Cluster::group_of(std::int64_t node) const { return parts_.nodes[position(node)]; }

std::int64_t Cluster::gpus_of(std::int64_t node) const {
  const auto at = position(node);
  const auto end = at + 1 < first_gpu_.size() ? first_gpu_[at + 1] : gpus_;
  return (end - first_gpu_[at]) / parts_.nodes[at].count;
}

std::int64_t Cluster::first_gpu_of(std::int64_t node) const {
  const auto at = position(node);
  return first_gpu_[at] + (node - first_node_[at]) * gpus_of(node);
}

std::int64_t Cluster::node_of_gpu(std::int64_t gpu) const {
  if (gpu < 0 || gpu >= gpus_) throw std::out_of_range(fmt::format("GPU {} of {}", gpu, gpus_));
  const auto after = std::upper_bound(first_gpu_.begin(), first_gpu_.end(), gpu);
  const auto at = static_cast<std::size_t>(after - first_gpu_.begin()) - 1;
  return first_node_[at] + (gpu - first_gpu_[at]) / gpus_of(first_node_[at]);
}

std::int64_t Cluster::group_in_tier(std::int64_t node, int tier) const {
  position(node);
  const FabricTier& level = parts_.fabric.tiers.at(static_cast<std::size_t>(tier));
  if (level.ends.empty()) return node / level.nodes;
  return std::upper_bound(level.ends.begin(), level.ends.end(), node) - level.ends.begin();
}

std::optional<int> Cluster::meeting_tier(std::int64_t a, std::int64_t b) const {
  for (int tier = 0; tier < static_cast<int>(parts_.fabric.tiers.size()); ++tier) {
    if (group_in_tier(a, tier) == group_in_tier(b, tier)) return tier;
  }
  if (position(a) == position(b) && a == b) return 0;
  return {};
}

std::optional<int> Cluster::meeting_tier(std::int64_t a, int rail_a, std::int64_t b, int rail_b) const {
  const auto tier = meeting_tier(a, b);
  if (!tier || rail_a == rail_b || parts_.fabric.wiring == RailWiring::shared) return tier;
  if (parts_.fabric.wiring == RailWiring::separate || parts_.fabric.tiers.size() < 2) return {};
  return std::max(*tier, 1);
}

Quantity Cluster::latency_through(int tier) const {
  Quantity sum = parts_.fabric.latency;
  for (int i = 0; i <= tier && sum.known(); ++i) {
    const Quantity& each = parts_.fabric.tiers.at(static_cast<std::size_t>(i)).latency;
    if (!each.known()) return {};
    sum = {sum.value + each.value * (i < tier ? 2 : 1), std::min(sum.origin, each.origin)};
  }
  return sum;
}

Quantity Cluster::bandwidth_through(int tier) const {
  Quantity rate = parts_.fabric.bandwidth;
  for (int i = 0; i < tier && rate.known(); ++i) {
    rate.value /= std::max(1.0, parts_.fabric.tiers.at(static_cast<std::size_t>(i)).oversubscription);
  }
  return rate;
}

}  // namespace tutti
