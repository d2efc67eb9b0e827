/// @file  A placement as what launchers take: Open MPI's rankfile, a host file, srun's options, numactl lines; and as text
/// and JSON.
#pragma once

#include <string>

#include "tutti/plan/job_placement.hpp"

namespace tutti::cli {

/// A line for each rank with its score and reason, nodes that are alike once; then how often a ring leaves leaf and rack.
std::string place_text(const Cluster& cluster, const plan::JobPlacement& placement);
std::string place_json(const Cluster& cluster, const plan::JobPlacement& placement);

/// For mpirun --mca rmaps_rank_file_physical 1 -rf FILE.
std::string place_rankfile(const plan::JobPlacement& placement);
/// Nodes in rank order, a line each.
std::string place_hostfile(const plan::JobPlacement& placement);
/// srun with masks for each local rank, in the order of a host file. Throws Error(unsupported) for nodes of several kinds.
std::string place_srun(const Cluster& cluster, const plan::JobPlacement& placement);
/// CUDA_VISIBLE_DEVICES=… numactl … for each local rank of each kind of node.
std::string place_numactl(const Cluster& cluster, const plan::JobPlacement& placement);

}  // namespace tutti::cli
