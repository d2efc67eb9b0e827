/// @file  The PCI tree of a host as boxes in boxes, and where each comes to lie in a picture.
#pragma once

#include <string>
#include <vector>

#include "cli/report_canvas.hpp"
#include "tutti/topology/topology.hpp"

namespace tutti::report {

/// A NUMA node, a bridge or a switch with what hangs below it. Bridges that hold one thing only are left out.
struct TreeBox {
  int device = -1;       ///< −1: devices whose place in the tree nobody told
  std::string title{};   ///< "NUMA node 0"
  std::string remark{};  ///< "CPUs 0-15,128-143"
  std::vector<int> nics{};
  std::vector<std::string> others{};  ///< names of PCI devices that a job does not use
  std::vector<TreeBox> inner{};
  std::vector<int> gpus{};
  double width = 0;
  double height = 0;

  bool holds_something() const { return !nics.empty() || !inner.empty() || !gpus.empty() || !others.empty(); }
};

/// Widths and heights of what is drawn; narrow where a host has many GPUs.
struct TreeSizes {
  double leaf = 116;
  double gpu_height = 66;
  double nic_height = 53;
  double gap = 8;
  double title = 20;
  std::size_t nic_columns = 2;  ///< adapters side by side, where no GPUs below them leave room for more
};

/// What hangs below a CPU, bridges that hold one thing left out, with its size; and `loose` devices, of which only the
/// NUMA node is known.
TreeBox tree_below(const Topology& topology, int cpu, const std::vector<int>& loose, const TreeSizes& sizes);
/// The same for loose devices.
TreeBox tree_of(const Topology& topology, const std::vector<int>& devices, const TreeSizes& sizes);

/// Draws it and everything in it, GPUs along its lower edge. Boxes of GPUs are appended to `gpus` by device id.
void draw_tree(Canvas& canvas, const Topology& topology, const TreeBox& tree, const Box& where, const TreeSizes& sizes,
               std::vector<std::pair<int, Box>>& gpus, const std::vector<bool>& degraded);

}  // namespace tutti::report
