/// @file  The bus bandwidth that the links of a topology allow.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "tutti/base/error.hpp"
#include "tutti/topology/facts.hpp"

namespace tutti {

namespace {

/// A bound on something, and what sets it.
struct Bound {
  Quantity bandwidth{};
  int link = -1;
  std::string why{};
};

Bound lower(Bound a, Bound b) {
  if (!a.bandwidth.known()) return b;
  if (!b.bandwidth.known()) return a;
  const Origin origin = std::min(a.bandwidth.origin, b.bandwidth.origin);
  Bound least = a.bandwidth.value <= b.bandwidth.value ? std::move(a) : std::move(b);
  least.bandwidth.origin = origin;
  return least;
}

class Bounds {
 public:
  static constexpr std::size_t most_pairs = 1024;  // GPUs of one host whose pairs are looked at one by one

  explicit Bounds(const Topology& topology) : topology_(topology) {
    gpus_of_host_.resize(topology.hosts().size());
    for (const Device& device : topology.devices()) {  // in the order of the tree
      if (device.kind == DeviceKind::gpu) gpus_of_host_[static_cast<std::size_t>(device.host)].push_back(device.id);
    }
    std::erase_if(gpus_of_host_, [](const auto& gpus) { return gpus.empty(); });
    for (const auto& gpus : gpus_of_host_) all_gpus_ += gpus.size();
    parts_.resize(topology.devices().size());
    std::iota(parts_.begin(), parts_.end(), 0);
    for (const Link& l : topology.links()) {
      if (to_accelerators(l)) parts_[static_cast<std::size_t>(part_of(l.from))] = part_of(l.to);
    }
  }

  std::size_t gpus() const { return all_gpus_; }

  /// Rings inside the hosts, rails between them.
  Bound ring() const {
    Bound bound;
    const bool one_domain = gpus_of_host_.size() > 1 && shares_switches();
    for (const auto& gpus : gpus_of_host_) {
      bound = lower(bound, accelerated(gpus) || one_domain ? links_of_each(gpus) : tree_ring(gpus));
      if (gpus_of_host_.size() > 1 && !one_domain) bound = lower(bound, network(gpus, 1));
    }
    return bound;
  }

  /// Every pair at once.
  Bound all_pairs() const {
    Bound bound;
    const bool one_domain = gpus_of_host_.size() > 1 && shares_switches();
    for (const auto& gpus : gpus_of_host_) {
      bound = lower(bound, accelerated(gpus) || one_domain ? pairs(gpus) : tree_ring(gpus));
      if (gpus_of_host_.size() > 1 && !one_domain) {
        const auto all = static_cast<double>(all_gpus_);
        const auto here = static_cast<double>(gpus.size());
        bound = lower(bound, network(gpus, (all - 1) / (here * (all - here))));
      }
    }
    return bound;
  }

 private:
  const Link& link(int index) const { return topology_.links()[static_cast<std::size_t>(index)]; }

  bool to_accelerators(const Link& l) const {
    if (l.kind == LinkKind::xgmi) return true;
    return l.kind == LinkKind::nvlink && topology_.device(l.from).kind != DeviceKind::cpu &&
           topology_.device(l.to).kind != DeviceKind::cpu;
  }

  /// Do NVLinks or XGMI alone lead from each GPU to every other?
  bool accelerated(const std::vector<int>& gpus) const {
    const int part = part_of(gpus.front());
    return gpus.size() > 1 && std::all_of(gpus.begin(), gpus.end(), [&](int gpu) { return part_of(gpu) == part; });
  }

  /// Devices that NVLinks or XGMI join are of one part; a part is called by one of its devices.
  int part_of(int id) const {
    while (parts_[static_cast<std::size_t>(id)] != id) {
      int& above = parts_[static_cast<std::size_t>(id)];
      id = above = parts_[static_cast<std::size_t>(above)];
    }
    return id;
  }

  /// One NVLink domain over several hosts, as in a rack of GB200: every host's GPUs reach a switch of the first host's.
  bool shares_switches() const {
    const auto switches = [&](int gpu) {
      std::set<int> found;
      for (const int index : topology_.links_of(gpu)) {
        const int other = link(index).from == gpu ? link(index).to : link(index).from;
        if (topology_.device(other).kind == DeviceKind::nv_switch) found.insert(other);
      }
      return found;
    };
    const auto first = switches(gpus_of_host_.front().front());
    return std::all_of(gpus_of_host_.begin() + 1, gpus_of_host_.end(), [&](const auto& gpus) {
      const auto others = switches(gpus.front());
      return std::any_of(others.begin(), others.end(), [&](int id) { return first.contains(id); });
    });
  }

