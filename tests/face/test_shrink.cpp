/// @file  shrink: the ranks that are left go on without the others, who may be lost during it too; and duplicate.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "face/helpers.hpp"
#include "processes.hpp"
#include "run/host/arena.hpp"
#include "tutti/bootstrap/in_process.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

void sum_over(Communicator& comm) {
  std::vector<int> ones(1000, 1);
  all_reduce(comm, on_host(ones), sum).wait();
  require(ones[999] == comm.size(), "the sum is right");
}

}  // namespace

TEST_CASE("ranks that are left go on without one that has gone, in their old order") {
  for (const int lost : {0, 2, 3}) {
    const Errors errors = errors_of(4, [&](Communicator& comm) {
      sum_over(comm);
      if (comm.rank() == lost) return;
      const auto error = error_of([&] { sum_over(comm); });
      require(error.has_value(), "the loss is noticed");
      Communicator smaller = comm.shrink();
      require(smaller.size() == 3, "three are left");
      require(smaller.rank() == comm.rank() - (comm.rank() > lost ? 1 : 0), "the order stays");
      expect_works(smaller);
      Buffer<int> buffer = smaller.allocate<int>(100);
      all_reduce(smaller, on_host(buffer), sum).wait();
      auto half = smaller.split(smaller.rank() % 2).value();
      expect_works(half);
      require(error_of([&] { sum_over(comm); }).has_value(), "the old one cannot be used");
    });
    for (const auto& error : errors) CHECK_FALSE(error);
  }
}

TEST_CASE("a hundred times in a row: abort, shrink, and everybody goes on") {
  in_process(3, [](Communicator& comm) {
    Communicator current = comm;
    for (int turn = 0; turn < 100; ++turn) {
      // Whoever still waits in it when another aborts is told so.
      const auto error = error_of([&] { expect_works(current); });
      require(!error || error->code() == Code::aborted, "it works, or somebody has aborted");
      if (turn % 3 == current.rank()) current.abort();
      current = current.shrink();
      require(current.size() == 3, "nobody is lost");
    }
    expect_works(current);
  });
}

TEST_CASE("a rank that does not come to shrink is left out when the others have waited long enough, and told so") {
  auto worlds = worlds_in_process(3);
  std::vector<std::optional<Error>> told(3);
  std::vector<int> sizes(3);
  std::vector<std::thread> threads;
  for (World& world : worlds) {
    world.timeout = 200ms;
    threads.emplace_back([&, world] {
      const auto rank = static_cast<std::size_t>(world.rank);
      Communicator comm(world);
      if (rank == 2) std::this_thread::sleep_for(600ms);
      told[rank] = error_of([&] { sizes[rank] = comm.shrink().size(); });
      std::this_thread::sleep_for(rank == 2 ? 0ms : 600ms);  // the old communicator stays until all are through
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK_FALSE(told[0]);
  CHECK_FALSE(told[1]);
  CHECK(sizes == std::vector<int>{2, 2, 0});
  CHECK(says(told[2], Code::aborted, {"shrink", "gone on without this rank", "TUTTI_TIMEOUT"}));
}

TEST_CASE("shrink is asked for once") {
  in_process(2, [](Communicator& comm) {
    Communicator same = comm.shrink();
    expect_works(same);
    require(says(error_of([&] { comm.shrink(); }), Code::invalid_argument, {"called before"}), "the second is refused");
    expect_works(same);
  });
}

TEST_CASE("memory that is short when the ranks shrink is told as that, not as a lost rank") {
  const std::size_t one = host::ArenaShape::for_ranks(2).total_bytes();
  const Errors errors = errors_of(2, [](Communicator& comm) { comm.shrink(); }, {.most_shared_memory = one + one / 2});
  for (const auto& error : errors) CHECK(says(error, Code::resource, {"shrink", "shared memory"}));
}

TEST_CASE("a duplicate has the same ranks and calls of its own") {
  in_process(3, [](Communicator& comm) {
    Communicator twin = comm.duplicate();
    require(twin.rank() == comm.rank() && twin.size() == comm.size(), "the same ranks");
    std::vector<int> a(10, 1), b(10, 2);
    Work first = all_reduce(comm, on_host(a), sum);
    Work second = all_reduce(twin, on_host(b), sum);
    second.wait();
    first.wait();
    require(a[9] == 3 && b[9] == 6, "independent calls");
    barrier(comm).wait();  // everybody has its result
    twin.abort();
    expect_works(comm);
  });
}

/// Ranks 0 and 2 of 5 die: one at work, the other when the rest begin to agree.
TEST_CASE("one process of a job that loses ranks", "[.][loses]") {
  Communicator comm{from_environment(), config_from_environment()};
  sum_over(comm);
  if (comm.rank() == 0) raise(SIGKILL);
  const auto error = error_of([&] { sum_over(comm); });
  CHECK(error);
  if (comm.rank() == 2) raise(SIGKILL);
  Communicator smaller = comm.shrink();
  CHECK(smaller.size() == 3);  // rank 2 never came
  sum_over(smaller);
  auto pair = smaller.split(smaller.rank() == 0 ? 0 : 1).value();
  sum_over(pair);
  CHECK(pair.size() == (smaller.rank() == 0 ? 1 : 2));
}

TEST_CASE("processes go on without those that were killed, the one that served the store too") {
  const JobEnd end = run_job(5, "[loses]", {}, 60);
  INFO(end.text());
  for (const std::size_t rank : {std::size_t{1}, std::size_t{3}, std::size_t{4}}) CHECK(end.status[rank] == 0);
  for (const std::size_t rank : {std::size_t{0}, std::size_t{2}}) {
    CHECK((WIFSIGNALED(end.status[rank]) && WTERMSIG(end.status[rank]) == SIGKILL));
  }
}
