/// @file  Reductions and copies of host memory: which loop combines a type by an operator, and the copy.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tutti/base/reduce_op.hpp"
#include "tutti/base/types.hpp"

namespace tutti::host {

using Loop = ReduceOp::Loop;

/// The loop that executes a ReduceCall for elements of `type`: `loop(call, op.state)`. The fastest this
/// processor has for a ready-made operator, `op.loop` for a user's; nullptr where `unsupported` has a reason.
///
/// Cheap enough to call once a step: no allocation, no lock, never throws. The loop itself takes any number
/// of sources from one up and any number of destinations, needs no alignment, and gives the same bits
/// whatever the processor, the alignment and the count (docs/numerics.md). Loops may run in many threads.
Loop loop_for(DataType type, const ReduceOp& op) noexcept;

/// Why there is no loop for this pair, as the end of a sentence; nullptr: there is one.
const char* unsupported(DataType type, const ReduceOp& op) noexcept;

/// Copies `bytes` from source to each of `count` destinations. A destination may be the source itself, else
/// they do not overlap. Bit d of `streaming`: destination d is written around the caches; by the return these
/// writes are ordered before every later store of this thread.
void copy(const void* source, void* const* destinations, int count, std::size_t bytes,
          std::uint32_t streaming) noexcept;

}  // namespace tutti::host
