#include "cli/autopsy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "cli/autopsy_calls.hpp"

namespace tutti::cli {

namespace {

std::string seconds(std::int64_t ns) {
  return ns < 1'000'000'000 ? fmt::format("{} ms", std::max<std::int64_t>(ns, 0) / 1'000'000)
                            : fmt::format("{:.1f} s", static_cast<double>(ns) / 1e9);
}

/// "rank 3", "ranks 1, 2 and 5".
std::string ranks_text(const std::vector<int>& ranks) {
  if (ranks.size() == 1) return fmt::format("rank {}", ranks.front());
  const std::vector<int> shown(ranks.begin(),
                               ranks.begin() + static_cast<long>(std::min<std::size_t>(ranks.size(), 17)) - 1);
  if (ranks.size() > 17)
    return fmt::format("ranks {} and {} more", fmt::join(shown, ", "), ranks.size() - shown.size());
  return fmt::format("ranks {} and {}", fmt::join(shown, ", "), ranks.back());
}

/// What ranks must agree on, of a call.
auto kind_of(const CallRecord& call) {
  const bool uneven = call.collective == Collective::all_to_all_v;
  const bool message = is_pairwise(call.collective);
  return std::tuple(message ? Collective::send : call.collective, call.type, call.op, uneven ? 0 : call.count,
                    call.element_size, message ? -1 : call.root);
}

class Report {
 public:
  explicit Report(const std::vector<Remains>& remains) : calls_(remains) {
    for (const Remains& each : remains) {
      std::int64_t& newest = newest_[each.file.host_id];
      newest = std::max(newest, each.file.seen);
    }
    autopsy_.job = remains.front().file.job;
    autopsy_.size = calls_.size();
    for (const auto& [rank, each] : calls_.ranks()) autopsy_.ranks.push_back(report_of(*each));
    for (const auto& [id, communicator] : calls_.communicators()) {
      CommunicatorReport report{id, calls_.name(id), communicator.parent, communicator.size};
      for (const auto& [member, rank] : communicator.ranks) report.ranks.push_back(rank);
      autopsy_.communicators.push_back(std::move(report));
    }
    find_causes();
    find_deadlock();
    find_lost();
    sort_by_severity(autopsy_.findings);
  }
  Autopsy result() && { return std::move(autopsy_); }

 private:
  /// "step 3 of 6, waiting for a message from rank 1"
  std::string wait_of(const CallRecord& call) const {
    if (call.state == CallState::queued) return "waiting for its turn after earlier calls";
    if (call.looked == 0) return "not waited for by its caller";
    std::string text;
    if (call.comparing) text = "comparing calls, ";
    if (call.step != 0) text += fmt::format("step {} of {}, ", call.step, call.steps);
    if (call.with_network) return text + "waiting for the network between hosts";
    if (call.awaited < 0) return text + "waiting";
    const int peer = calls_.rank_of(call.communicator, call.awaited);
    const char* what = call.at_barrier ? "the barrier of" : call.for_room ? "room at" : "a message from";
    return text + fmt::format("waiting for {} rank {}", what, peer);
  }

  /// Since then, on the clock of the file's machine, until something was noted there last.
  std::string ago(const FlightFile& file, std::int64_t then) const { return seconds(newest_.at(file.host_id) - then); }

  std::string state_of(const FlightFile& file, const CallRecord& call) const {
    const CallPlace place = JobCalls::place(call);
    const std::string which = fmt::format("{}, {}", calls_.describe(place), describe(call));
    if (call.state == CallState::failed) {
      return fmt::format("failed ({}) in {}: {}", tutti::name(call.code), which, wait_of(call));
    }
    if (call.state == CallState::done) {
      const std::string when = call.end_is_noted()
                                   ? fmt::format("ended {} before the last sign of the job", ago(file, call.ended))
                                   : "ended";
      return fmt::format("is in no call; its last, {}, {}", which, when);
    }
    return fmt::format("is in {}, for {}: {}", which, ago(file, call.entered), wait_of(call));
  }

  RankReport report_of(const Remains& remains) const {
    const FlightFile& file = remains.file;
    RankReport report{.rank = file.rank};
    report.process = remains.process;
    report.finished = file.finished;
    report.host = file.host;
    report.pid = file.process;
    if (file.calls.empty()) {
      report.state = "has made no call";
      return report;
    }
    // The oldest call that is under way; else the oldest that failed; else the last one.
    const auto pick = [&](auto wanted) {
      return std::find_if(file.calls.begin(), file.calls.end(), [&](const CallRecord& call) { return wanted(call); });
    };
    auto found = pick([](const CallRecord& call) { return !call.ended_already(); });
    if (found == file.calls.end()) found = pick([](const CallRecord& call) { return call.state == CallState::failed; });
    report.call = found == file.calls.end() ? file.calls.back() : *found;
    report.state = state_of(file, *report.call);
    return report;
  }

