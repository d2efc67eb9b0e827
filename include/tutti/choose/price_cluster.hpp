/// @file  From a Cluster to a Platform: what of a described machine and fabric prices are made from.
#pragma once

#include <cstdint>

#include "tutti/choose/price_platform.hpp"
#include "tutti/topology/cluster.hpp"

namespace tutti::choose {

/// The first `ranks` GPUs of a cluster, one rank each; 0: all. Nodes count as alike: those of the first group speak for
/// all. Throws Error(invalid_argument) for fewer than 0 ranks, for more than there are GPUs, for ranks that leave a node
/// half empty when there are several, and for GPUs that no coefficients are known for.
Platform platform_of(const Cluster& cluster, std::int64_t ranks = 0);

}  // namespace tutti::choose
