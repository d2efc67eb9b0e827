/// @file  Seeded contents whose combination over all ranks is known exactly, for every type and operation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tutti/base/reduce_op.hpp"
#include "tutti/base/types.hpp"

namespace tutti::bench {

/// Contents repeat after so many elements: a prime, so that a block in the wrong place shows.
inline constexpr std::size_t pattern_period = 251;

/// What makes contents: the same on all ranks.
///
/// Where elements are combined, the values are so small, and in narrow floats so few of them not neutral, that no order
/// of combining ever rounds: the result is exact. Where elements are only moved they are arbitrary bits.
struct Pattern {
  DataType type = DataType::float32;
  Op op = Op::none;
  int ranks = 1;
  std::uint64_t seed = 0;

  /// [pattern_period] elements as bytes: what rank `source` puts in.
  std::vector<std::byte> contribution(int source) const;
  /// [pattern_period] elements as bytes: `op` over all ranks.
  std::vector<std::byte> combination() const;
};

/// Writes `count` elements of an endless repetition of `period` to `to`, the first of them the one at `position`.
void lay(const std::vector<std::byte>& period, std::size_t element_size, std::size_t position, std::size_t count,
         std::byte* to);

/// How many of the elements at `at` are not what `lay` would write.
std::size_t count_wrong(const std::vector<std::byte>& period, std::size_t element_size, std::size_t position,
                        std::size_t count, const std::byte* at);

}  // namespace tutti::bench
