/// @file  Covering array: few rows in which every pair of values of every two axes occurs.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace tutti::conformance {

/// A value for each axis, counted from 0.
using Row = std::vector<int>;

struct Covering {
  std::vector<Row> rows;
  std::size_t pairs = 0;       ///< that rows cover
  std::size_t impossible = 0;  ///< for which no valid row was found
};

/// `axes`: how many values each has. Rows for which `valid` is false are not made. Greedy, so not the fewest rows
/// there are; the same for the same seed.
Covering cover_pairs(const std::vector<int>& axes, const std::function<bool(const Row&)>& valid, std::uint64_t seed);

}  // namespace tutti::conformance
