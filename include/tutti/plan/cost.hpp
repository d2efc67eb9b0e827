/// @file  Cost: what a schedule takes, counted: hops, barriers, messages, blocks.
#pragma once

namespace tutti::plan {

/// For one chunk. "Most" is the largest number over the ranks, "all" the sum.
struct Cost {
  int hops = 0;           ///< the longest chain of messages of which each had to wait for the one before
  int barriers = 0;       ///< that each rank passes
  int most_messages = 0;  ///< sent by a rank
  int most_blocks = 0;    ///< sent by a rank, or in a window read from and written to its peers
  int all_blocks = 0;

  constexpr bool operator==(const Cost&) const = default;
};

}  // namespace tutti::plan
