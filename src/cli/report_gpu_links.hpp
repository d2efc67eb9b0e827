/// @file  How the GPUs of a host are joined beside PCI: by switches, all with all, or by links that are drawn one by one.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/report_canvas.hpp"
#include "tutti/topology/topology.hpp"

namespace tutti::report {

/// Links between two GPUs, all together.
struct GpuPair {
  int a = 0;  ///< device ids, a < b
  int b = 0;
  int count = 0;
  Quantity bandwidth{};  ///< GB/s one direction

  bool alike(const GpuPair& other) const { return count == other.count && bandwidth == other.bandwidth; }
};

/// A GPU's links to NVSwitches or their like, all together.
struct SwitchedGpu {
  int gpu = 0;
  int count = 0;
  Quantity bandwidth{};
};

struct GpuLinks {
  std::string name = "NVLink";  ///< or "XGMI"
  std::vector<SwitchedGpu> switched{};
  std::size_t switches = 0;
  bool switches_elsewhere = false;  ///< some belong to another host of the same domain
  std::vector<GpuPair> pairs{};
  bool all_pairs_alike = false;

  bool empty() const { return switched.empty() && pairs.empty(); }
};

GpuLinks gpu_links(const Topology& topology, int host);

/// "NVLink through 6 NVSwitches: each GPU has 12 links, ~240 GB/s each way"; empty when there are none.
std::string in_words(const GpuLinks& links);

/// Draws them below GPUs that stand in a row, and returns where the drawing ends. `right` is as far as it may go.
double draw_gpu_links(Canvas& canvas, const GpuLinks& links, const std::vector<std::pair<int, Box>>& gpus, double top,
                      double right);

}  // namespace tutti::report
