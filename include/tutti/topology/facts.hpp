/// @file  What a topology means for a job: bandwidth that is possible, links that are not what they should be.
#pragma once

#include <string>
#include <vector>

#include "tutti/base/types.hpp"
#include "tutti/topology/topology.hpp"

namespace tutti {

/// A link that carries less than it could, or less than its likes.
struct DegradedLink {
  int link = -1;       ///< index into Topology::links(); −1: NVLinks that should be there and are not
  int device = -1;     ///< the GPU or NIC it concerns
  std::string what{};  ///< "gpu3 0000:1b:00.0 runs at x8, x16 is possible: half the bandwidth"
};
std::vector<DegradedLink> degraded_links(const Topology& topology);

/// The bus bandwidth (as nccl-tests counts it) of large messages over all GPUs, when nothing but links limits it.
struct PossibleBandwidth {
  Quantity bus_bandwidth{};  ///< GB/s; unknown when a link's bandwidth is, or with fewer than two GPUs
  int link = -1;             ///< the first link that limits it; −1: none is known
  std::string why{};         ///< "12 NVLinks of gpu0", "the network of host n02"
};

/// By a ring inside each host and rails between hosts; in-network reduction would be faster. Throws
/// Error(unsupported) for send and recv, the uneven collectives and the barrier.
PossibleBandwidth possible_bandwidth(const Topology& topology, Collective collective);

}  // namespace tutti
