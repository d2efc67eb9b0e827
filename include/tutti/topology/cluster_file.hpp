/// @file  Clusters from files and names, and what a cluster looks like as devices.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "tutti/topology/cluster.hpp"

namespace tutti {

/// A cluster from a file: our JSON (docs/schema/cluster.schema.json) or Slurm's topology.conf, recognised from the
/// content; "-" is standard input. Machines are presets, files (seen from the cluster's own file) or written out in the
/// document. Throws Error(invalid_argument) naming file, line or place, and what was expected.
Cluster cluster_from_file(const std::filesystem::path& path);

/// What users name where a cluster is expected: "preset:superpod-1024" is the preset, "superpod-1024" too unless a file of
/// that name exists, and everything else is a file. Throws what cluster_from_file() and preset_cluster()
/// throw.
Cluster cluster_from_file_or_preset(const std::string& name);

/// The same from text in memory. `name` stands for the file in messages, and files are looked for beside it.
Cluster cluster_from_text(std::string_view text, const std::string& name);

/// The form that cluster_from_text() reads; indented by `indent` blanks, < 0: one line. Machines that have a name are
/// written by it, others as they are.
std::string to_json(const Cluster& cluster, int indent = 2);

/// Every node with its devices, its adapters joined by the switches of the fabric; rail r of a node is its adapter r.
/// Nodes of which nothing is known have one adapter that stands for all. Throws Error(unsupported) when that would be
/// more than `most` devices.
Topology expand(const Cluster& cluster, std::size_t most = 100'000);

/// The same where it is at most 20,000 devices; else one node of each kind, and notes that say how many there are.
Topology sketch(const Cluster& cluster);

}  // namespace tutti
