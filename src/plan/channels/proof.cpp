/// @file  The proof of channels: orders, trees, loads, rails, each counted anew from the channels and the topology alone.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "plan/channels/loads.hpp"
#include "tutti/plan/channels.hpp"

namespace tutti::plan {

namespace {

class Proving {
 public:
  Proving(const Topology& topology, const Channels& channels)
      : topology_(topology), channels_(channels), hops_(topology) {
    for (const int gpu : topology.all(DeviceKind::gpu)) gpus_.insert(gpu);
    for (std::size_t host = 0; host < topology.hosts().size(); ++host) {
      int rail = 0;
      for (const int id : topology.devices_of(static_cast<int>(host))) {
        if (topology.device(id).kind == DeviceKind::nic) rails_.emplace(id, rail++);
      }
    }
  }

  ChannelProof prove() {
    if (channels_.rings.empty() && channels_.trees.empty()) {
      fail("there are no channels");
      return std::move(proof_);
    }
    prove_orders();
    capacity_ = capacities(topology_);
    prove_loads("rings", loads_of(topology_, hops_, channels_.rings));
    prove_nvlinks();
    if (!channels_.trees.empty()) {
      prove_trees();
      prove_twins();
      prove_loads("trees", loads_of(topology_, hops_, channels_.trees));
    }
    if (channels_.domains > 1) prove_rails();
    return std::move(proof_);
  }

 private:
  void fail(std::string what) { proof_.failures.push_back(std::move(what)); }

  template <class Channel>
  bool visits_each_once(const Channel& channel) const {
    const std::set<int> visited(channel.gpus.begin(), channel.gpus.end());
    return channel.gpus.size() == gpus_.size() && visited == gpus_;
  }

  void prove_orders() {
    bool all = true;
    for (std::size_t i = 0; i < channels_.rings.size(); ++i) {
      if (visits_each_once(channels_.rings[i]) && channels_.rings[i].bandwidth > 0) continue;
      fail(fmt::format("ring {} does not visit each of the {} GPUs once", i, gpus_.size()));
      all = false;
    }
    if (all)
      proof_.holds.push_back(
          fmt::format("each of {} rings visits each of {} GPUs once", channels_.rings.size(), gpus_.size()));
  }

  std::string wire_name(std::size_t wire) const {
    const std::size_t links = 2 * topology_.links().size();
    if (wire >= links) {
      const Device& device = topology_.device(static_cast<int>((wire - links) / 2));
      return fmt::format("{} {}", wire % 2 == 0 ? "out of" : "into", device.name);
    }
    const Link& link = topology_.links()[wire / 2];
    const auto& from = topology_.device(wire % 2 == 0 ? link.from : link.to).name;
    const auto& to = topology_.device(wire % 2 == 0 ? link.to : link.from).name;
    return fmt::format("{} from {} to {}", name(link.kind), from, to);
  }

  void prove_loads(const char* what, const Loads& loads) {
    if (loads.missing_from >= 0) {
      fail(fmt::format("{}: no way leads from {} to {}", what, topology_.device(loads.missing_from).name,
                       topology_.device(loads.missing_to).name));
      return;
    }
    const auto& capacity = capacity_;
    std::size_t used = 0;
    std::size_t fullest = 0;
    double most = 0;
    bool all = true;
    for (std::size_t wire = 0; wire < capacity.size(); ++wire) {
      if (loads.wires[wire] <= 0) continue;
      ++used;
      const double share = loads.wires[wire] / capacity[wire];
      if (share > most) {
        most = share;
        fullest = wire;
      }
      if (share > 1 + 1e-6) {
        fail(fmt::format("{}: {} carries {:.1f} of {:.1f} GB/s", what, wire_name(wire), loads.wires[wire],
                         capacity[wire]));
        all = false;
      }
    }
    if (all) {
      proof_.holds.push_back(
          fmt::format("{}: none of {} directions of links in use carries more than it can; fullest is {}, {:.1f} "
                      "of {:.1f} GB/s",
                      what, used, wire_name(fullest), loads.wires[fullest], capacity[fullest]));
    }
  }

  /// How many of the NVLinks the rings fill, each way counted.
  void prove_nvlinks() {
    const auto loads = loads_of(topology_, hops_, channels_.rings);
    double all = 0;
    double busy = 0;
    for (std::size_t i = 0; i < topology_.links().size(); ++i) {
      const Link& link = topology_.links()[i];
      const bool at_gpu = gpus_.contains(link.from) || gpus_.contains(link.to);
      if ((link.kind != LinkKind::nvlink && link.kind != LinkKind::xgmi) || !at_gpu || link.bandwidth.value <= 0)
        continue;
      const int ways = link.one_way ? 1 : 2;
      all += ways * link.count;
      for (int way = 0; way < ways; ++way) {
        busy += link.count * std::min(1.0, loads.wires[2 * i + static_cast<std::size_t>(way)] / link.bandwidth.value);
      }
    }
    if (all <= 0) return;
    proof_.holds.push_back(fmt::format("rings fill {:.0f} of {:.0f} NVLink directions of the GPUs{}", busy, all,
                                       busy >= all - 0.5 ? ": every NVLink once each way" : ""));
  }

