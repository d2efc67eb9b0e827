/// @file  Reading: every source of a machine's layout, live or on paper, becomes a Topology.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "tutti/topology/topology.hpp"

namespace tutti {

/// This machine with everything on it: NUMA nodes, PCI tree, GPUs and their links, network adapters. Takes
/// tens of milliseconds, each call; the start of a communicator uses this_host_facts() instead.
Topology this_machine();

/// A file of any kind that is understood (docs/topology.md lists them); "-" is standard input. The kind is
/// recognised from the content. Throws Error(invalid_argument) naming file, line and what was expected.
Topology from_file(const std::filesystem::path& path);

/// The same from text in memory. `name` stands for the file in messages and becomes Topology::name.
Topology from_text(std::string_view text, const std::string& name);

}  // namespace tutti
