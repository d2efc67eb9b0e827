/// @file  ScheduleRun: never blocks, so one thread can play all ranks, in whatever order they get their turns.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "catch.hpp"
#include "run/host/schedule_run.hpp"
#include "run/teams.hpp"

using namespace tutti;
using namespace tutti::host;

namespace {

Request all_reduce_of(std::vector<std::int64_t>& values) {
  Request request{.collective = Collective::all_reduce,
                  .type = DataType::int64,
                  .element_size = 8,
                  .in = values.data(),
                  .out = values.data(),
                  .in_count = values.size(),
                  .out_count = values.size(),
                  .count = values.size()};
  request.op.kind = Op::sum;
  return request;
}

/// Plays one all_reduce of all ranks on this thread; each turn goes to a rank by chance. False: they are stuck.
bool play(std::vector<std::unique_ptr<Team>>& teams, const Decision& decision,
          std::vector<std::vector<std::int64_t>>& values, std::mt19937& random) {
  const std::size_t ranks = teams.size();
  std::vector<std::unique_ptr<HostPreparation>> plans;
  std::vector<ScheduleRun> runs;
  std::vector<Request> requests;
  std::vector<std::size_t> unfinished;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    requests.push_back(all_reduce_of(values[rank]));
    plans.push_back(std::make_unique<HostPreparation>(decision, requests[rank], *teams[rank]));
    runs.emplace_back(static_cast<int>(ranks));
    unfinished.push_back(rank);
  }
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    runs[rank].begin(*plans[rank], requests[rank].in, requests[rank].out, requests[rank].op, *teams[rank]);
  }
  for (int turns = 0; !unfinished.empty(); ++turns) {
    if (turns > 200'000) return false;
    const std::size_t at = random() % unfinished.size();
    const std::size_t rank = unfinished[at];
    const ScheduleRun::Progress progress = runs[rank].advance(*teams[rank]);
    if (progress == ScheduleRun::Progress::closed) return false;
    if (progress == ScheduleRun::Progress::finished) {
      unfinished.erase(unfinished.begin() + static_cast<std::ptrdiff_t>(at));
    } else {
      const int peer = runs[rank].awaited_peer(*teams[rank]);
      if (peer < 0 || peer >= static_cast<int>(ranks) || peer == static_cast<int>(rank)) return false;
      if (runs[rank].awaited(*teams[rank]).peer != peer) return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("one thread plays all ranks of every all_reduce, in any order of turns") {
  std::mt19937 random(11);
  for (int ranks = 1; ranks <= 6; ++ranks) {
    auto teams = test::teams_of(ranks);
    for (const Algorithm algorithm : plan::patterns) {
      for (const Protocol protocol : {Protocol::packet, Protocol::fifo, Protocol::window}) {
        const plan::Schedule schedule{Collective::all_reduce, algorithm, protocol == Protocol::window, ranks, 0};
        if (plan::unsupported(schedule) != nullptr) continue;
        for (const std::size_t count : {std::size_t{1}, std::size_t{50}, std::size_t{5000}}) {
          std::vector<std::vector<std::int64_t>> values;
          for (int rank = 0; rank < ranks; ++rank) values.emplace_back(count, 1 << rank);
          INFO(ranks << " ranks, " << name(algorithm) << " over " << name(protocol) << ", " << count << " elements");
          const bool played = play(teams, {Backend::host, algorithm, protocol}, values, random);
          CHECK(played);
          const std::vector<std::int64_t> right(count, (1 << ranks) - 1);
          CHECK(std::all_of(values.begin(), values.end(), [&](const auto& each) { return each == right; }));
          if (!played) return;  // messages lie in the slots: what follows would fail as well
        }
      }
    }
  }
}

namespace {

/// All ranks of an all_reduce on one thread. One of them stops for good in the middle of a turn, while the others have theirs.
class Stopping {
 public:
  Stopping(const Decision& decision, int ranks, std::size_t count, std::mt19937& random)
      : random_(random),
        teams_(test::teams_of(ranks)),
        values_(count),
        finished_(teams_.size(), 0),
        stopped_(random() % teams_.size()),
        left_(random() % 100) {
    Stopping* const self = this;
    Request request = all_reduce_of(values_);  // nobody looks at what comes out
    request.op.kind = Op::premultiplied_sum;   // so that the loop is called for each rank's own part, too
    std::memcpy(request.op.state, &self, sizeof self);
    for (const auto& team : teams_) {
      plans_.push_back(std::make_unique<HostPreparation>(decision, request, *team));
      plans_.back()->loop = [](const ReduceCall&, const void* state) {
        (*static_cast<Stopping* const*>(state))->reduce();
      };
      runs_.emplace_back(ranks);
      runs_.back().begin(*plans_.back(), request.in, request.out, plans_.back()->request.op, *team);
    }
  }

  /// Until all that are left are stuck or through.
  void play() {
    while (!over_) {
      whose_ = random_() % teams_.size();
      if (!turn_of(whose_) && random_() % 64 == 0) over_ = true;
    }
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t rank = 0; rank < teams_.size(); ++rank) {
        if (rank != stopped_) moved = turn_of(rank) || moved;
      }
    }
  }

  /// Does whoever follows from a rank that waits to the one it waits for, and so on, come to the one that has stopped?
  bool all_ways_lead_to_it() const {
    for (std::size_t rank = 0; rank < teams_.size(); ++rank) {
      if (finished_[rank] != 0) continue;
      std::size_t at = rank;
      for (std::size_t steps = 0; at != stopped_; ++steps) {
        const int peer = runs_[at].awaited_peer(*teams_[at]);
        if (steps == teams_.size() || peer < 0 || finished_[static_cast<std::size_t>(peer)] != 0) return false;
        at = static_cast<std::size_t>(peer);
      }
    }
    return true;
  }

 private:
  struct Stop {};

  bool turn_of(std::size_t rank) {
    const std::uint64_t before = runs_[rank].moves();
    try {
      if (finished_[rank] == 0) finished_[rank] = runs_[rank].advance(*teams_[rank]) == ScheduleRun::Progress::finished;
    } catch (Stop) {
      over_ = true;
    }
    return runs_[rank].moves() != before;
  }

  /// Within a turn. While the one that will stop is in its last one, the others go on.
  void reduce() {
    if (whose_ != stopped_ || over_) return;
    const std::size_t mine = whose_;
    for (std::size_t turns = 4 * teams_.size(); turns > 0; --turns) {
      whose_ = random_() % teams_.size();
      if (whose_ != mine) turn_of(whose_);
    }
    whose_ = mine;
    if (left_-- == 0) throw Stop{};
  }

  std::mt19937& random_;
  std::vector<std::unique_ptr<Team>> teams_;
  std::vector<std::int64_t> values_;
  std::vector<std::unique_ptr<HostPreparation>> plans_;
  std::vector<ScheduleRun> runs_;
  std::vector<char> finished_;
  std::size_t whose_ = 0;  ///< turn it is
  std::size_t stopped_;
  std::size_t left_;  ///< so many times it reduces before it stops
  bool over_ = false;
};

}  // namespace

TEST_CASE("from one waiting rank to the next, one comes to the rank that has stopped") {
  std::mt19937 random(5);
  for (const Algorithm algorithm : plan::patterns) {
    for (const Protocol protocol : {Protocol::packet, Protocol::fifo, Protocol::window}) {
      for (int ranks = 2; ranks <= 9; ++ranks) {
        const plan::Schedule schedule{Collective::all_reduce, algorithm, protocol == Protocol::window, ranks, 0};
        if (plan::unsupported(schedule) != nullptr) continue;
        INFO(ranks << " ranks, " << name(algorithm) << " over " << name(protocol));
        const int scenarios = protocol == Protocol::packet ? 20 : 4;
        const std::size_t count = protocol == Protocol::packet ? 20'000 : 40'000;
        int wrong = 0;
        for (int scenario = 0; scenario < scenarios; ++scenario) {
          Stopping stopping({Backend::host, algorithm, protocol}, ranks, count, random);
          stopping.play();
          wrong += stopping.all_ways_lead_to_it() ? 0 : 1;
        }
        CHECK(wrong == 0);
      }
    }
  }
}

TEST_CASE("what a run waits for has words: a message, room, or an arrival, and the peer") {
  auto teams = test::teams_of(2);
  std::vector<std::int64_t> values(1 << 20);
  const Request request = all_reduce_of(values);
  const auto awaited = [&](const Decision& decision) {
    HostPreparation plan(decision, request, *teams[0]);
    ScheduleRun run(2);
    run.begin(plan, request.in, request.out, request.op, *teams[0]);
    CHECK(run.advance(*teams[0]) == ScheduleRun::Progress::blocked);
    return run.awaited(*teams[0]);
  };
  const auto message = awaited({Backend::host, Algorithm::ring, Protocol::fifo});
  CHECK(message.peer == 1);
  CHECK(message.what.find("a message in step ") == 0);
  const auto arrival = awaited({Backend::host, Algorithm::two_shot, Protocol::window});
  CHECK(arrival.peer == 1);
  CHECK(arrival.what.find("its arrival at the barrier in step 1 of ") == 0);
}
