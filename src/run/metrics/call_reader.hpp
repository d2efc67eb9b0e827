/// @file  CallReader: takes each ended call of a recorder once, however often it looks.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "run/metrics/call_tally.hpp"
#include "tutti/run/call_record.hpp"

namespace tutti::metrics {

class CallReader {
 public:
  /// Calls up to this number need not be shown again.
  std::uint64_t since() const { return since_; }
  /// `recent` are the records beyond since(), in ascending order. Those that have ended go to `tally`; those that were
  /// overwritten before anybody looked are missed.
  void read(const std::vector<CallRecord>& recent, CallTally& tally);
  /// Nothing of it is in flight any more.
  void leave(CallTally& tally);

 private:
  std::uint64_t since_ = 0;
  std::uint64_t counted_ = 0;      ///< calls that `tally` knows of
  std::uint64_t in_flight_ = 0;    ///< of those
  std::set<std::uint64_t> taken_;  ///< beyond since_: ended before an earlier one did
};

}  // namespace tutti::metrics
