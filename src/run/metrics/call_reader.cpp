#include "run/metrics/call_reader.hpp"

#include <algorithm>

namespace tutti::metrics {

void CallReader::read(const std::vector<CallRecord>& recent, CallTally& tally) {
  std::uint64_t waiting = 0;  // the first one that has not ended
  leave(tally);
  for (const CallRecord& record : recent) {
    if (record.number <= since_) continue;
    tally.calls += record.number - std::min(counted_, record.number);
    counted_ = std::max(counted_, record.number);
    if (!record.ended_already()) {
      ++in_flight_;
      if (waiting == 0) waiting = record.number;
      continue;
    }
    if (taken_.contains(record.number)) continue;
    tally.add(record);
    if (waiting != 0) taken_.insert(record.number);
  }
  since_ = waiting != 0 ? waiting - 1 : counted_;
  taken_.erase(taken_.begin(), taken_.upper_bound(since_));
  tally.in_flight += in_flight_;
}

void CallReader::leave(CallTally& tally) {
  tally.in_flight -= in_flight_;
  in_flight_ = 0;
}

}  // namespace tutti::metrics