  std::string process_of(int rank) const {
    const Remains* remains = calls_.of_rank(rank);
    if (remains == nullptr) return "it has left no file";
    switch (remains->process) {
      case Process::gone:
        return fmt::format("its process {} on {} is gone", remains->file.process, remains->file.host);
      case Process::stopped:
        return fmt::format("its process {} on {} is stopped", remains->file.process, remains->file.host);
      default:
        return remains->file.finished ? "it had given up its communicators" : "its process may be at work elsewhere";
    }
  }

  void add(const char* id, int rank, std::string what, std::string evidence, std::string remedy) {
    const Remains* remains = calls_.of_rank(rank);
    autopsy_.findings.push_back({.id = id,
                                 .severity = Severity::error,
                                 .place = remains != nullptr ? remains->file.name : std::string{},
                                 .subject = rank >= 0 ? fmt::format("rank {}", rank) : "job",
                                 .what = std::move(what),
                                 .evidence = std::move(evidence),
                                 .remedy = std::move(remedy)});
  }

  /// For each call that somebody is stuck in: who has not come, and who has come with another.
  void find_causes() {
    std::set<CallPlace> seen;
    for (const JobCalls::Stuck& stuck : calls_.stuck()) {
      if (!seen.insert(stuck.place).second) continue;
      std::vector<int> waiting, absent;
      std::map<decltype(kind_of(*stuck.call)), std::vector<std::pair<int, const CallRecord*>>> kinds;
      for (const int member : calls_.members(stuck.place)) {
        const int rank = calls_.rank_of(stuck.place.communicator, member);
        const auto entered = calls_.has_entered(stuck.place, member);
        if (entered && !*entered) absent.push_back(member);
        const CallRecord* call = calls_.find(stuck.place, member);
        if (call == nullptr) continue;
        kinds[kind_of(*call)].push_back({rank, call});
        if (call->state != CallState::done) waiting.push_back(rank);
      }
      for (const int member : absent) tell_absent(stuck, member, waiting);
      if (kinds.size() > 1) tell_different(stuck, {kinds.begin(), kinds.end()});
    }
  }

  void tell_absent(const JobCalls::Stuck& stuck, int member, const std::vector<int>& waiting) {
    const int rank = calls_.rank_of(stuck.place.communicator, member);
    const CallRecord* last = calls_.last_in_line(stuck.place, member);
    const std::string before =
        last == nullptr ? std::string("it has made none like it")
                        : fmt::format("its last there was {}, {}", describe(*last), tutti::name(last->state));
    const auto report = std::find_if(autopsy_.ranks.begin(), autopsy_.ranks.end(),
                                     [&](const RankReport& each) { return each.rank == rank; });
    blocks_.push_back({stuck.place, waiting, rank});
    add("not-entered", rank,
        fmt::format("has not entered {} ({}), where {} {} for it", calls_.describe(stuck.place), describe(*stuck.call),
                    ranks_text(waiting), waiting.size() == 1 ? "waits" : "wait"),
        fmt::format("{}; {}; it {}", process_of(rank), before, report->state),
        "look at what that rank does between these two calls, and at how its process ended");
  }

  using Kind = std::pair<decltype(kind_of(std::declval<CallRecord>())), std::vector<std::pair<int, const CallRecord*>>>;
  void tell_different(const JobCalls::Stuck& stuck, std::vector<Kind> kinds) {
    // Those that are fewest differ from the others.
    std::stable_sort(kinds.begin(), kinds.end(),
                     [](const Kind& a, const Kind& b) { return a.second.size() > b.second.size(); });
    const auto ranks = [](const Kind& kind) {
      std::vector<int> all;
      for (const auto& [rank, call] : kind.second) all.push_back(rank);
      return all;
    };
    for (std::size_t i = 1; i < kinds.size(); ++i) {
      const auto& [rank, call] = kinds[i].second.front();
      add("other-call", rank,
          fmt::format("made {} as {}, where {} made {}", describe(*call), calls_.describe(stuck.place),
                      ranks_text(ranks(kinds.front())), describe(*kinds.front().second.front().second)),
          kinds[i].second.size() > 1 ? fmt::format("so did {}", ranks_text(ranks(kinds[i]))) : std::string{},
          "make the same calls in the same order on all ranks of a communicator; Config::check_across_ranks "
          "(TUTTI_CHECK_ACROSS_RANKS=1) makes it an error at once");
    }
  }

