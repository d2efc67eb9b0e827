/// @file  Whether two sources can be of one machine at all.
#pragma once

#include <string>
#include <vector>

#include "tutti/topology/topology.hpp"

namespace tutti {

/// What no machine can be both of: another kind of processor, GPUs of another generation at the same bus ids, or GPUs none of which
/// is at a bus id of the other's. A sentence each; empty when they may be one. `here` is what match_devices() found.
std::vector<std::string> why_not_one_machine(const TopologyParts& known, const Topology& source,
                                             const std::vector<int>& here);

}  // namespace tutti
