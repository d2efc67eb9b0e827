/// @file  grow: ranks that come later are taken in, or nobody gets the larger communicator and all go on as they were.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "face/helpers.hpp"
#include "processes.hpp"
#include "tutti/bootstrap/in_process.hpp"
#include "tutti/bootstrap/store_server.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

std::string place_of(const char* what) { return "unix:grow-" + std::to_string(::getpid()) + '-' + what; }

Environment newcomer(const World& world, const char* timeout = "20s") {
  return environment_of({{"TUTTI_JOB", world.job}, {"TUTTI_SECRET", world.secret}, {"TUTTI_TIMEOUT", timeout}});
}

/// Every rank has its place in the order of ranks, in every collective that shows it.
void expect_ranks(Communicator& comm, int size) {
  require(comm.size() == size, "its size");
  std::vector<int> mine{comm.rank()}, all(static_cast<std::size_t>(size)), wanted(all.size());
  all_gather(comm, on_host(mine), on_host(all)).wait();
  std::iota(wanted.begin(), wanted.end(), 0);
  require(all == wanted, "everybody has a place of its own");
  std::vector<double> large(100'000, 1.0);
  all_reduce(comm, on_host(large), sum).wait();
  require(large.front() == size && large.back() == size, "a long sum");
}

}  // namespace

