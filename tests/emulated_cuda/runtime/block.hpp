/// @file  Grid and block: one launch of a kernel, and one block of it on the calling thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "emulated_cuda/abi.hpp"

namespace tutti::emulated {

/// A launch as a value: it may be run again.
struct Launch {
  const KernelEntry* kernel = nullptr;
  std::string name{};
  std::vector<char> parameters{};
  Dim grid{};
  Dim block{};
  std::size_t dynamic_shared = 0;
  int device = 0;
  bool cooperative = false;

  unsigned threads() const { return block.x * block.y * block.z; }
  unsigned blocks() const { return grid.x * grid.y * grid.z; }
};

/// One run of it.
struct Grid {
  const Launch* launch = nullptr;
  unsigned seed = 0;
  bool fresh_fibres = false;
  std::uint64_t timeout_ns = 0;
  const std::atomic<int>* lost = nullptr;  ///< not 0: the device is gone, so the kernel ends
  std::atomic<bool> stop{false};           ///< a block has failed
  std::atomic<unsigned> arrived{0};        ///< at the grid's barrier
  std::atomic<unsigned> barrier{0};        ///< how often it has opened
  char ordered{};                          ///< happens-before of launch and end
  char barrier_ordered{};
};

/// False: it hung, was divergent at a barrier, or was stopped; standard error says so.
bool run_block(Grid& grid, unsigned block);

}  // namespace tutti::emulated
