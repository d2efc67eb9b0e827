/// @file  Skew: who came first and who came last to each call, from the records of several ranks of one host.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "tutti/run/call_record.hpp"

namespace tutti::metrics {

/// One call that all of them have entered.
struct Arrivals {
  Collective collective{};
  std::uint64_t bytes = 0;           ///< call_size
  std::vector<std::size_t> ranks{};  ///< those that took part, as they are numbered in the input
  std::vector<double> late{};        ///< [ranks] seconds after the first one
  std::size_t last = 0;              ///< of `ranks`: the place of the one that came last
};

/// Remembers up to which turn a communicator's calls have been compared.
class SkewFinder {
 public:
  /// `records` are each rank's recent ones, in ascending order, as FlightRecorder::recent gives them. Each call is given
  /// once, when all its ranks have entered it; of a communicator of more ranks than these, when those have that have calls of it. Sends and receives are left out.
  std::vector<Arrivals> compare(std::span<const std::vector<CallRecord>> records);

 private:
  std::map<std::uint64_t, std::uint64_t> compared_;  ///< by communicator: the first turn that was not
};

}  // namespace tutti::metrics