  /// A rank waits in one call for another that waits in another call, and so on back to the first.
  void find_deadlock() {
    std::map<int, std::vector<const Block*>> out;
    for (const Block& block : blocks_) {
      for (const int rank : block.waiting) out[rank].push_back(&block);
    }
    std::set<int> done;
    for (const auto& [start, blocks] : out) {
      std::vector<std::pair<int, const Block*>> path;
      std::set<int> on_path;
      if (!done.contains(start) && cycle_from(start, out, path, on_path, done)) {
        tell_cycle(path);
        return;  // one is enough: the others hang on it
      }
    }
  }

  struct Block {
    CallPlace place;
    std::vector<int> waiting;  ///< ranks of the job in the call, for …
    int absent;
  };

  bool cycle_from(int rank, const std::map<int, std::vector<const Block*>>& out,
                  std::vector<std::pair<int, const Block*>>& path, std::set<int>& on_path, std::set<int>& done) const {
    if (on_path.contains(rank)) {
      path.erase(path.begin(),
                 std::find_if(path.begin(), path.end(), [&](const auto& at) { return at.first == rank; }));
      return true;
    }
    if (path.size() > 1000 || done.contains(rank)) return false;
    on_path.insert(rank);
    if (const auto found = out.find(rank); found != out.end()) {
      for (const Block* block : found->second) {
        path.emplace_back(rank, block);
        if (cycle_from(block->absent, out, path, on_path, done)) return true;
        path.pop_back();
      }
    }
    on_path.erase(rank);
    done.insert(rank);
    return false;
  }

  void tell_cycle(const std::vector<std::pair<int, const Block*>>& path) {
    std::string cycle;
    for (const auto& [rank, block] : path) {
      cycle +=
          fmt::format("rank {} is in {} and waits for rank {}; ", rank, calls_.describe(block->place), block->absent);
    }
    cycle.resize(cycle.size() - 2);
    autopsy_.findings.insert(
        autopsy_.findings.begin(),
        {.id = "deadlock",
         .severity = Severity::error,
         .subject = fmt::format("{} ranks", path.size()),
         .what = "wait for one another in a circle, in calls of different order: " + cycle,
         .remedy = "make calls of several communicators in one order on all ranks, or wait for them together"});
  }

  /// Processes that are not there as they should be, and of which nothing has been said.
  void find_lost() {
    for (const RankReport& rank : autopsy_.ranks) {
      const std::string subject = fmt::format("rank {}", rank.rank);
      const bool told = std::any_of(autopsy_.findings.begin(), autopsy_.findings.end(),
                                    [&](const Finding& finding) { return finding.subject == subject; });
      if (told || rank.finished) continue;
      const std::string what = fmt::format("{}: it {}", process_of(rank.rank), rank.state);
      if (rank.process == Process::gone) {
        add("gone", rank.rank, what, {}, "look at how the process ended: its output, dmesg, the job's accounting");
      } else if (rank.process == Process::stopped) {
        add("stopped", rank.rank, what, {}, "kill -CONT, or look at who stopped it");
      }
    }
    std::vector<int> missing;
    for (int rank = 0; rank < autopsy_.size; ++rank) {
      if (calls_.of_rank(rank) == nullptr) missing.push_back(rank);
    }
    if (missing.empty()) return;
    autopsy_.findings.push_back(
        {.id = "no-file",
         .severity = Severity::warning,
         .subject = ranks_text(missing),
         .what = "left no file: not started, ended well, on another host, or with calls kept in memory",
         .remedy = "collect the files of all hosts into one folder"});
  }

  JobCalls calls_;
  Autopsy autopsy_;
  std::vector<Block> blocks_;
  std::map<std::string, std::int64_t> newest_;  ///< of the files of each host: when something was noted last
};

}  // namespace

const char* name(Process process) noexcept {
  switch (process) {
    case Process::running:
      return "running";
    case Process::stopped:
      return "stopped";
    case Process::gone:
      return "gone";
    case Process::unknown:
      break;
  }
  return "unknown";
}

Autopsy autopsy_of(const std::vector<Remains>& remains) { return Report(remains).result(); }

}  // namespace tutti::cli
