/// @file  Domain: GPUs that NVLink or PCI joins, a host or a rack; and the orders that go around in one.
#pragma once

#include <string>
#include <vector>

#include "plan/channels/search.hpp"
#include "tutti/plan/channels.hpp"

namespace tutti::plan {

struct Domain {
  std::vector<int> hosts{};
  std::vector<int> gpus{};  ///< device ids
  std::vector<int> nics{};  ///< device ids
};

/// Hosts whose GPUs share NVSwitches, or are linked straight, are one. Hosts without GPUs are in none.
std::vector<Domain> domains_of(const Topology& topology);

/// Equal for domains that are built alike, in devices and links and their bandwidths.
std::string shape_of(const Topology& topology, const Domain& domain);

struct Orders {
  std::vector<std::vector<int>> orders{};  ///< positions in Domain::gpus
  std::vector<double> widths{};            ///< GB/s
  long work = 0;
};

/// Rings over all GPUs of a domain.
Orders rings_within(const Topology& topology, const Domain& domain, const HopGraph& graph, const ChannelLimits& limits);

/// A way through a domain, from adapter to adapter.
struct Passage {
  std::vector<int> order{};  ///< positions in Domain::gpus
  int nic_in = -1;           ///< positions in Domain::nics
  int nic_out = -1;
};
struct Passages {
  std::vector<Passage> passages{};
  double width = 0;  ///< GB/s of each
  long work = 0;
  std::string why_none{};
};

/// One passage for each adapter that is nearest to a GPU, all of the same width and the widest possible.
Passages passages_through(const Topology& topology, const Domain& domain, const HopGraph& graph,
                          const ChannelLimits& limits);

/// Which constraint leaves a domain without a ring; graph.size() > 1.
std::string why_no_ring(const Topology& topology, const HopGraph& graph);

}  // namespace tutti::plan
