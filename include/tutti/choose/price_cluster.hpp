/// @file  From a Cluster to a Platform: what of a described machine and fabric prices are made from.
#pragma once

#include <cstdint>

#include "tutti/choose/price_platform.hpp"
#include "tutti/topology/cluster.hpp"
#include "tutti/topology/network_settings.hpp"

namespace tutti::choose {

/// The first `ranks` GPUs of a cluster, one rank each; 0: all. Nodes count as alike: those of the first group speak for
/// all. Throws Error(invalid_argument) for fewer than 0 ranks, for more than there are GPUs, for ranks that leave a node
/// half empty when there are several, and for GPUs that no coefficients are known for.
///
/// Of `settings` count: rate, ports, rails and latency; MTU (headers take the rest); queue pairs, and adaptive routing where it
/// is off (flows that meet keep less: an estimate); GPUDirect where it is off; SHARP on InfiniBand. The others change
/// what happens when something fails, or nothing that a price knows.
Platform platform_of(const Cluster& cluster, std::int64_t ranks = 0, const NetworkSettings& settings = {});

}  // namespace tutti::choose
