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

/// For each domain a text that is equal for those that are built alike, in devices and links and their bandwidths.
std::vector<std::string> shapes_of(const Topology& topology, const std::vector<Domain>& domains);

/// What it takes to look at every pair of a domain's GPUs: GPUs times links, levels and adapters.
double size_of(const Topology& topology, const Domain& domain);

struct Orders {
  std::vector<std::vector<int>> orders{};  ///< positions in Domain::gpus
  std::vector<double> widths{};            ///< GB/s
  long work = 0;
  std::string why_none{};
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

/// The same without a search, in time by the number of GPUs: around in the order of the PCI tree, once or also back; in by
/// one adapter and out by the same.
Orders ring_in_order(const Topology& topology, const Domain& domain, const std::vector<double>& capacity);
Passages passage_in_order(const Topology& topology, const Domain& domain, const std::vector<double>& capacity);

/// Has every GPU links to the same NVSwitches, so that each reaches each alike?
bool through_same_switches(const Topology& topology, const Domain& domain);

/// Which constraint leaves a domain without a ring; graph.size() > 1.
std::string why_no_ring(const Topology& topology, const HopGraph& graph);

}  // namespace tutti::plan
