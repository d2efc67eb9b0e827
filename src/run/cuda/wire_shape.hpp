/// @file  wire_shape: how a rank's wire memory is divided, from the settings that are the same on all ranks.
#pragma once

#include "kernels/wire_memory.hpp"
#include "tutti/run/cuda_settings.hpp"

namespace tutti::cuda {

/// Throws invalid_argument for settings that make no sense.
void expect_sound(const CudaSettings& settings);

/// Slots and packets as large as the settings' bytes allow, but no larger than is of use.
kernels::WireShape wire_shape(int ranks, const CudaSettings& settings);

}  // namespace tutti::cuda
