/// @file  Merge: traces of ranks on one clock, with who was late, as a timeline for Perfetto.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "run/trace/rank_trace.hpp"

namespace tutti::trace {

struct MergeOptions {
  /// A rank that came less than this after the first one is not late; nor is one that the clocks cannot tell.
  std::int64_t late_ns = 10'000;
};

/// How a rank came to the calls that it shared with others.
struct RankLateness {
  int rank = 0;
  std::string host{};
  std::uint64_t calls = 0;     ///< compared
  std::uint64_t last = 0;      ///< of them those that it entered last, and late
  std::int64_t median_ns = 0;  ///< of its lateness in those
  std::int64_t waited_ns = 0;  ///< that it spent waiting for ranks that came later
};

struct Timeline {
  std::string json{};  ///< docs/schema/trace.schema.json
  std::vector<RankLateness> ranks{};
  std::uint64_t calls = 0;
  std::uint64_t lost = 0;
  std::int64_t error_ns = 0;  ///< the largest uncertainty of a clock
};

/// The traces are of one job, each of another rank. Every rank becomes a process of the timeline, every communicator a
/// thread of it, or several where calls overlap. A call that waited for a late rank has a slice for that inside, and an
/// arrow from the late rank's call to the one that waited the longest.
Timeline merge(const std::vector<RankTrace>& traces, const MergeOptions& options = {});

}  // namespace tutti::trace
