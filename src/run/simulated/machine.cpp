#include "run/simulated/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "choose/price_parts.hpp"

namespace tutti::simulated {

namespace {
/// Whose rates an arrangement goes by.
choose::Pattern pattern_of_rates(Arrangement arrangement, std::int64_t nodes) {
  switch (arrangement) {
    case Arrangement::multicast:
      return nodes == 1 ? choose::Pattern::multicast : choose::Pattern::multicast_tree;
    case Arrangement::switch_reduction:
      return nodes == 1 ? choose::Pattern::ring : choose::Pattern::switch_reduction;
    default:
      return choose::Pattern::ring;
  }
}
}  // namespace

Machine::Machine(const Scenario& scenario, const Cluster& cluster, const choose::Platform& platform,
                 const Symmetry& symmetry, Flows& flows)
    : cluster_(cluster),
      symmetry_(symmetry),
      flows_(flows),
      nodes_(platform.nodes),
      gpus_(platform.gpus),
      rails_(platform.rails),
      inner_name_(name(platform.inner)) {
  // Rates and latencies are those of prices, for one rail, with nothing shared: sharing is what is simulated.
  choose::Platform alone = platform;
  alone.oversubscription = 1;
  alone.switch_us = 0;
  const choose::Coefficients& known = choose::shipped_coefficients();
  const choose::Pattern pattern = pattern_of_rates(scenario.arrangement, nodes_);
  const choose::Parts parts = choose::parts(Collective::all_reduce, pattern, scenario.protocol, alone, known);
  gpu_rate_ = rate_of(parts.inside_gbs);
  hop_inside_ = picoseconds(parts.hop_inside_us);
  // Of a multicast's whole way, four hops: a block up, the sum down, up once more, and down to all.
  hop_switch_inside_ = picoseconds(known.of(platform.gpu).multicast_us / 4);
  if (nodes_ == 1) return;
  rail_rate_ = rate_of(parts.between_gbs / rails_);
  hop_between_ = picoseconds(scenario.arrangement == Arrangement::multicast ? known.of(platform.transport).multicast_us
                                                                            : parts.hop_between_us);
  hop_switch_between_ = picoseconds((known.switch_reduction_us + platform.switch_us) / 2);
  rail_shares_.assign(static_cast<std::size_t>(rails_), 1);
  for (const SlowRail& slow : scenario.slow_rails) rail_shares_[static_cast<std::size_t>(slow.rail)] = slow.share;

  const Fabric& fabric = cluster.fabric();
  rail_optimised_ = fabric.wiring != RailWiring::shared;
  double narrower = 1;
  for (std::size_t t = 0; t < fabric.tiers.size(); ++t) {
    const FabricTier& tier = fabric.tiers[t];
    const bool lowest = t == 0;
    narrower *= lowest && scenario.oversubscription > 0 ? scenario.oversubscription : tier.oversubscription;
    const Quantity latency = cluster.latency_through(static_cast<int>(t));
    tiers_.push_back({tier.name, tier.nodes,
                      picoseconds(latency.known() ? std::max(0.0, latency.value - choose::counted_us) : 0),
                      narrower / (1 - scenario.background), static_cast<int>(t)});
  }
  averaged_ = symmetry_.kind == Symmetry::Kind::rotation && !tiers_.empty() && tiers_.front().nodes < nodes_;
}

Rate Machine::adapter_rate(int rail) const {
  return static_cast<Rate>(static_cast<double>(rail_rate_) * rail_shares_[static_cast<std::size_t>(rail)]);
}

int Machine::link(Kind kind, std::int64_t node, int index, int tier) {
  // Where all machines are alike, one link stands for those of all; where channels are, for those of all GPUs too.
  const bool upward = kind == Kind::up || kind == Kind::down;
  if (symmetry_.any()) node = 0;
  if (symmetry_.channels) index = 0;
  const std::uint64_t key = (static_cast<std::uint64_t>(node) << 24) | (static_cast<std::uint64_t>(index) << 8) |
                            (static_cast<std::uint64_t>(tier) << 4) | static_cast<std::uint64_t>(kind);
  const auto [found, fresh] = ids_.try_emplace(key, 0);
  if (!fresh) return found->second;
  Rate rate = gpu_rate_;
  std::int64_t places = nodes_;
  int beside = gpus_;
  if (kind == Kind::adapter_out || kind == Kind::adapter_in) {
    rate = adapter_rate(index);
    beside = rails_;
  } else if (upward) {
    const Tier& at = tiers_[static_cast<std::size_t>(tier)];
    const double many = static_cast<double>(std::min(at.nodes, nodes_)) * (rail_optimised_ ? 1 : rails_);
    rate = static_cast<Rate>(static_cast<double>(rail_rate_) * many / at.narrower);
    places = (nodes_ + at.nodes - 1) / at.nodes;
    beside = rail_optimised_ ? rails_ : 1;
  }
  const std::int64_t members = (symmetry_.any() ? places : 1) * (symmetry_.channels ? beside : 1);
  infos_.push_back({kind, tier, members, rate});
  return found->second = flows_.add_link(rate);
}

std::vector<int> Machine::adapter_links(std::int64_t node, int rail) {
  return {link(Kind::adapter_out, node, rail), link(Kind::adapter_in, node, rail)};
}
std::vector<int> Machine::gpu_links(const Gpu& gpu) {
  return {link(Kind::gpu_out, gpu.node, gpu.local), link(Kind::gpu_in, gpu.node, gpu.local)};
}

/// What of the flows that are alike leaves its group in a tier: all, none, or, around a circle that the groups cut,
/// those near a cut.
double Machine::leaving(const Gpu& from, const Gpu& to, std::int64_t distance, const Tier& tier) const {
  switch (symmetry_.kind) {
    case Symmetry::Kind::none:
      return cluster_.group_in_tier(from.node, tier.level) == cluster_.group_in_tier(to.node, tier.level) ? 0 : 1;
    case Symmetry::Kind::exclusive_or:
      return (from.node ^ to.node) < tier.nodes ? 0 : 1;
    case Symmetry::Kind::rotation:
      break;
  }
  if (tier.nodes >= nodes_) return 0;
  return static_cast<double>(std::min(distance, tier.nodes)) / static_cast<double>(tier.nodes);
}

/// Up out of every group that the two do not share, and down again; the tier that they share adds its latency. Links
/// that cannot be narrow are left out.
void Machine::through_tiers(const Gpu& from, const Gpu& to, int rail_from, int rail_to, Way& way) {
  const std::int64_t ahead = to.node > from.node ? to.node - from.node : to.node - from.node + nodes_;
  const std::int64_t distance = std::min(ahead, nodes_ - ahead);
  // Of the flows that one stands for, those of one rail where rails have uplinks of their own.
  const std::int64_t turn = symmetry_.channels ? gpus_ / (rail_optimised_ ? rails_ : 1) : 1;
  double latency = 0;
  double below = 1;
  for (const Tier& tier : tiers_) {
    const bool top = static_cast<std::size_t>(tier.level) + 1 == tiers_.size();
    double leaves = top ? 0 : leaving(from, to, distance, tier);
    if (tier.level == 0 && !top && rail_optimised_ && rail_from != rail_to) leaves = 1;
    latency += static_cast<double>(tier.latency) * (below - leaves);
    below = leaves;
    if (leaves == 0) break;
    if (tier.narrower <= 1 || way.hops.size() + 2 > most_hops) continue;
    const std::int64_t of_group = symmetry_.kind == Symmetry::Kind::exclusive_or ? tier.nodes
                                  : symmetry_.kind == Symmetry::Kind::rotation   ? std::min(distance, tier.nodes)
                                                                                 : 1;
    const std::int64_t weight = std::max<std::int64_t>(1, of_group * turn);
    const bool one_by_one = !symmetry_.any();
    const std::int64_t group_from = one_by_one ? cluster_.group_in_tier(from.node, tier.level) : 0;
    const std::int64_t group_to = one_by_one ? cluster_.group_in_tier(to.node, tier.level) : 0;
    way.hops.push_back({link(Kind::up, group_from, rail_optimised_ ? rail_from : 0, tier.level), weight});
    way.hops.push_back({link(Kind::down, group_to, rail_optimised_ ? rail_to : 0, tier.level), weight});
  }
  way.latency += static_cast<Time>(std::llround(latency));
}

Way Machine::way(const Gpu& from, const Gpu& to) {
  Way way;
  const bool up = is_switch(to);
  if (up || is_switch(from)) {
    const Gpu& gpu = up ? from : to;
    if ((up ? to : from).local == gpus_) {
      way.latency = hop_switch_inside_;
      way.hops = {{link(up ? Kind::gpu_out : Kind::gpu_in, gpu.node, gpu.local), 1}};
    } else {  // the sum is made at the first switch, so that narrow links above it carry no more than one vector
      way.latency = hop_switch_between_;
      way.hops = {{link(up ? Kind::adapter_out : Kind::adapter_in, gpu.node, rail_of(gpu.local)), 1}};
    }
    return way;
  }
  if (from.node == to.node) {
    way.latency = hop_inside_;
    way.hops = {{link(Kind::gpu_out, from.node, from.local), 1}, {link(Kind::gpu_in, to.node, to.local), 1}};
    return way;
  }
  const int out = rail_of(from.local);
  const int in = rail_of(to.local);
  // With channels alike, as many flows pass an adapter as GPUs use it.
  const std::int64_t many = symmetry_.channels ? gpus_ / rails_ : 1;
  way.latency = hop_between_;
  way.hops = {{link(Kind::adapter_out, from.node, out), many}, {link(Kind::adapter_in, to.node, in), many}};
  through_tiers(from, to, out, in, way);
  return way;
}

std::string Machine::name_of(const Info& info) const {
  switch (info.kind) {
    case Kind::gpu_out:
      return inner_name_ + " out";
    case Kind::gpu_in:
      return inner_name_ + " in";
    case Kind::adapter_out:
      return "adapter out";
    case Kind::adapter_in:
      return "adapter in";
    case Kind::up:
      return tiers_[static_cast<std::size_t>(info.tier)].name + " up";
    case Kind::down:
      return tiers_[static_cast<std::size_t>(info.tier)].name + " down";
  }
  return {};
}

std::vector<LinkLoad> Machine::loads(Time end) const {
  std::map<std::pair<Kind, int>, LinkLoad> by_kind;
  for (std::size_t id = 0; id < infos_.size(); ++id) {
    const Info& info = infos_[id];
    LinkLoad& load = by_kind[{info.kind, info.tier}];
    load.name = name_of(info);
    load.links += info.members;
    load.gbs = std::max(load.gbs, static_cast<double>(info.rate) / 1e9);
    const double possible = static_cast<double>(info.rate) * static_cast<double>(end) / 1e12;
    const double used = possible > 0 ? flows_.carried(static_cast<int>(id)) / possible : 0;
    load.busiest = std::max(load.busiest, used);
    load.mean += used * static_cast<double>(info.members);
  }
  std::vector<LinkLoad> all;
  for (auto& [kind, load] : by_kind) {
    load.mean /= static_cast<double>(load.links);
    all.push_back(std::move(load));
  }
  std::stable_sort(all.begin(), all.end(), [](const LinkLoad& a, const LinkLoad& b) { return a.busiest > b.busiest; });
  return all;
}

}  // namespace tutti::simulated
