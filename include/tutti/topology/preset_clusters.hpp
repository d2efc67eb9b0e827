/// @file  Presets of clusters: a machine, how many, and the fabric between them, by name.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "tutti/topology/cluster.hpp"
#include "tutti/topology/presets.hpp"

namespace tutti {

/// All clusters, as they are listed.
std::span<const Preset> cluster_presets();

/// Found without regard to case; null when there is none.
const Preset* find_cluster_preset(std::string_view name);

/// The cluster, of as many nodes as its name says or, where `nodes` is not 0, of so many; its tiers are those that so many
/// nodes need, and the highest grows where they are more than it holds. Throws Error(invalid_argument) that names the
/// nearest name when there is none, or when `nodes` is below 0 or beyond Cluster::max_nodes.
Cluster preset_cluster(std::string_view name, std::int64_t nodes = 0);

}  // namespace tutti
