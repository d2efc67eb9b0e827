#include "plan/channels/loads.hpp"

namespace tutti::plan {

namespace {

class Adding {
 public:
  Adding(const Topology& topology, Hops& hops) : hops_(hops) {
    loads_.wires.resize(2 * (topology.links().size() + topology.devices().size()));
  }

  void add(int from, int to, double bandwidth) {
    const Hop& hop = hops_(from, to);
    if (hop.uses.empty() && hop.path == PathClass::none) {
      loads_.missing_from = from;
      loads_.missing_to = to;
    }
    for (const Use& use : hop.uses) loads_.wires[static_cast<std::size_t>(use.wire)] += bandwidth * use.share;
  }

  Loads loads() { return std::move(loads_); }

 private:
  Hops& hops_;
  Loads loads_;
};

}  // namespace

Loads loads_of(const Topology& topology, Hops& hops, const std::vector<Ring>& rings) {
  Adding adding(topology, hops);
  for (const Ring& ring : rings) {
    for_each_hop(ring, [&](int from, int to) { adding.add(from, to, ring.bandwidth); });
  }
  return adding.loads();
}

Loads loads_of(const Topology& topology, Hops& hops, const std::vector<Tree>& trees) {
  Adding adding(topology, hops);
  for (const Tree& tree : trees) {
    for_each_hop(tree, [&](int from, int to) {
      adding.add(from, to, tree.bandwidth);
      adding.add(to, from, tree.bandwidth);
    });
  }
  return adding.loads();
}

}  // namespace tutti::plan
