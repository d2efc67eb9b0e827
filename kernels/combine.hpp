/// @file  Combine: one operator on elements of one type, with what happens to contributions before and to totals after.
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "kernels/lane_memory.hpp"
#include "tutti/base/reduce_op.hpp"

namespace tutti::kernels {

/// Stands for an operator where data is only moved; elements are then bytes.
struct Copy {};

template <class T, class F, class Machine>
struct Combine {
  static constexpr bool copies = std::is_same_v<F, Copy>;
  static constexpr bool sums = std::is_same_v<F, Sum>;
  using A = accumulator_t<T>;

  /// Does source `own_at` have to be multiplied first? Does the total have to be divided?
  TUTTI_HOST_DEVICE static bool scales(const LaneMemory& memory) {
    return sums && memory.call.scales && memory.own_at >= 0 && memory.own_is_input;
  }
  TUTTI_HOST_DEVICE static bool averages(const LaneMemory& memory) {
    return sums && memory.whole && memory.call.averages;
  }

  TUTTI_HOST_DEVICE static A join(const LaneMemory& memory, A left, A right) {
    if constexpr (copies) {
      return left;
    } else if constexpr (std::is_empty_v<F>) {
      return F{}(left, right);
    } else {
      F op;
      std::memcpy(&op, memory.call.op, sizeof op);
      return op(left, right);
    }
  }
  TUTTI_HOST_DEVICE static A take(T value) { return Machine::widen(value); }
  TUTTI_HOST_DEVICE static T give(A total) { return Machine::template narrow<T>(total); }

  TUTTI_HOST_DEVICE static T scaled(const LaneMemory& memory, T value) {
    if constexpr (sums) value = premultiply(value, memory.call.factor);
    return value;
  }
  TUTTI_HOST_DEVICE static A divided(const LaneMemory& memory, A total) {
    if constexpr (sums) total = averaged(total, memory.call.schedule.size);
    return total;
  }
};

}  // namespace tutti::kernels
