/// @file  run_grid: all blocks of a launch, so many at once as are resident.
#pragma once

#include <atomic>

#include "emulated_cuda/runtime/block.hpp"

namespace tutti::emulated {

/// Blocks of `launch` that are resident at once on a device.
unsigned resident_blocks();

/// Returns when the kernel has ended. False: it failed. `lost`: see Grid.
bool run_grid(const Launch& launch, const std::atomic<int>& lost);

}  // namespace tutti::emulated
