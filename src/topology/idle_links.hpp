/// @file  PCI links that sleep: GPUs with nothing to do run theirs at the lowest speed, and some sources know no other.
#pragma once

#include <set>

#include "tutti/topology/topology.hpp"

namespace tutti {

/// Does not count PCI links of GPUs, and of switches that lead to GPUs only, at the 2.5 GT/s that they are read at, but as
/// generation 3 x16 as NCCL does where it does not know; says so in a note for each.
void doubt_idle_links(TopologyParts& parts, const std::set<int>& for_gpus_only);

/// Takes that note back: another source says what the link can do.
void forget_idle_link(TopologyParts& parts, const Device& device);

}  // namespace tutti
