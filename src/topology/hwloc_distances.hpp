/// @file  NVLink and XGMI in hwloc XML: matrices of bandwidths between objects.
#pragma once

#include <map>
#include <pugixml.hpp>

#include "tutti/topology/topology.hpp"

namespace tutti {

/// Adds a link for every pair in the matrices named NVLinkBandwidth and XGMIBandwidth. `by_gp_index` says which
/// device an object has become. A matrix that does not add up becomes a note.
void read_hwloc_distances(pugi::xml_node root, TopologyParts& parts, const std::map<long, int>& by_gp_index);

}  // namespace tutti
