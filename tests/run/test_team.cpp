/// @file  Team: what a rank wrote before it came to a barrier, and shows there, others may read after it, from other threads.
#include "run/host/team.hpp"

#include <numeric>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "run/teams.hpp"

using namespace tutti;
using namespace tutti::host;

TEST_CASE("after a barrier every rank reads what the others showed at it, while these go on to show the next") {
  constexpr int ranks = 3;
  constexpr int turns = 400;
  const auto teams = test::teams_of(ranks);
  std::vector<int> wrong(ranks);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      Team& team = *teams[static_cast<std::size_t>(rank)];
      std::vector<std::vector<int>> buffers(2, std::vector<int>(16));  // by turns, as users' buffers are
      for (int turn = 0; turn < turns; ++turn) {
        std::vector<int>& mine = buffers[static_cast<std::size_t>(turn % 2)];
        std::iota(mine.begin(), mine.end(), 1000 * turn + rank);
        const Team::Window window{mine.data(), mine.data(), mine.size() * sizeof(int), mine.size() * sizeof(int)};
        team.arrive(&window);
        while (!team.all_arrived()) std::this_thread::yield();
        for (int peer = 0; peer < ranks; ++peer) {
          const auto* theirs = reinterpret_cast<const int*>(team.window_in(peer));
          if (theirs[15] != 1000 * turn + peer + 15) ++wrong[static_cast<std::size_t>(rank)];
        }
      }
      team.arrive(nullptr);  // buffers stay until all have read
      while (!team.all_arrived()) std::this_thread::yield();
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::vector<int>(ranks));
}

TEST_CASE("nobody passes a barrier before all have come, and who is missing is named") {
  const auto teams = test::teams_of(3);
  for (int turn = 0; turn < 5; ++turn) {
    teams[0]->arrive(nullptr);
    CHECK_FALSE(teams[0]->all_arrived());
    CHECK(teams[0]->missing() == 1);
    teams[1]->arrive(nullptr);
    CHECK_FALSE(teams[0]->all_arrived());
    CHECK(teams[0]->missing() == 2);
    CHECK_FALSE(teams[1]->all_arrived());
    teams[2]->arrive(nullptr);
    for (const auto& team : teams) CHECK(team->all_arrived());
  }
}
