/// @file  Which device of one topology is which of another.
#pragma once

#include <vector>

#include "tutti/topology/topology.hpp"

namespace tutti {

/// For every device of `other` its counterpart in `base`, by host and bus id, else by host, kind and number or name;
/// −1: none. No device of `base` is the counterpart of two.
std::vector<int> match_devices(const TopologyParts& base, const TopologyParts& other);

/// "gpu3 0000:1b:00.0"
std::string call(const Device& device);

}  // namespace tutti