TEST_CASE("threads that come later are taken in, and the communicator before goes on too") {
  const std::string place = place_of("threads");
  const std::vector<World> worlds = worlds_in_process(3);
  std::vector<std::optional<Error>> told(5);
  std::vector<std::thread> threads;
  for (const World& world : worlds) {
    threads.emplace_back([&, world] {
      told[static_cast<std::size_t>(world.rank)] = error_of([&] {
        Communicator comm(world);
        Communicator larger = comm.grow(2, place);
        require(larger.rank() == comm.rank(), "the order stays");
        expect_ranks(larger, 5);
        expect_works(comm);
        Communicator half = larger.split(larger.rank() % 2).value();
        expect_works(half);
        barrier(larger).wait();
      });
    });
  }
  for (std::size_t i = 3; i < 5; ++i) {
    threads.emplace_back([&, i] {
      told[i] = error_of([&] {
        Communicator comm(join(place, newcomer(worlds.front())));
        require(comm.rank() >= 3, "newcomers come last");
        expect_ranks(comm, 5);
        Communicator half = comm.split(comm.rank() % 2).value();
        expect_works(half);
        barrier(comm).wait();
      });
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& error : told) CHECK_FALSE(error);
}

TEST_CASE("a newcomer that does not come is named, and the ranks go on as they were") {
  std::vector<World> worlds = worlds_in_process(2);
  std::vector<std::optional<Error>> told(2);
  std::vector<std::thread> threads;
  for (World& world : worlds) {
    world.timeout = 200ms;
    world.progress = {};
    threads.emplace_back([&, world] {
      Communicator comm(world);
      told[static_cast<std::size_t>(world.rank)] = error_of([&] { comm.grow(1, place_of("nobody")); });
      expect_works(comm);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& error : told)
    CHECK(says(error, Code::timeout, {"meeting the other ranks", "rank 2 of 3 has not come"}));
}

TEST_CASE("what is wrong with growing is an error on all ranks alike") {
  const std::string taken = place_of("taken");
  const StoreServer other(endpoint_from(taken), {"another", ""});
  const Errors none = errors_of(2, [](Communicator& comm) { comm.grow(0, "unix:x"); });
  const Errors far = errors_of(2, [](Communicator& comm) { comm.grow(1, "tcp://127.0.0.1:4000"); });
  const Errors busy = errors_of(2, [&](Communicator& comm) { comm.grow(1, taken); });
  for (const auto& error : none) CHECK(says(error, Code::invalid_argument, {"grow", "0 newcomers"}));
  for (const auto& error : far) CHECK(says(error, Code::invalid_argument, {"no place on this host", "unix:NAME"}));
  for (const auto& error : busy) CHECK(says(error, Code::resource, {"grow"}));
}

TEST_CASE("who comes with another secret, or is one too many, stays outside") {
  const std::string place = place_of("outside");
  std::vector<World> worlds = worlds_in_process(2);
  std::vector<std::optional<Error>> told(3);
  std::vector<std::thread> threads;
  std::atomic<bool> came{false}, tried{false};
  for (World& world : worlds) {
    world.secret = "of the job";
    threads.emplace_back([&, world] {
      told[static_cast<std::size_t>(world.rank)] = error_of([&] {
        Communicator comm(world);
        Communicator larger = comm.grow(1, place);
        while (!tried) std::this_thread::sleep_for(1ms);
        expect_ranks(larger, 3);
      });
    });
  }
  World stranger = worlds.front();
  stranger.secret = "guessed";
  const auto wrong = error_of([&] { join(place, newcomer(stranger)); });
  threads.emplace_back([&] {
    told[2] = error_of([&] {
      const World world = join(place, newcomer(worlds.front()));
      came = true;
      Communicator comm(world);
      expect_ranks(comm, 3);
    });
    came = true;
  });
  while (!came) std::this_thread::sleep_for(1ms);
  const auto more = error_of([&] { join(place, newcomer(worlds.front(), "300ms")); });
  tried = true;
  for (std::thread& thread : threads) thread.join();
  CHECK(says(wrong, Code::bootstrap, {}));
  CHECK(says(more, Code::timeout, {"join", "expect nobody more"}));
  for (const auto& error : told) CHECK_FALSE(error);
}

/// Rank 0 of 4, which served the store, dies; the rest go on as three, and then with another process in its place.
TEST_CASE("one process of a job that replaces a rank", "[.][replaces]") {
  Communicator comm{from_environment(), config_from_environment()};
  expect_works(comm);
  std::vector<char> name(64);
  if (comm.rank() == 0) place_of("replaced").copy(name.data(), name.size() - 1);
  broadcast(comm, on_host(name), 0).wait();
  if (comm.rank() == 0) raise(SIGKILL);
  const std::string place(name.data());
  CHECK(error_of([&] {
    for (;;) expect_works(comm);
  }));
  comm = comm.shrink();
  CHECK(comm.size() == 3);
  pid_t replacement = -1;
  if (comm.rank() == 0) {
    replacement = ::fork();
    if (replacement == 0) {
      ::setenv("REPLACES", place.c_str(), 1);
      ::execl("/proc/self/exe", "replacement", "[replacement]", nullptr);
      ::_exit(127);
    }
  }
  comm = comm.grow(1, place);
  expect_ranks(comm, 4);
  // What only the survivors know reaches the newcomer.
  std::vector<int> state(1, 4711);
  broadcast(comm, on_host(state), 0).wait();
  barrier(comm).wait();
  if (replacement > 0) {
    int status = -1;
    CHECK(::waitpid(replacement, &status, 0) == replacement);
    CHECK(status == 0);
  }
}

TEST_CASE("the process that comes in its place", "[.][replacement]") {
  const char* place = std::getenv("REPLACES");
  REQUIRE(place != nullptr);
  Communicator comm{join(place), config_from_environment()};
  CHECK(comm.rank() == 3);
  expect_ranks(comm, 4);
  std::vector<int> state(1, 0);
  broadcast(comm, on_host(state), 0).wait();
  CHECK(state[0] == 4711);
  barrier(comm).wait();
}

TEST_CASE("a process comes in the place of one that was killed, and the job goes on with as many as before") {
  const JobEnd end = run_job(4, "[replaces]", {}, 60);
  INFO(end.text());
  CHECK((WIFSIGNALED(end.status[0]) && WTERMSIG(end.status[0]) == SIGKILL));
  for (std::size_t rank = 1; rank < 4; ++rank) CHECK(end.status[rank] == 0);
}