  void prove_trees() {
    bool all = true;
    int deepest = 0;
    for (std::size_t t = 0; t < channels_.trees.size(); ++t) {
      const Tree& tree = channels_.trees[t];
      if (!visits_each_once(tree) || tree.parents.size() != tree.gpus.size() || !(tree.bandwidth > 0)) {
        fail(fmt::format("tree {} does not hold each of the {} GPUs once", t, gpus_.size()));
        all = false;
        continue;
      }
      if (const int depth = depth_of(tree); depth < 0) {
        fail(fmt::format("tree {} is no tree: it has several roots, or a circle", t));
        all = false;
      } else {
        deepest = std::max(deepest, depth);
      }
    }
    if (all) {
      proof_.holds.push_back(fmt::format("each of {} trees joins all {} GPUs below one root, at most {} edges deep",
                                         channels_.trees.size(), gpus_.size(), deepest));
    }
  }

  /// -1 when there is not one root that all lead up to.
  static int depth_of(const Tree& tree) {
    const int size = static_cast<int>(tree.gpus.size());
    if (std::count(tree.parents.begin(), tree.parents.end(), -1) != 1) return -1;
    std::vector<int> depth(tree.gpus.size(), -1);
    int deepest = 0;
    for (int start = 0; start < size; ++start) {
      std::vector<int> way;
      int at = start;
      while (at >= 0 && at < size && depth[static_cast<std::size_t>(at)] < 0) {
        way.push_back(at);
        if (static_cast<int>(way.size()) > size) return -1;
        at = tree.parents[static_cast<std::size_t>(at)];
      }
      if (at >= size || at < -1) return -1;
      int d = at < 0 ? -1 : depth[static_cast<std::size_t>(at)];
      for (auto node = way.rbegin(); node != way.rend(); ++node) depth[static_cast<std::size_t>(*node)] = ++d;
      deepest = std::max(deepest, d);
    }
    return deepest;
  }

  /// The members that are inside: those with two children, or in trees over domains those with a child elsewhere.
  std::set<int> inside(const Tree& tree) const {
    std::set<int> nodes;
    const auto domains = domains_of(tree);
    for (std::size_t child = 0; child < tree.gpus.size(); ++child) {
      const int parent = tree.parents[child];
      if (parent < 0) continue;
      const int above = tree.gpus[static_cast<std::size_t>(parent)];
      const bool same_domain = domains[child] == domains[static_cast<std::size_t>(parent)];
      if (channels_.domains == 1 || !same_domain) nodes.insert(above);
    }
    return nodes;
  }

  /// The segment that each position of a tree lies in.
  static std::vector<std::size_t> domains_of(const Tree& tree) {
    std::vector<std::size_t> domains(tree.gpus.size());
    for (std::size_t position = 0, s = 0; position < domains.size(); ++position) {
      while (s + 1 < tree.segments.size() && static_cast<std::size_t>(tree.segments[s + 1].first) <= position) ++s;
      domains[position] = s;
    }
    return domains;
  }

  void prove_twins() {
    int pairs = 0;
    bool all = true;
    std::size_t most_in_both = 0;
    for (std::size_t t = 0; t < channels_.trees.size(); ++t) {
      const int twin = channels_.trees[t].twin;
      if (twin < 0 || static_cast<std::size_t>(twin) < t) continue;
      ++pairs;
      const auto a = inside(channels_.trees[t]);
      const auto b = inside(channels_.trees[static_cast<std::size_t>(twin)]);
      std::vector<int> both;
      std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
      most_in_both = std::max(most_in_both, both.size());
      const std::size_t members = channels_.domains == 1 ? gpus_.size() : static_cast<std::size_t>(channels_.domains);
      // Of an odd number one is left over: it may be inside both.
      if (both.size() > members % 2) {
        fail(fmt::format("trees {} and {} are no double tree: {} is inside both", t, twin,
                         topology_.device(both.front()).name));
        all = false;
      }
    }
    if (pairs == 0) {
      proof_.holds.push_back("trees are chains along rings, not double trees");
    } else if (all) {
      proof_.holds.push_back(fmt::format("{} double trees cover all: {} is inside both of a pair", pairs,
                                         most_in_both == 0 ? "nobody" : "one member of an odd number"));
    }
  }

  void prove_rails() {
    int hops = 0;
    int crossed = 0;
    const auto look = [&](int from, int to) {
      if (topology_.device(from).kind != DeviceKind::nic || topology_.device(to).kind != DeviceKind::nic) return;
      ++hops;
      crossed += rails_.at(from) != rails_.at(to);
    };
    for (const Ring& ring : channels_.rings) for_each_hop(ring, look);
    for (const Tree& tree : channels_.trees) for_each_hop(tree, look);
    if (crossed == 0) {
      proof_.holds.push_back(fmt::format("rails match on all {} hops between domains", hops));
    } else if (channels_.domains % 2 == 1 && crossed <= static_cast<int>(channels_.rings.size())) {
      proof_.holds.push_back(fmt::format(
          "rails match on {} of {} hops between domains; with an odd number of domains each ring crosses rails once",
          hops - crossed, hops));
    } else {
      fail(fmt::format("{} of {} hops between domains lead from one rail to another", crossed, hops));
    }
  }

  const Topology& topology_;
  const Channels& channels_;
  Hops hops_;
  std::vector<double> capacity_;
  std::set<int> gpus_;
  std::map<int, int> rails_;  ///< adapters of a host by their order
  ChannelProof proof_;
};

}  // namespace

ChannelProof prove_channels(const Topology& topology, const Channels& channels) {
  return Proving(topology, channels).prove();
}

}  // namespace tutti::plan
