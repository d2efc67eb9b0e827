/// @file  Binding: where a rank belongs on its machine: its GPU, the processors beside it, the adapters near it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tutti/topology/topology.hpp"

namespace tutti {

struct Binding {
  int gpu = -1;             ///< device id; -1: the machine has none for this rank
  int numa_node = -1;       ///< the operating system's number; -1: not known, or the machine has one only by guess
  std::vector<int> cpus{};  ///< all of that node, ascending; empty: not known
  std::vector<int> nics{};  ///< device ids, nearest to the GPU; all of the node without GPUs
  PathClass to_nic = PathClass::none;
  double score = 0;   ///< 0 to 100: how much of its adapter's rate this rank gets when all use theirs; see why
  std::string why{};  ///< "gpu2 is on NUMA node 1; mlx5_1 is PIX away, 12 of 12.5 GB/s, shared by 2 GPUs"
};

/// Which GPU, processors and adapters are a rank's. Ranks count within their host: `local_rank` of `local_size`. `visible`
/// is what CUDA_VISIBLE_DEVICES shows (numbers or "GPU-…"), nothing when it is not set: with one entry that is the GPU,
/// with more the rank's own, with none the rank has no GPU. Without GPUs ranks are dealt over the NUMA nodes in blocks.
/// Throws Error(invalid_argument) for a rank that is not below `local_size`, when there are fewer GPUs than the rank's
/// number asks for and `visible` is set, or an entry names none of them; more ranks than GPUs share them in turn.
Binding bind_rank(const Topology& topology, int host, int local_rank, int local_size,
                  const std::optional<std::vector<std::string>>& visible = {});

/// What NCCL_IB_HCA takes for a binding: "=mlx5_0,mlx5_1", names of InfiniBand and RoCE adapters; empty when it has none.
std::string adapters_for_nccl(const Topology& topology, const Binding& binding);

}  // namespace tutti
