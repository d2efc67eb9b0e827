/// @file  CallTally: the calls of one rank, counted from their records.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "run/metrics/histogram.hpp"
#include "tutti/base/error.hpp"
#include "tutti/base/types.hpp"
#include "tutti/run/call_record.hpp"

namespace tutti::metrics {

/// Sizes are told apart in eight classes, so that labels stay few: "0", "256B", "4KiB", "64KiB", "1MiB", "16MiB",
/// "256MiB" (up to so many bytes, more than the one before), "larger".
inline constexpr int size_classes = 8;
int size_class(std::uint64_t bytes);
std::string_view size_class_name(int size_class);

/// Bytes of the larger side, which is what a benchmark calls a call's size: all ranks' parts where there are parts.
std::uint64_t call_size(const CallRecord& record);

/// Bytes that a rank puts into shared memory, or takes from it where peers' buffers are in reach: the mean over the ranks,
/// by the schedule's formula. 0 for other engines.
std::uint64_t bytes_through_memory(const CallRecord& record);

/// A value; grows with the kinds of calls, not with their number.
class CallTally {
 public:
  struct Cell {
    Histogram latency{seconds_bounds};      ///< from a call's turn to its end, of calls whose end was noted
    Histogram bandwidth{bandwidth_bounds};  ///< of the bus, bytes/s; of the same calls, where they move anything
    Histogram skew{seconds_bounds};         ///< from the first rank's entry to the last one's, on one host
  };
  using Place = std::pair<Collective, int>;                ///< with the size class
  using Way = std::tuple<Collective, Backend, Algorithm>;  ///< that it took

  CallTally();

  /// A call that has ended.
  void add(const CallRecord& record);
  /// How long the last rank of a call came after the first.
  void add_skew(Collective collective, std::uint64_t bytes, double seconds);

  const std::map<Place, Cell>& cells() const { return cells_; }
  const std::map<Way, std::uint64_t>& ways() const { return ways_; }           ///< calls read
  const std::map<Code, std::uint64_t>& failures() const { return failures_; }  ///< of every code
  std::uint64_t through_memory() const { return through_memory_; }             ///< bytes

  std::uint64_t calls = 0;      ///< made: exact
  std::uint64_t in_flight = 0;  ///< now

 private:
  std::map<Place, Cell> cells_;
  std::map<Way, std::uint64_t> ways_;
  std::map<Code, std::uint64_t> failures_;
  std::uint64_t through_memory_ = 0;
};

}  // namespace tutti::metrics
