/// @file  The two forms of text that describe a cluster.
#pragma once

#include <string>
#include <string_view>

#include "tutti/topology/cluster.hpp"

namespace tutti {

/// Do these texts begin as ours, or Slurm's, does?
bool is_cluster_json(std::string_view text);
bool is_slurm_conf(std::string_view text);

/// Throw Error(invalid_argument) naming line or place, and what was expected.
Cluster read_cluster_json(std::string_view text, const std::string& name);
Cluster read_slurm_conf(std::string_view text, const std::string& name);

}  // namespace tutti
