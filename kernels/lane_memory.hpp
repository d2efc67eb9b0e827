/// @file  LaneMemory: what the threads of a lane share: the call, the step at hand, and its two sides.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/arguments.hpp"
#include "kernels/wire_memory.hpp"
#include "tutti/plan/step.hpp"

namespace tutti::kernels {

/// It lives in the block's shared memory, where functions that are not compiled into every kernel reach it too.
struct LaneMemory {
  Arguments call;
  std::uint64_t deadline;  ///< 0: none
  int channel;
  int lane;
  plan::Step steps[2];  ///< the one at hand, and the next

  // The piece at hand: sources in the order in which they are combined, and destinations, of `count` elements (bytes,
  // where data is only moved).
  std::size_t count;
  int source_count;
  int own_at;         ///< the source that is this rank's own; -1: none
  bool own_is_input;  ///< and a fresh contribution
  bool whole;         ///< the result is complete
  int destination_count;
  int store_at;  ///< the destination that is this rank's own; -1: none
  const std::byte* sources[max_ranks + 1];
  std::byte* destinations[max_ranks + 1];
  // Of the messages, where packets are: what their lines carry, and who sends them.
  std::uint32_t source_numbers[max_ranks + 1];
  std::uint32_t destination_numbers[max_ranks + 1];
  int source_peers[max_ranks + 1];
  std::size_t message_bytes;  ///< of the pieces before, in every message
};

}  // namespace tutti::kernels
