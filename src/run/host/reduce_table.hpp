/// @file  The loops of one element type, by operator, and who hands them out.
#pragma once

#include <cstddef>

#include "tutti/base/reduce_op.hpp"

namespace tutti::host {

/// nullptr: the operator makes no sense for the type.
struct Loops {
  ReduceOp::Loop by_op[op_count] = {};
};

/// Those of the best instruction set this processor has. One translation unit a family of types.
const Loops* float32_loops() noexcept;
const Loops* float64_loops() noexcept;
const Loops* float16_loops() noexcept;
const Loops* bfloat16_loops() noexcept;
const Loops* float8_e4m3_loops() noexcept;
const Loops* float8_e5m2_loops() noexcept;
const Loops* int8_loops() noexcept;
const Loops* uint8_loops() noexcept;
const Loops* int16_loops() noexcept;
const Loops* uint16_loops() noexcept;
const Loops* int32_loops() noexcept;
const Loops* uint32_loops() noexcept;
const Loops* int64_loops() noexcept;
const Loops* uint64_loops() noexcept;

/// `loop_for` asks the above once; this makes it ask again.
void forget_loops() noexcept;

/// Copies with non-temporal stores, and does not order them: the caller ends with `order_streamed_writes`.
void copy_streaming(const void* source, void* destination, std::size_t bytes) noexcept;

/// Non-temporal stores of this thread become visible before its later stores do.
void order_streamed_writes() noexcept;

}  // namespace tutti::host