  /// All links of a GPU together, of the GPU that has the least.
  Bound links_of_each(const std::vector<int>& gpus) const {
    Bound least;
    for (const int gpu : gpus) {
      Bound own;
      int count = 0;
      for (const int index : topology_.links_of(gpu)) {
        const Link& l = link(index);
        if (!to_accelerators(l) || (l.one_way && l.from != gpu) || !l.bandwidth.known()) continue;
        own.bandwidth = {own.bandwidth.value + l.bandwidth.value,
                         count == 0 ? l.bandwidth.origin : std::min(own.bandwidth.origin, l.bandwidth.origin)};
        if (own.link < 0) own.link = index;
        count += l.count;
      }
      own.why = fmt::format("the {} NVLinks of {}", count, topology_.device(gpu).name);
      least = lower(std::move(least), std::move(own));
    }
    return least;
  }

  Bound pairs(const std::vector<int>& gpus) const {
    Bound least = links_of_each(gpus);
    if (gpus.size() > most_pairs) return least;
    for (const int a : gpus) {
      for (const int b : gpus) {
        if (a == b) continue;
        const Path path = find_path(topology_, a, b);
        const double others = static_cast<double>(gpus.size()) - 1;
        // Through a switch a GPU's links serve all its pairs in turn; straight ones serve their own pair only.
        const bool straight = path.links.size() == 1;
        Bound pair{
            .bandwidth = path.bandwidth,
            .link = path.links.empty() ? -1 : path.links.front(),
            .why = fmt::format("{} from {} to {}", path.label(), topology_.device(a).name, topology_.device(b).name)};
        if (straight) pair.bandwidth.value *= others;
        least = lower(std::move(least), std::move(pair));
      }
    }
    return least;
  }

  /// A ring in the order of the tree crosses each link once each way, so its narrowest hop is the bound.
  Bound tree_ring(const std::vector<int>& gpus) const {
    Bound least;
    if (gpus.size() < 2) return least;
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      const int from = gpus[i];
      const int to = gpus[(i + 1) % gpus.size()];
      const Path path = find_path(topology_, from, to);
      int narrowest = -1;
      for (const int index : path.links) {
        if (link(index).bandwidth.known() && link(index).bandwidth.value <= path.bandwidth.value && narrowest < 0) {
          narrowest = index;
        }
      }
      least =
          lower(std::move(least), Bound{.bandwidth = path.bandwidth,
                                        .link = narrowest,
                                        .why = fmt::format("{} from {} to {}", path.label(),
                                                           topology_.device(from).name, topology_.device(to).name)});
    }
    return least;
  }

  /// The adapters of a host that are nearest to one of its GPUs, all together, times `factor`.
  Bound network(const std::vector<int>& gpus, double factor) const {
    std::set<int> nics;
    for (const int gpu : gpus) {
      const auto nearest = nearest_nics(topology_, gpu);
      nics.insert(nearest.nics.begin(), nearest.nics.end());
    }
    const int host = topology_.device(gpus.front()).host;
    const auto& host_name = topology_.hosts()[static_cast<std::size_t>(host)].host;
    Bound all{.why = fmt::format("the {} adapters of {}", nics.size(),
                                 host_name.empty() ? fmt::format("host {}", host) : host_name)};
    for (const int nic : nics) {
      Bound one{.bandwidth = port_speed(topology_.device(nic))};
      for (const int index : topology_.links_of(nic)) {
        if (link(index).to == nic || link(index).kind == LinkKind::network) {
          one = lower(one, Bound{.bandwidth = link(index).bandwidth, .link = index});
        }
      }
      if (!one.bandwidth.known()) continue;
      const bool first = !all.bandwidth.known();
      all.bandwidth = {all.bandwidth.value + one.bandwidth.value * factor,
                       first ? one.bandwidth.origin : std::min(all.bandwidth.origin, one.bandwidth.origin)};
      if (all.link < 0) all.link = one.link;
    }
    return all;
  }

  const Topology& topology_;
  std::vector<std::vector<int>> gpus_of_host_;
  std::size_t all_gpus_ = 0;
  mutable std::vector<int> parts_;  ///< of each device, one that it is joined to; ways are shortened as they are gone
};

}  // namespace

PossibleBandwidth possible_bandwidth(const Topology& topology, Collective collective) {
  const Bounds bounds(topology);
  Bound bound;
  switch (collective) {
    case Collective::all_reduce:
    case Collective::reduce_scatter:
    case Collective::all_gather:
    case Collective::reduce:
    case Collective::broadcast:
      if (bounds.gpus() > 1) bound = bounds.ring();
      break;
    case Collective::all_to_all:
    case Collective::gather:
    case Collective::scatter:
      if (bounds.gpus() > 1) bound = bounds.all_pairs();
      break;
    default:
      throw Error(Code::unsupported, fmt::format("no bus bandwidth is defined for {}", name(collective)));
  }
  return {.bus_bandwidth = bound.bandwidth, .link = bound.link, .why = bound.why};
}

}  // namespace tutti
