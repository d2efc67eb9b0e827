#include "run/metrics/skew.hpp"

#include <algorithm>
#include <utility>

#include "run/metrics/call_tally.hpp"

namespace tutti::metrics {

namespace {

struct Entry {
  std::size_t rank;
  const CallRecord* record;
};

bool all_wait_for_all(Collective collective) {
  return collective == Collective::all_reduce || collective == Collective::reduce_scatter ||
         collective == Collective::all_gather || collective == Collective::all_to_all ||
         collective == Collective::barrier;
}

/// Have all ranks of a call that are among so many entered it? `members` of them have calls of its communicator.
/// How many of its ranks are on other hosts nobody says; but where all wait for all, a call that has ended was entered
/// by everybody.
bool all_are_here(std::size_t members, std::size_t ranks, const std::vector<Entry>& entries) {
  const auto size = static_cast<std::size_t>(entries.front().record->size);
  if (entries.size() == size) return true;
  if (entries.size() != members) return false;
  if (size > ranks) return true;
  return all_wait_for_all(entries.front().record->collective) &&
         std::all_of(entries.begin(), entries.end(),
                     [](const Entry& entry) { return entry.record->state == CallState::done; });
}

}  // namespace

std::vector<Arrivals> SkewFinder::compare(std::span<const std::vector<CallRecord>> records) {
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
    if (entries.size() < 2 || !all_are_here(members[call.first], records.size(), entries)) continue;
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
