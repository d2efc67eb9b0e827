/// @file  ScheduleRun: never blocks, so one thread can play all ranks, in whatever order they get their turns.
#include <algorithm>
#include <cstdint>
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
