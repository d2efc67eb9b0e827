/// @file  Links that no source writes down: between the NUMA nodes of a host, and from an adapter to the
/// network.
#pragma once

#include "tutti/topology/topology.hpp"

namespace tutti {

/// Joins the cpu devices of each host pairwise, at the rate assumed for its processor.
void join_sockets(TopologyParts& parts);

/// From a NIC to a switch at the speed that the NIC's attribute "speed" (Mbit/s) gives, else unknown.
Link network_link(const Device& nic, int network_switch);

}  // namespace tutti
