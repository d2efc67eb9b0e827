#include "run/trace/calls_together.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace tutti::trace {

namespace {

/// Communicator, kind, sender, receiver, turn; sender and receiver are -1 for collectives.
using Key = std::tuple<std::uint64_t, bool, int, int, std::uint64_t>;

Key key_of(const CallRecord& call) {
  if (!is_pairwise(call.collective)) return {call.communicator, false, -1, -1, call.turn};
  const bool sends = call.collective == Collective::send;
  return {call.communicator, true, sends ? call.rank : call.root, sends ? call.root : call.rank, call.turn};
}

/// Can `call` not end before `other` has begun?
bool needs(const CallRecord& call, const CallRecord& other) {
  switch (call.collective) {
    case Collective::broadcast:
    case Collective::scatter:
      return other.rank == call.root;
    case Collective::reduce:
    case Collective::gather:
      return call.rank == call.root;
    case Collective::send:  // a message that is taken by nobody yet may have been put down
      return false;
    default:
      return true;
  }
}

}  // namespace

std::vector<Together> calls_together(const std::vector<RankTrace>& traces) {
  std::map<Key, std::vector<Part>> parts;
  for (std::size_t trace = 0; trace < traces.size(); ++trace) {
    const std::int64_t offset = traces[trace].head.offset_ns;
    for (std::size_t i = 0; i < traces[trace].calls.size(); ++i) {
      const CallRecord& call = traces[trace].calls[i];
      if (call.communicator == 0) continue;
      parts[key_of(call)].push_back({trace, i, call.entered + offset, call.ended + offset});
    }
  }
  std::vector<Together> found;
  for (auto& [key, members] : parts) {
    if (members.size() < 2) continue;
    Together call{.parts = std::move(members)};
    const auto earlier = [](const Part& a, const Part& b) { return a.entered < b.entered; };
    const auto [first, last] = std::minmax_element(call.parts.begin(), call.parts.end(), earlier);
    call.late = static_cast<std::size_t>(last - call.parts.begin());
    call.late_ns = last->entered - first->entered;
    const auto record = [&](const Part& part) -> const CallRecord& { return traces[part.trace].calls[part.call]; };
    for (std::size_t i = 0; i < call.parts.size(); ++i) {
      if (call.parts[i].entered < last->entered && needs(record(call.parts[i]), record(*last))) {
        call.waiting.push_back(i);
      }
    }
    found.push_back(std::move(call));
  }
  std::sort(found.begin(), found.end(),
            [](const Together& a, const Together& b) { return a.parts[a.late].entered < b.parts[b.late].entered; });
  return found;
}

}  // namespace tutti::trace
