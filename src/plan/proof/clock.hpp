/// @file  Clock: vector clocks over all lanes of all ranks; which steps are sure to come before which.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tutti::plan {

/// How many steps of each lane have surely happened. Only messages and barriers tell; that a wire happened to be full
/// does not count, since with more slots it would not be.
using Clock = std::vector<std::uint32_t>;

inline void learn(Clock& mine, const Clock& theirs) {
  for (std::size_t i = 0; i < theirs.size(); ++i) mine[i] = std::max(mine[i], theirs[i]);
}

}  // namespace tutti::plan
