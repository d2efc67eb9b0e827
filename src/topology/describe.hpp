/// @file  Devices, links and numbers in words, the same in every form that people read.
#pragma once

#include <string>
#include <vector>

#include "tutti/topology/topology.hpp"

namespace tutti {

/// "48 GB/s"; "~48 GB/s" when it is assumed; empty when it is not known.
std::string describe_bandwidth(const Quantity& bandwidth);

/// "gen 5 x16", or "32 GT/s x16" for a speed that is no generation; empty when it was not read.
std::string describe_lanes(const Link& link);

/// "GPU0", "NIC3", as the matrix calls them: by the driver's number where that is known and different for each,
/// else by position. `ids` are all the devices of one kind and host.
std::vector<std::string> matrix_labels(const Topology& topology, const std::vector<int>& ids, const char* prefix);

}  // namespace tutti
