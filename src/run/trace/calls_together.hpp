/// @file  Calls together: which records of different ranks are one call, and who of them waited for whom.
#pragma once

#include <cstdint>
#include <vector>

#include "run/trace/rank_trace.hpp"

namespace tutti::trace {

/// One rank's part of a call, on the common clock.
struct Part {
  std::size_t trace = 0;  ///< which
  std::size_t call = 0;   ///< of its calls
  std::int64_t entered = 0;
  std::int64_t ended = 0;
};

/// Parts of one call: two at least. `late` came last; those that needed it waited until it came.
struct Together {
  std::vector<Part> parts{};
  std::size_t late = 0;                ///< of `parts`
  std::int64_t late_ns = 0;            ///< after the first one
  std::vector<std::size_t> waiting{};  ///< of `parts`: entered before `late`, and could not end without it
};

/// Collectives that several of the traced ranks entered, and each send with its recv, in the order of the last entry.
std::vector<Together> calls_together(const std::vector<RankTrace>& traces);

}  // namespace tutti::trace
