/// @file  What a command line calls a cluster: a preset, a file, or so many machines of one kind.
#pragma once

#include <cstdint>
#include <string>

#include "tutti/topology/cluster.hpp"

namespace tutti::cli {

/// A file that describes a cluster or a machine ("-": standard input), a preset of either, in this order. `nodes` is how many of a
/// preset or of a machine; 0: as many as the preset has, or one machine. Machines of a kind are below one switch, with a rail for each
/// adapter. Throws Error(invalid_argument) what reading them throws, and when a file that says itself how many there are
/// meets `nodes`.
Cluster cluster_named(const std::string& name, std::int64_t nodes);

}  // namespace tutti::cli
