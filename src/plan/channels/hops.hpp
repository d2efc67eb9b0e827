/// @file  Hops: which links, each way, carry data from one device to another, and how much of it.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "tutti/topology/topology.hpp"

namespace tutti::plan {

/// One direction of one link, as an index: twice the link's, plus one against its direction. Beyond the links come two for
/// each device, out of it and into it: for GPUs that a source states to be joined without saying by which links, and for the
/// ports of adapters.
using Wire = int;

struct Use {
  Wire wire = 0;
  double share = 1;  ///< of the data
};

struct Hop {
  std::vector<Use> uses{};  ///< empty: no way
  PathClass path = PathClass::none;
};

/// From a GPU or adapter to another one, of the same domain or (adapters) through the network.
Hop hop(const Topology& topology, int from, int to);

/// The same, looked up once.
class Hops {
 public:
  explicit Hops(const Topology& topology) : topology_(topology) {}
  const Hop& operator()(int from, int to);

 private:
  const Topology& topology_;
  std::map<std::pair<int, int>, Hop> known_;
};

/// GB/s that each wire carries. A link of unknown bandwidth is taken as 16 lanes of PCI generation 3, as NCCL does; how
/// many there are is counted in `unknown` unless that is null.
std::vector<double> capacities(const Topology& topology, int* unknown = nullptr);

inline Wire port_out(const Topology& topology, int device) {
  return static_cast<int>(topology.links().size() + static_cast<std::size_t>(device)) * 2;
}
inline Wire port_in(const Topology& topology, int device) { return port_out(topology, device) + 1; }

}  // namespace tutti::plan
