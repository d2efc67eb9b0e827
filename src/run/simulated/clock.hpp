/// @file  The clock of a simulated run: whole picoseconds, whole bytes a second, so that sums do not depend on their order.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace tutti::simulated {

using Time = std::int64_t;  ///< picoseconds
using Rate = std::int64_t;  ///< bytes a second
/// Bytes times 10^12: what a rate of one byte a second moves in a picosecond is 1.
__extension__ using Work = unsigned __int128;

inline constexpr Time never = std::numeric_limits<Time>::max();
inline constexpr Work work_of_a_byte = 1000000000000ULL;

inline Time picoseconds(double us) { return static_cast<Time>(std::llround(us * 1e6)); }
inline double microseconds(Time time) { return static_cast<double>(time) / 1e6; }
inline Rate rate_of(double gbs) { return static_cast<Rate>(std::llround(gbs * 1e9)); }

/// How long `work` takes; never at no rate.
inline Time duration(Work work, Rate rate) {
  if (rate <= 0) return never;
  const auto divisor = static_cast<Work>(rate);
  const Work time = (work + divisor - 1) / divisor;
  return time >= static_cast<Work>(never) ? never : static_cast<Time>(time);
}

}  // namespace tutti::simulated
