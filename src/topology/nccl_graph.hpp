/// @file  NCCL graph XML: the rings and trees that NCCL found on a machine, and what it expects of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tutti/topology/topology.hpp"

namespace tutti {

enum class NcclPattern { balanced_tree = 1, split_tree = 2, tree = 3, ring = 4, nvls = 5, collnet_direct = 6 };

/// A GPU or an adapter in a channel, in the order of the wire.
struct NcclHop {
  bool is_gpu = true;
  int host = 0;   ///< the top byte of the number, as NCCL numbers hosts
  int index = 0;  ///< GPU: number in the driver, adapter: number in the plugin
  int rank = -1;  ///< when the file says it; then it counts, not the index
};

struct NcclGraph {
  int id = 0;  ///< 0 ring, 1 tree, 2 collnet chain, 3 NVLS, 4 collnet direct
  NcclPattern pattern = NcclPattern::ring;
  double intra_bandwidth = 0;  ///< GB/s of one channel, within a host
  double inter_bandwidth = 0;  ///< GB/s of one channel, between hosts
  PathClass intra_class = PathClass::none;
  PathClass inter_class = PathClass::none;
  std::vector<std::vector<NcclHop>> channels{};  ///< empty: NCCL found none, or was not asked for this pattern
};

/// Throws Error(invalid_argument) with name, line and what was expected.
std::vector<NcclGraph> read_nccl_graphs(std::string_view text, const std::string& name);

}  // namespace tutti
