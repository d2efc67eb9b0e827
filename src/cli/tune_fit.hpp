/// @file  From measured times to a tuning: which way from which size on, and each way's coefficients. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "tutti/choose/tuning.hpp"

namespace tutti::tune {

/// Whether a call is in place is not known to all ranks, so a way has to do for both.
inline constexpr std::size_t placements = 2;  ///< out of place, in place

struct MeasuredWay {
  Algorithm algorithm = Algorithm::one_shot;
  Protocol protocol = Protocol::fifo;
  std::vector<std::array<Interval, placements>> us{};  ///< [sizes]; a value of 0: not measured

  /// Was it measured at this size, however placed?
  bool at(std::size_t size) const { return us[size][0].value > 0 || us[size][1].value > 0; }
};

struct Measurements {
  Collective collective = Collective::all_reduce;
  Reach reach = Reach::threads;
  int ranks = 2;
  std::vector<std::size_t> bytes{};  ///< [sizes] of one rank's data, ascending
  std::vector<MeasuredWay> ways{};
};

/// How much longer than the quickest way a way takes at a size, by the placement where that is most: 1 or more;
/// infinite where it was not measured.
double regret(const Measurements& measured, std::size_t way, std::size_t size);

/// The sequence of ways with the least time over all sizes, each size counting alike, where a change costs as much as
/// `hysteresis` (0.05: 5 %) at one size; so noise makes none. At least one size and one way, and at every size a way.
TunedCall fit(const Measurements& measured, double hysteresis);

}  // namespace tutti::tune
