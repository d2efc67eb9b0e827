/// @file  Seat: one rank's place among the ranks of a schedule, and the arithmetic of circles and powers of
/// two.
#pragma once

#include "tutti/base/host_device.hpp"

namespace tutti::plan {

/// The largest power of two that is not above `value`, which is at least 1.
TUTTI_HOST_DEVICE constexpr int floor_power(int value) {
  value |= value >> 1;
  value |= value >> 2;
  value |= value >> 4;
  value |= value >> 8;
  value |= value >> 16;
  return value - (value >> 1);
}

/// The largest power of two that divides `value`, which is at least 1.
TUTTI_HOST_DEVICE constexpr int low_bit(int value) { return value & -value; }

/// The exponent of the power of two `power`.
TUTTI_HOST_DEVICE constexpr int exponent(int power) {
  int result = 0;
  for (int shift = 16; shift > 0; shift >>= 1) {
    if ((power >> shift) != 0) {
      power >>= shift;
      result += shift;
    }
  }
  return result;
}

/// log2 of `value`, at least 1, rounded down and up: rounds of doubling.
TUTTI_HOST_DEVICE constexpr int log2_floor(int value) { return exponent(floor_power(value)); }
TUTTI_HOST_DEVICE constexpr int log2_ceil(int value) { return value == 1 ? 0 : log2_floor(value - 1) + 1; }

/// `value`, between -size and 2 * size - 1, on the circle 0 … size - 1.
TUTTI_HOST_DEVICE constexpr int around(int value, int size) {
  return value < 0 ? value + size : value < size ? value : value - size;
}

/// What the steps of a rank depend on, besides the pattern. Patterns may count on size >= 2.
struct Seat {
  int rank = 0;
  int size = 1;
  int root = 0;  ///< 0 where the collective has none

  TUTTI_HOST_DEVICE constexpr int right(int distance = 1) const { return around(rank + distance, size); }
  TUTTI_HOST_DEVICE constexpr int left(int distance = 1) const { return around(rank - distance, size); }
  TUTTI_HOST_DEVICE constexpr bool is_root() const { return rank == root; }
  /// Ranks counted from the root, which is number 0; and back.
  TUTTI_HOST_DEVICE constexpr int number() const { return around(rank - root, size); }
  TUTTI_HOST_DEVICE constexpr int rank_of(int number) const { return around(root + number, size); }
};

}  // namespace tutti::plan
