/// @file  Passages through a domain for rings that go on to other domains: an adapter for each GPU, rails matched.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "plan/channels/domain.hpp"

namespace tutti::plan {

namespace {

/// Where data comes in and goes out: positions of adapters and of their GPUs.
struct Gates {
  int nic_in;
  int gpu_in;
  int gpu_out;
  int nic_out;
};

/// The adapters with the GPUs that they are nearest to, as positions.
std::map<int, std::vector<int>> near_gpus(const Topology& topology, const Domain& domain) {
  std::map<int, std::vector<int>> near;
  for (std::size_t gpu = 0; gpu < domain.gpus.size(); ++gpu) {
    for (const int nic : nearest_nics(topology, domain.gpus[gpu]).nics) {
      const auto at = std::find(domain.nics.begin(), domain.nics.end(), nic) - domain.nics.begin();
      near[static_cast<int>(at)].push_back(static_cast<int>(gpu));
    }
  }
  return near;
}

/// An adapter near several GPUs serves both ends; adapters near one GPU each work in pairs, in by one and out by the
/// other and the reverse, so that with every second domain turned around each wire leads from a rail to the same rail.
std::vector<Gates> gates_of(const Domain& domain, const std::map<int, std::vector<int>>& near) {
  std::vector<Gates> gates;
  std::map<std::vector<int>, int> turn;  // by the GPUs
  std::vector<std::pair<int, int>> single;
  for (const auto& [nic, gpus] : near) {
    const auto count = gpus.size();
    if (count > 1) {
      const auto first = static_cast<std::size_t>(turn[gpus]++);
      gates.push_back({nic, gpus[first % count], gpus[(first + 1) % count], nic});
    } else if (domain.gpus.size() == 1) {
      gates.push_back({nic, gpus.front(), gpus.front(), nic});
    } else {
      single.emplace_back(nic, gpus.front());
    }
  }
  while (!single.empty()) {
    const auto [nic, gpu] = single.front();
    single.erase(single.begin());
    const auto mate =
        std::find_if(single.begin(), single.end(), [gpu = gpu](const auto& other) { return other.second != gpu; });
    if (mate == single.end()) {
      gates.push_back({nic, gpu, gpu == 0 ? 1 : 0, nic});
      continue;
    }
    gates.push_back({nic, gpu, mate->second, mate->first});
    gates.push_back({mate->first, mate->second, gpu, nic});
    single.erase(mate);
  }
  return gates;
}

class Passing {
 public:
  Passing(const Topology& topology, const Domain& domain, const HopGraph& graph, std::vector<Gates> gates,
          long most_work)
      : domain_(domain), gates_(std::move(gates)), search_(graph, most_work), capacity_(graph.capacity) {
    for (const Gates& gate : gates_) {
      in_.push_back(hop(topology, nic(gate.nic_in), gpu(gate.gpu_in)));
      out_.push_back(hop(topology, gpu(gate.gpu_out), nic(gate.nic_out)));
    }
  }

  /// All passages at this width; none when one does not fit.
  std::vector<Passage> at(double width) {
    search_.restart();
    std::vector<Passage> found;
    for (std::size_t i = 0; i < gates_.size(); ++i) {
      if (!search_.fits(in_[i], width)) return {};
      search_.take(in_[i], width);
      if (!search_.fits(out_[i], width)) return {};
      search_.take(out_[i], width);
    }
    for (const Gates& gate : gates_) {
      auto order = search_.way(width, gate.gpu_in, gate.gpu_out);
      if (order.empty()) return {};
      found.push_back({std::move(order), gate.nic_in, gate.nic_out});
    }
    return found;
  }

  /// The widest passages, to a part in a thousand.
  Passages widest() {
    double high = 0;
    for (const Hop& out : out_) {
      double least = 1e9;
      for (const Use& use : out.uses)
        least = std::min(least, capacity_[static_cast<std::size_t>(use.wire)] / use.share);
      high = std::max(high, least);
    }
    Passages best;
    if (auto all = at(high); !all.empty()) {
      best = {.passages = std::move(all), .width = high};
    } else {
      double low = 0;
      while (high - low > 0.001 * high && !search_.tired()) {
        const double middle = (low + high) / 2;
        auto found = at(middle);
        (found.empty() ? high : low) = middle;
        if (!found.empty()) best = {.passages = std::move(found), .width = middle};
      }
    }
    best.work = search_.work();
    return best;
  }

 private:
  int nic(int position) const { return domain_.nics[static_cast<std::size_t>(position)]; }
  int gpu(int position) const { return domain_.gpus[static_cast<std::size_t>(position)]; }

  const Domain& domain_;
  std::vector<Gates> gates_;
  std::vector<Hop> in_;
  std::vector<Hop> out_;
  Search search_;
  const std::vector<double>& capacity_;
};

}  // namespace

Passages passages_through(const Topology& topology, const Domain& domain, const HopGraph& graph,
                          const ChannelLimits& limits) {
  const auto near = near_gpus(topology, domain);
  const auto gates = gates_of(domain, near);
  const auto host = topology.hosts()[static_cast<std::size_t>(domain.hosts.front())].host;
  const auto called = host.empty() ? fmt::format("host {}", domain.hosts.front()) : host;
  if (gates.empty()) {
    return {.why_none = domain.nics.empty() ? fmt::format("{} has no network adapter", called)
                                            : fmt::format("no path joins a GPU of {} to one of its adapters", called)};
  }
  Passages found = Passing(topology, domain, graph, gates, limits.most_work).widest();
  if (found.passages.empty()) {
    found.why_none = graph.size() > 1 ? fmt::format("{}: no ways over all its GPUs fit from adapter to adapter: {}",
                                                    called, why_no_ring(topology, graph))
                                      : fmt::format("{}: its GPU has no way to its adapter", called);
  }
  return found;
}

}  // namespace tutti::plan
