#include "plan/channels/trees.hpp"

#include <algorithm>

#include "plan/channels/loads.hpp"
#include "tutti/plan/tree.hpp"

namespace tutti::plan {

namespace {

/// All trees widen or narrow together until the fullest wire is full.
void fit(const Topology& topology, Hops& hops, const std::vector<double>& capacity, std::vector<Tree>& trees) {
  const auto loads = loads_of(topology, hops, trees);
  double most = 0;
  for (std::size_t wire = 0; wire < capacity.size(); ++wire) {
    if (loads.wires[wire] > 0) most = std::max(most, loads.wires[wire] / capacity[wire]);
  }
  if (most <= 0 || loads.missing_from >= 0) {
    trees.clear();
    return;
  }
  for (Tree& tree : trees) tree.bandwidth /= most;
}

void classify(Hops& hops, const Topology& topology, Tree& tree) {
  tree.within = PathClass::self;
  tree.to_nic = tree.segments.size() > 1 ? PathClass::self : PathClass::none;
  for_each_hop(tree, [&](int from, int to) {
    const bool a = topology.device(from).kind == DeviceKind::nic;
    const bool b = topology.device(to).kind == DeviceKind::nic;
    if (a && b) return;
    PathClass& farthest = a || b ? tree.to_nic : tree.within;
    farthest = std::max(farthest, hops(from, to).path);
  });
}

Tree chain(const Ring& ring, Hops& hops) {
  const auto size = ring.gpus.size();
  std::size_t cut = size - 1;  // the hop that is left out
  PathClass farthest = PathClass::self;
  for (std::size_t i = size; i-- > 0;) {
    const auto path = hops(ring.gpus[i], ring.gpus[(i + 1) % size]).path;
    if (path > farthest) {
      farthest = path;
      cut = i;
    }
  }
  Tree tree{.segments = {{.first = 0, .count = static_cast<int>(size)}}, .bandwidth = ring.bandwidth};
  const int root = static_cast<int>(size) / 2;
  for (std::size_t i = 0; i < size; ++i) {
    const int at = static_cast<int>(i);
    tree.gpus.push_back(ring.gpus[(cut + 1 + i) % size]);
    tree.parents.push_back(at == root ? -1 : at < root ? at + 1 : at - 1);
  }
  return tree;
}

Tree binary(const Ring& ring, int which) {
  const int size = static_cast<int>(ring.gpus.size());
  const tree::Tree shape{0, size, size, which};
  Tree tree{.gpus = ring.gpus, .segments = {{.first = 0, .count = size}}, .bandwidth = ring.bandwidth};
  for (int i = 0; i < size; ++i) {
    const int position = tree::parent(shape.position_of(i), size);
    tree.parents.push_back(position == 0 ? -1 : shape.rank_at(position));
  }
  return tree;
}

Tree over_domains(const Ring& ring, int which) {
  const int domains = static_cast<int>(ring.segments.size());
  const tree::Tree shape{0, domains, domains, which};
  Tree tree{.bandwidth = ring.bandwidth};
  for (int d = 0; d < domains; ++d) {
    // Every second domain of the ring is turned around; here all start at the GPU beside the ring's first adapter.
    const Segment& from = ring.segments[static_cast<std::size_t>(d)];
    const bool turned = d % 2 == 1 && from.nic_in != from.nic_out;
    const int nic = turned ? from.nic_out : from.nic_in;
    tree.segments.push_back({.first = from.first, .count = from.count, .nic_in = nic, .nic_out = nic});
    const int position = tree::parent(shape.position_of(d), domains);
    const int above = position == 0 ? -1 : ring.segments[static_cast<std::size_t>(shape.rank_at(position))].first;
    for (int i = 0; i < from.count; ++i) {
      const int at = turned ? from.first + from.count - 1 - i : from.first + i;
      tree.gpus.push_back(ring.gpus[static_cast<std::size_t>(at)]);
      tree.parents.push_back(i == 0 ? above : from.first + i - 1);
    }
  }
  return tree;
}

void twins(std::vector<Tree>& trees) {
  for (std::size_t i = 0; i + 1 < trees.size(); i += 2) {
    trees[i].twin = static_cast<int>(i + 1);
    trees[i + 1].twin = static_cast<int>(i);
  }
}

}  // namespace

bool switched(const HopGraph& graph) {
  for (int i = 0; i < graph.size(); ++i) {
    for (int j = 0; j < graph.size(); ++j) {
      if (i == j) continue;
      const Hop& hop = graph.between(i, j);
      if (hop.path != PathClass::nvlink || hop.uses.size() < 2) return false;
    }
  }
  return graph.size() > 2;
}

std::vector<Tree> trees_within(const Topology& topology, Hops& hops, const std::vector<double>& capacity, bool switched,
                               const std::vector<Ring>& rings) {
  std::vector<Tree> trees;
  if (switched) {
    for (std::size_t i = 0; i + 1 < std::max(rings.size(), std::size_t{2}); i += 2) {
      trees.push_back(binary(rings[i], 0));
      trees.push_back(binary(rings[i], 1));
    }
    twins(trees);
  } else {
    for (const Ring& ring : rings) trees.push_back(chain(ring, hops));
  }
  fit(topology, hops, capacity, trees);
  for (Tree& tree : trees) classify(hops, topology, tree);
  return trees;
}

std::vector<Tree> trees_between(const Topology& topology, Hops& hops, const std::vector<double>& capacity,
                                const std::vector<Ring>& rings) {
  std::vector<Tree> trees;
  for (const Ring& ring : rings) {
    trees.push_back(over_domains(ring, 0));
    trees.push_back(over_domains(ring, 1));
  }
  twins(trees);
  fit(topology, hops, capacity, trees);
  for (Tree& tree : trees) classify(hops, topology, tree);
  return trees;
}

}  // namespace tutti::plan
