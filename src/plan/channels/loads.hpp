/// @file  Loads: what channels put on each wire, added up hop by hop.
#pragma once

#include <vector>

#include "plan/channels/hops.hpp"
#include "tutti/plan/channels.hpp"

namespace tutti::plan {

/// Calls `visit(from, to)` with the device ids of every hop of a ring, adapters included.
template <class Visit>
void for_each_hop(const Ring& ring, Visit visit) {
  for (std::size_t s = 0; s < ring.segments.size(); ++s) {
    const Segment& segment = ring.segments[s];
    const auto at = [&](int position) { return ring.gpus[static_cast<std::size_t>(position)]; };
    for (int i = segment.first; i + 1 < segment.first + segment.count; ++i) visit(at(i), at(i + 1));
    const Segment& next = ring.segments[(s + 1) % ring.segments.size()];
    const int end = at(segment.first + segment.count - 1);
    if (segment.nic_out < 0) {
      visit(end, at(next.first));
      continue;
    }
    visit(end, segment.nic_out);
    visit(segment.nic_out, next.nic_in);
    visit(next.nic_in, at(next.first));
  }
}

/// The same for a tree's edges, upwards; data goes down the same way back.
template <class Visit>
void for_each_hop(const Tree& tree, Visit visit) {
  std::vector<int> segment_of(tree.gpus.size());
  for (std::size_t s = 0; s < tree.segments.size(); ++s) {
    for (int i = 0; i < tree.segments[s].count; ++i) {
      segment_of[static_cast<std::size_t>(tree.segments[s].first) + static_cast<std::size_t>(i)] = static_cast<int>(s);
    }
  }
  for (std::size_t child = 0; child < tree.gpus.size(); ++child) {
    const int parent = tree.parents[child];
    if (parent < 0) continue;
    const int below = segment_of[child];
    const int above = segment_of[static_cast<std::size_t>(parent)];
    if (below == above) {
      visit(tree.gpus[child], tree.gpus[static_cast<std::size_t>(parent)]);
      continue;
    }
    const int out = tree.segments[static_cast<std::size_t>(below)].nic_in;
    const int in = tree.segments[static_cast<std::size_t>(above)].nic_in;
    visit(tree.gpus[child], out);
    visit(out, in);
    visit(in, tree.gpus[static_cast<std::size_t>(parent)]);
  }
}

/// GB/s on each wire when all rings, or all trees, run at their bandwidth. False when a hop has no way; then `missing`
/// says which.
struct Loads {
  std::vector<double> wires{};
  int missing_from = -1;
  int missing_to = -1;
};
Loads loads_of(const Topology& topology, Hops& hops, const std::vector<Ring>& rings);
Loads loads_of(const Topology& topology, Hops& hops, const std::vector<Tree>& trees);

}  // namespace tutti::plan
