/// @file  cluster_of: machines of one kind, as a cluster.
#pragma once

#include <cstdint>

#include "tutti/topology/cluster.hpp"

namespace tutti {

/// So many of a machine; several are joined by one switch. Its rails are its adapters. Throws what Cluster's constructor throws.
Cluster cluster_of(const Topology& machine, std::int64_t count = 1);

}  // namespace tutti
