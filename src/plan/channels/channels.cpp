#include "tutti/plan/channels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "plan/channels/domain.hpp"
#include "plan/channels/loads.hpp"
#include "plan/channels/trees.hpp"

namespace tutti::plan {

namespace {

class Planning {
 public:
  Planning(const Topology& topology, const ChannelLimits& limits)
      : topology_(topology), limits_(limits), domains_(domains_of(topology)), hops_(topology) {}

  Channels plan() {
    channels_.domains = static_cast<int>(domains_.size());
    for (const Domain& domain : domains_) channels_.gpus += static_cast<int>(domain.gpus.size());
    int unknown = 0;
    capacity_ = capacities(topology_, &unknown);
    if (unknown > 0) {
      channels_.notes.push_back(
          fmt::format("{} links of unknown bandwidth are taken as PCI generation 3 x16, 12 GB/s", unknown));
    }
    if (channels_.gpus < 2) {
      channels_.why_none = channels_.gpus == 0 ? "there are no GPUs" : "there is one GPU, and a ring needs two";
    } else if (domains_.size() == 1) {
      plan_within();
    } else {
      plan_between();
    }
    for (Ring& ring : channels_.rings) classify(ring);
    return std::move(channels_);
  }

 private:
  static constexpr std::size_t most_searched = 256;  ///< GPUs of a domain
  static constexpr double most_size = 2e6;           ///< of all that are searched together, as size_of() counts
  static constexpr long most_rounds = 5;             ///< times ChannelLimits::most_work, for all of them together

  /// Takes from what is left for searches; false when that is not enough.
  bool affords(const Domain& domain) {
    if (domain.gpus.size() > most_searched || channels_.work >= most_rounds * limits_.most_work) return false;
    const double size = size_of(topology_, domain) + 0.1 * static_cast<double>(capacity_.size());
    if (size_ + size > most_size) return false;
    size_ += size;
    return true;
  }

  void plan_within() {
    const Domain& domain = domains_.front();
    Orders found;
    bool trees_are_double = false;
    if (affords(domain)) {
      const HopGraph graph = hop_graph(topology_, domain.gpus, capacity_);
      found = rings_within(topology_, domain, graph, limits_);
      if (found.orders.empty()) found.why_none = why_no_ring(topology_, graph);
      trees_are_double = switched(graph);
    } else {
      found = ring_in_order(topology_, domain, capacity_);
      trees_are_double = through_same_switches(topology_, domain);
      note_order(domain.gpus.size());
    }
    channels_.work = found.work;
    if (found.orders.empty()) {
      channels_.why_none = found.why_none;
      return;
    }
    for (std::size_t i = 0; i < found.orders.size(); ++i) {
      Ring ring{.segments = {{.first = 0, .count = static_cast<int>(domain.gpus.size())}},
                .bandwidth = found.widths[i]};
      for (const int at : found.orders[i]) ring.gpus.push_back(domain.gpus[static_cast<std::size_t>(at)]);
      channels_.rings.push_back(std::move(ring));
    }
    channels_.trees = trees_within(topology_, hops_, capacity_, trees_are_double, channels_.rings);
  }

  void note_order(std::size_t gpus) {
    channels_.notes.push_back(fmt::format(
        "a domain of {} GPUs, more than are searched (at most {}, fewer where they have many links or hosts "
        "are of many kinds): the ring goes around in the order of the PCI tree",
        gpus, most_searched));
  }

  Passages passages_of(const Domain& domain) {
    if (!affords(domain)) {
      if (!noted_order_) note_order(domain.gpus.size());
      noted_order_ = true;
      return passage_in_order(topology_, domain, capacity_);
    }
    return passages_through(topology_, domain, hop_graph(topology_, domain.gpus, capacity_), limits_);
  }

