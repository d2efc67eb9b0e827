/// @file  Channels of a domain that is too large to search: around it once, in the order of the PCI tree.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "plan/channels/domain.hpp"

namespace tutti::plan {

namespace {

/// Below the same switch first, then the same bridge, then the same processors: as the tree is walked.
std::vector<int> tree_order(const Topology& topology, const Domain& domain) {
  std::unordered_map<int, int> position;
  for (std::size_t i = 0; i < domain.gpus.size(); ++i) position.emplace(domain.gpus[i], static_cast<int>(i));
  std::vector<int> order;
  for (const int host : domain.hosts) {
    for (const int top : topology.devices_of(host)) {
      if (topology.parent(top) >= 0) continue;
      std::vector<int> open{top};
      while (!open.empty()) {
        const int at = open.back();
        open.pop_back();
        if (const auto gpu = position.find(at); gpu != position.end()) order.push_back(gpu->second);
        const auto below = topology.children(at);
        open.insert(open.end(), below.rbegin(), below.rend());
      }
    }
  }
  return order;
}

/// What hops put on wires for each GB/s of the ring, and what is the most that fits.
class Width {
 public:
  explicit Width(const std::vector<double>& capacity) : capacity_(capacity) {}

  /// False when there is no way.
  bool add(const Hop& hop) {
    for (const Use& use : hop.uses) loads_[use.wire] += use.share;
    return !hop.uses.empty();
  }

  double most() const {
    double width = 1e9;
    for (const auto& [wire, load] : loads_) width = std::min(width, capacity_[static_cast<std::size_t>(wire)] / load);
    return width;
  }

 private:
  const std::vector<double>& capacity_;
  std::unordered_map<Wire, double> loads_;
};

std::string no_way(const Topology& topology, int from, int to) {
  return fmt::format(
      "no way leads from {} to {}, which follow one another in the order of the tree; so many GPUs are not "
      "searched for another order",
      topology.device(from).name, topology.device(to).name);
}

}  // namespace

Orders ring_in_order(const Topology& topology, const Domain& domain, const std::vector<double>& capacity) {
  const auto order = tree_order(topology, domain);
  const auto gpu = [&](std::size_t i) { return domain.gpus[static_cast<std::size_t>(order[i % order.size()])]; };
  Width once(capacity);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (!once.add(hop(topology, gpu(i), gpu(i + 1)))) return {.why_none = no_way(topology, gpu(i), gpu(i + 1))};
  }
  Orders found{.orders = {order}, .widths = {once.most()}, .work = static_cast<long>(order.size())};
  if (found.widths.front() <= 0) return {.why_none = "a link in the order of the tree leads one way only"};
  Width both = once;  // where links are left over, the reverse goes beside it
  bool back = order.size() > 2;
  for (std::size_t i = 0; back && i < order.size(); ++i) back = both.add(hop(topology, gpu(i + 1), gpu(i)));
  if (back && both.most() > 0.75 * found.widths.front()) {
    found.orders.push_back({order.rbegin(), order.rend()});
    found.widths.assign(2, both.most());
  }
  return found;
}

Passages passage_in_order(const Topology& topology, const Domain& domain, const std::vector<double>& capacity) {
  const auto order = tree_order(topology, domain);
  const auto gpu = [&](std::size_t i) { return domain.gpus[static_cast<std::size_t>(order[i])]; };
  const auto nearest = nearest_nics(topology, gpu(0)).nics;
  if (nearest.empty()) {
    return {.why_none = fmt::format("no path joins {} to an adapter of its host", topology.device(gpu(0)).name)};
  }
  const int nic = nearest.front();
  Width width(capacity);
  const auto add = [&](int from, int to) { return width.add(hop(topology, from, to)); };
  if (!add(nic, gpu(0)) || !add(gpu(order.size() - 1), nic))
    return {.why_none = no_way(topology, gpu(order.size() - 1), nic)};
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    if (!add(gpu(i), gpu(i + 1))) return {.why_none = no_way(topology, gpu(i), gpu(i + 1))};
  }
  if (width.most() <= 0) return {.why_none = "a link in the order of the tree leads one way only"};
  const auto at = static_cast<int>(std::find(domain.nics.begin(), domain.nics.end(), nic) - domain.nics.begin());
  return {.passages = {{order, at, at}}, .width = width.most(), .work = static_cast<long>(order.size())};
}

bool through_same_switches(const Topology& topology, const Domain& domain) {
  const auto switches = [&](int gpu) {
    std::vector<int> found;
    for (const int index : topology.links_of(gpu)) {
      const Link& link = topology.links()[static_cast<std::size_t>(index)];
      const int other = link.from == gpu ? link.to : link.from;
      if (topology.device(other).kind == DeviceKind::nv_switch) found.push_back(other);
    }
    std::sort(found.begin(), found.end());
    return found;
  };
  const auto first = switches(domain.gpus.front());
  return !first.empty() && domain.gpus.size() > 2 &&
         std::all_of(domain.gpus.begin() + 1, domain.gpus.end(), [&](int gpu) { return switches(gpu) == first; });
}

}  // namespace tutti::plan
