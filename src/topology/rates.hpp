/// @file  What known hardware carries: one table for every number that a reader has to assume.
#pragma once

#include <string_view>

#include "tutti/topology/device.hpp"
#include "tutti/topology/host_facts.hpp"

namespace tutti::rates {

/// GB/s (10^9), one direction: what transfers reach, and what the data sheet promises.
struct Rate {
  double reached = 0;
  double rated = 0;
};

/// One NVLink of a GPU of a compute capability times ten (70, 80, 90, 100); 0: not known, taken as 80.
Rate nvlink(int compute_capability);

/// One XGMI link of an AMD GPU, by its name without "gfx" ("906", "90a", "942"); the older numbers of
/// topology files ("910" for 90a) too.
Rate xgmi(std::string_view gfx);

/// A PCI link: gigatransfers a second and lane (2.5, 5, 8, 16, 32, 64) times lanes.
Rate pci(double gigatransfers, int lanes);

/// The trained link that carries about `rated` GB/s: the most lanes, where speed and lanes can be traded.
struct PciLink {
  double gigatransfers = 0;
  int lanes = 0;
};
PciLink pci_link_of(double rated);

/// Between two NUMA nodes of a host with this processor.
Rate socket(const HostFacts& host);

/// Within a chip, or through memory: never the narrowest part.
inline constexpr double local = 5000;

/// Microseconds one way, for pricing where nobody measured.
double latency(LinkKind kind);

}  // namespace tutti::rates