  void plan_between() {
    std::map<std::string, Passages> by_shape;
    std::vector<const Passages*> of_domain;
    std::size_t count = static_cast<std::size_t>(limits_.most_rings);
    double width = 1e9;
    const auto shapes = shapes_of(topology_, domains_);
    for (std::size_t d = 0; d < domains_.size(); ++d) {
      const auto [known, fresh] = by_shape.try_emplace(shapes[d]);
      if (fresh) {
        known->second = passages_of(domains_[d]);
        channels_.work += known->second.work;
      }
      const Passages& passages = known->second;
      if (passages.passages.empty()) {
        channels_.why_none = passages.why_none;
        return;
      }
      of_domain.push_back(&passages);
      count = std::min(count, passages.passages.size());
      width = std::min(width, passages.width);
    }
    if (by_shape.size() > 1) {
      channels_.notes.push_back(fmt::format("hosts of {} kinds; all go at the pace of the slowest", by_shape.size()));
    }
    for (std::size_t c = 0; c < count; ++c) channels_.rings.push_back(ring_through(of_domain, c, width));
    if (const auto missing = loads_of(topology_, hops_, channels_.rings); missing.missing_from >= 0) {
      channels_.why_none =
          fmt::format("no network joins {} and {}", called(missing.missing_from), called(missing.missing_to));
      channels_.rings.clear();
      return;
    }
    channels_.trees = trees_between(topology_, hops_, capacity_, channels_.rings);
  }

  /// Every second domain is gone through backwards, so that what leaves by one rail enters by the same.
  Ring ring_through(const std::vector<const Passages*>& of_domain, std::size_t channel, double width) const {
    Ring ring{.bandwidth = width};
    for (std::size_t d = 0; d < domains_.size(); ++d) {
      const Domain& domain = domains_[d];
      const Passage& passage = of_domain[d]->passages[channel];
      const auto nic = [&](int at) { return domain.nics[static_cast<std::size_t>(at)]; };
      Segment segment{.first = static_cast<int>(ring.gpus.size()),
                      .count = static_cast<int>(domain.gpus.size()),
                      .nic_in = nic(passage.nic_in),
                      .nic_out = nic(passage.nic_out)};
      std::vector<int> order = passage.order;
      if (d % 2 == 1 && passage.nic_in != passage.nic_out) {
        std::reverse(order.begin(), order.end());
        std::swap(segment.nic_in, segment.nic_out);
      }
      for (const int at : order) ring.gpus.push_back(domain.gpus[static_cast<std::size_t>(at)]);
      ring.segments.push_back(segment);
    }
    return ring;
  }

  void classify(Ring& ring) {
    ring.within = PathClass::self;
    ring.to_nic = channels_.domains > 1 ? PathClass::self : PathClass::none;
    for_each_hop(ring, [&](int from, int to) {
      const bool a = topology_.device(from).kind == DeviceKind::nic;
      const bool b = topology_.device(to).kind == DeviceKind::nic;
      if (a && b) return;
      PathClass& farthest = a || b ? ring.to_nic : ring.within;
      farthest = std::max(farthest, hops_(from, to).path);
    });
  }

  std::string called(int id) const {
    const Device& device = topology_.device(id);
    return fmt::format("{} of host {}", device.name, device.host);
  }

  const Topology& topology_;
  const ChannelLimits& limits_;
  std::vector<Domain> domains_;
  Hops hops_;
  std::vector<double> capacity_;
  double size_ = 0;  ///< of what was searched
  bool noted_order_ = false;
  Channels channels_;
};

}  // namespace

Channels plan_channels(const Topology& topology, const ChannelLimits& limits) {
  return Planning(topology, limits).plan();
}

double bus_bandwidth(const Channels& channels, Collective collective, Algorithm algorithm) {
  const auto sum = [](const auto& list) {
    double all = 0;
    for (const auto& one : list) all += one.bandwidth;
    return all;
  };
  const double ranks = channels.gpus;
  switch (collective) {
    case Collective::all_reduce:
      if (algorithm == Algorithm::tree) return sum(channels.trees) * 2 * (ranks - 1) / std::max(ranks, 1.0);
      break;
    case Collective::broadcast:
    case Collective::reduce:
      if (algorithm == Algorithm::tree) return sum(channels.trees);
      break;
    case Collective::reduce_scatter:
    case Collective::all_gather:
      break;
    default:
      return 0;
  }
  return algorithm == Algorithm::ring ? sum(channels.rings) : 0;
}

}  // namespace tutti::plan
