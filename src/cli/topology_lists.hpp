/// @file  `tutti topology --presets` and `--links`: what is known without looking at a machine.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "tutti/topology/cluster.hpp"
#include "tutti/topology/write.hpp"

namespace tutti::cli {

/// Prints the list of presets, the tables of links and memories, or both. Returns 0. Throws Error(invalid_argument) for
/// a form other than text and json, and for both at once as JSON.
int topology_lists(bool presets, bool links, TopologyFormat format, std::ostream& out);

/// A cluster in a few lines: nodes, rails, tiers.
std::string cluster_text(const Cluster& cluster);

/// "Sources:" and a line for each fact of a preset.
std::string preset_sources(std::string_view name);

}  // namespace tutti::cli
