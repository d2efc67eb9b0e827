/// @file  Rings over the GPUs of one domain: by NVLinks one at a time where these reach everybody, else the widest over
/// all links.
#include <algorithm>
#include <limits>
#include <numeric>

#include "plan/channels/domain.hpp"

namespace tutti::plan {

namespace {

bool accelerator(const Link& link) { return link.kind == LinkKind::nvlink || link.kind == LinkKind::xgmi; }

struct Accelerators {
  double unit = 0;   ///< GB/s of one physical link, the least of all
  double bound = 0;  ///< GB/s that the GPU with the fewest links can send
};

Accelerators accelerators_of(const Topology& topology, const Domain& domain) {
  Accelerators found{.unit = std::numeric_limits<double>::max(), .bound = std::numeric_limits<double>::max()};
  for (const int gpu : domain.gpus) {
    double out = 0;
    for (const int index : topology.links_of(gpu)) {
      const Link& link = topology.links()[static_cast<std::size_t>(index)];
      if (!accelerator(link) || (link.one_way && link.from != gpu) || link.bandwidth.value <= 0) continue;
      out += link.bandwidth.value;
      found.unit = std::min(found.unit, link.bandwidth.value / std::max(link.count, 1));
    }
    found.bound = std::min(found.bound, out);
  }
  return found;
}

double total(const Orders& orders) { return std::accumulate(orders.widths.begin(), orders.widths.end(), 0.0); }

/// Takes the widest ring, its reverse where that fits, and so on, each at most `unit` wide.
Orders greedy(Search& search, double unit, unsigned seed, int most_rings) {
  constexpr double worth_it = 0.1;  // of the first
  Orders found;
  const auto add = [&](const std::vector<int>& order, double width) {
    found.orders.push_back(order);
    found.widths.push_back(width);
  };
  while (static_cast<int>(found.orders.size()) < most_rings && !search.tired()) {
    double width = unit;
    const auto order = search.widest_ring(width, seed);
    if (order.empty() || (!found.widths.empty() && width < worth_it * found.widths.front())) break;
    add(order, width);
    std::vector<int> back{order.front()};
    back.insert(back.end(), order.rbegin(), order.rend() - 1);
    const bool room = static_cast<int>(found.orders.size()) < most_rings;
    if (room && order.size() > 2 && search.take_ring(back, width)) add(back, width);
  }
  return found;
}

}  // namespace

Orders rings_within(const Topology& topology, const Domain& domain, const HopGraph& graph,
                    const ChannelLimits& limits) {
  constexpr unsigned most_seeds = 100;
  const auto [unit, bound] = accelerators_of(topology, domain);
  Orders best;
  long work = 0;
  if (bound > 0) {
    const HopGraph linked = only_up_to(graph, PathClass::xgmi);
    const auto enough = [&, most = bound] {
      return total(best) >= most * (1 - 1e-6) || static_cast<int>(best.orders.size()) >= limits.most_rings;
    };
    // Whole links first. Where these leave some over, as a mesh of odd degree does, halves of links may go around.
    for (const double width : {unit, unit / 2}) {
      Search search(linked, limits.most_work / 2);
      for (unsigned seed = 0; seed < most_seeds && !search.tired() && !enough(); ++seed) {
        search.restart();
        Orders found = greedy(search, width, seed, limits.most_rings);
        if (found.orders.empty()) break;
        if (total(found) > total(best) * (1 + 1e-9)) best = std::move(found);
      }
      work += search.work();
      if (best.orders.empty() || enough()) break;
    }
  }
  if (best.orders.empty()) {
    Search search(graph, limits.most_work);
    best = greedy(search, std::numeric_limits<double>::max(), 0, limits.most_rings);
    work += search.work();
  }
  best.work = work;
  return best;
}

}  // namespace tutti::plan
