/// @file  How a rank's clock stands to that of rank 0, from messages there and back.
#pragma once

#include <cstdint>
#include <span>

namespace tutti {

class Communicator;
class Placement;

/// Nanoseconds: time here + offset = time of rank 0's host, within `error` either way.
struct ClockOffset {
  std::int64_t offset = 0;
  std::int64_t error = 0;
};

/// A question to rank 0 and its answer.
struct RoundTrip {
  std::int64_t asked = 0;     ///< here
  std::int64_t told = 0;      ///< what rank 0's clock showed in between
  std::int64_t answered = 0;  ///< here
};

/// By the quickest one: in it, the least can have happened on the way.
ClockOffset offset_from(std::span<const RoundTrip> trips);

/// Collective, by sends, receives and an all_gather. Ranks of one host have one clock; the first of each host asks rank 0.
ClockOffset offset_to_rank_0(Communicator& comm, const Placement& placement);

}  // namespace tutti
