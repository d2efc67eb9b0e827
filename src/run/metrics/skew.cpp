#include "run/metrics/skew.hpp"

#include <algorithm>
#include <utility>

#include "run/metrics/call_tally.hpp"

namespace tutti::metrics {

std::vector<Arrivals> SkewFinder::compare(std::span<const std::vector<CallRecord>> records) {
  struct Entry {
    std::size_t rank;
    const CallRecord* record;
  };
  std::map<std::uint64_t, std::size_t> members;  // ranks that have calls of a communicator
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<Entry>> calls;  // by communicator and turn
  for (std::size_t rank = 0; rank < records.size(); ++rank) {
    std::map<std::uint64_t, bool> seen;
    for (const CallRecord& record : records[rank]) {
      if (record.communicator == 0 || is_pairwise(record.collective) || record.entered == 0) continue;
      if (!std::exchange(seen[record.communicator], true)) ++members[record.communicator];
      const auto begun = compared_.find(record.communicator);
      if (begun != compared_.end() && record.turn < begun->second) continue;
      calls[{record.communicator, record.turn}].push_back({rank, &record});
    }
  }
  std::vector<Arrivals> found;
  for (const auto& [call, entries] : calls) {
    // Where all its ranks may be here, all must be; of those of several hosts, those that have such calls.
    const auto size = static_cast<std::size_t>(entries.front().record->size);
    if (entries.size() < 2 || entries.size() != (size <= records.size() ? size : members[call.first])) continue;
    const auto earlier = [](const Entry& a, const Entry& b) { return a.record->entered < b.record->entered; };
    const auto [first, last] = std::minmax_element(entries.begin(), entries.end(), earlier);
    Arrivals arrivals{.collective = first->record->collective, .bytes = call_size(*first->record)};
    for (const Entry& entry : entries) {
      arrivals.ranks.push_back(entry.rank);
      arrivals.late.push_back(static_cast<double>(entry.record->entered - first->record->entered) * 1e-9);
    }
    arrivals.last = static_cast<std::size_t>(last - entries.begin());
    found.push_back(std::move(arrivals));
    compared_[call.first] = call.second + 1;
  }
  // Of a communicator whose calls are all forgotten, no call can be seen again.
  std::erase_if(compared_, [&](const auto& each) { return !members.contains(each.first); });
  return found;
}

}  // namespace tutti::metrics
