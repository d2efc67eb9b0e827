/// @file  The kernels as the engine sees them: addresses to launch, without a word of CUDA.
#pragma once

#include "tutti/base/reduce_op.hpp"
#include "tutti/base/types.hpp"

namespace tutti::kernels {

/// Both take one Arguments by value. A grid has (channels, lanes) blocks, all resident at once, of whole warps of at most
/// `most_threads`.
struct Kernel {
  const void* slots = nullptr;    ///< messages in slots, or windows where the schedule says so
  const void* packets = nullptr;  ///< messages in packets
};

inline constexpr int most_threads = 512;

/// Op::none: data only moves, whatever its type. Null where there is none: an operator that the type does not have, or a
/// user's own, which user code brings.
Kernel kernel_for(DataType type, Op op);

}  // namespace tutti::kernels
