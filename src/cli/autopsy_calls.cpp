#include "cli/autopsy_calls.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tutti::cli {

namespace {

bool ended_badly(const CallRecord& call) { return call.state == CallState::failed; }

}  // namespace

JobCalls::JobCalls(const std::vector<Remains>& remains) {
  for (const Remains& each : remains) {
    const FlightFile& file = each.file;
    size_ = std::max(size_, file.size);
    by_rank_[file.rank] = &each;
    for (const FlightFile::Member& member : file.communicators) {
      Communicator& communicator = communicators_[member.id];
      communicator.parent = member.parent;
      communicator.size = std::max(communicator.size, member.size);
      communicator.ranks[member.rank] = file.rank;
    }
  }
  for (const Remains& each : remains) {
    for (const CallRecord& call : each.file.calls) {
      if (call.communicator == 0 || call.rank < 0) continue;
      // A call that nobody has waited for long is on its way, or its caller does something else meanwhile.
      const bool waits = !call.ended_already() && (call.looked != 0 || each.process == Process::gone);
      if (waits || ended_badly(call)) stuck_.push_back({each.file.rank, &call, place(call)});
    }
  }
  std::stable_sort(stuck_.begin(), stuck_.end(), [](const Stuck& a, const Stuck& b) { return a.place < b.place; });
}

std::string JobCalls::name(std::uint64_t communicator) const { return fmt::format("#{:04x}", communicator >> 48); }

int JobCalls::rank_of(std::uint64_t communicator, int member) const {
  const auto found = communicators_.find(communicator);
  if (found == communicators_.end()) return -1;
  const auto rank = found->second.ranks.find(member);
  if (rank != found->second.ranks.end()) return rank->second;
  return found->second.parent == 0 ? member : -1;  // the first communicator's ranks are the job's
}

CallPlace JobCalls::place(const CallRecord& call) {
  CallPlace place{call.communicator, call.turn};
  if (!is_pairwise(call.collective)) return place;
  place.from = call.collective == Collective::send ? call.rank : call.root;
  place.to = call.collective == Collective::send ? call.root : call.rank;
  return place;
}

std::string JobCalls::describe(const CallPlace& place) const {
  if (place.from < 0) return fmt::format("call {} of communicator {}", place.turn + 1, name(place.communicator));
  return fmt::format("message {} from rank {} to rank {} in communicator {}", place.turn + 1,
                     rank_of(place.communicator, place.from), rank_of(place.communicator, place.to),
                     name(place.communicator));
}

std::vector<int> JobCalls::members(const CallPlace& place) const {
  if (place.from >= 0) return {place.from, place.to};
  std::vector<int> all;
  const auto found = communicators_.find(place.communicator);
  if (found == communicators_.end()) return all;
  for (const auto& [member, rank] : found->second.ranks) all.push_back(member);
  return all;
}

const Remains* JobCalls::of_rank(int rank) const {
  const auto found = by_rank_.find(rank);
  return found == by_rank_.end() ? nullptr : found->second;
}

const CallRecord* JobCalls::find(const CallPlace& place, int member) const {
  const Remains* there = of_rank(rank_of(place.communicator, member));
  if (there == nullptr) return nullptr;
  const auto& calls = there->file.calls;
  const auto found = std::find_if(calls.rbegin(), calls.rend(), [&](const CallRecord& call) {
    return call.communicator == place.communicator && JobCalls::place(call) == place;
  });
  return found == calls.rend() ? nullptr : &*found;
}

const CallRecord* JobCalls::last_in_line(const CallPlace& place, int member) const {
  const Remains* there = of_rank(rank_of(place.communicator, member));
  if (there == nullptr) return nullptr;
  const auto& calls = there->file.calls;
  const auto found = std::find_if(calls.rbegin(), calls.rend(), [&](const CallRecord& call) {
    if (call.communicator != place.communicator) return false;
    const CallPlace other = JobCalls::place(call);
    return other.from == place.from && other.to == place.to;
  });
  return found == calls.rend() ? nullptr : &*found;
}

std::optional<bool> JobCalls::has_entered(const CallPlace& place, int member) const {
  if (of_rank(rank_of(place.communicator, member)) == nullptr) return std::nullopt;
  const CallRecord* last = last_in_line(place, member);
  return last != nullptr && last->turn >= place.turn;
}

}  // namespace tutti::cli
