/// @file  Ranks that throw, leave early, are aborted or killed: the others learn it at once, and who it was.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "face/helpers.hpp"
#include "processes.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

using Values = std::vector<int>;

void sum_of(Communicator& comm, std::size_t count) {
  Values values(count, 1);
  all_reduce(comm, on_host(values), sum).wait();
}

}  // namespace

TEST_CASE("what a rank throws is thrown by in_process, whatever its type, and the others end at once") {
  for (const std::size_t count : {std::size_t{1}, std::size_t{100'000}}) {
    std::vector<std::optional<Error>> told(4);
    const auto body = [&](Communicator& comm) {
      if (comm.rank() == 2) {
        sum_of(comm, count);
        throw std::out_of_range("the user's own");
      }
      told[static_cast<std::size_t>(comm.rank())] = error_of([&] {
        sum_of(comm, count);  // some may still be in it when the other throws
        sum_of(comm, count);
      });
    };
    CHECK_THROWS_AS(in_process(4, body), std::out_of_range);
    for (const std::size_t rank : {std::size_t{0}, std::size_t{1}, std::size_t{3}}) {
      // Some learn it from those who learnt it first.
      CHECK(
          says(told[rank], Code::aborted, {"rank " + std::to_string(rank) + ": ", "gave up", "that rank's own error"}));
    }
  }
}

TEST_CASE("of a failure and its consequences in_process throws the failure, though it comes last") {
  const auto body = [](Communicator& comm) {
    if (comm.rank() == 0) {
      std::this_thread::sleep_for(10ms);
      throw std::domain_error("first cause");
    }
    sum_of(comm, 1);
  };
  CHECK_THROWS_AS(in_process(3, body), std::domain_error);
}

TEST_CASE("a rank that returns early is named by those who wait for it") {
  for (const std::size_t count : {std::size_t{1}, std::size_t{100'000}}) {
    for (const Protocol protocol : {Protocol::fifo, Protocol::window}) {
      INFO(count << " elements, " << name(protocol));
      const Errors errors = errors_of(2, [&](Communicator& comm) {
        if (comm.rank() == 0) return;
        Values values(count, 1);
        all_reduce(comm, on_host(values), sum, {.protocol = protocol}).wait();
      });
      CHECK_FALSE(errors[0]);
      CHECK(says(errors[1], Code::peer_lost,
                 {"rank 1: all_reduce", "peer 0: it has left the communicator without making this call"}));
    }
  }
}

TEST_CASE("a rank that has done its part may leave before the others have done theirs") {
  for (int turn = 0; turn < 20; ++turn) {
    in_process(4, [&](Communicator& comm) {
      Values values(3000, comm.rank());
      for (const Algorithm algorithm : {Algorithm::ring, Algorithm::tree, Algorithm::two_shot}) {
        all_reduce(comm, on_host(values), maximum, {.algorithm = algorithm}).wait();
      }
      if (comm.rank() == 0) send(comm, on_host(values), 3).wait();
      if (comm.rank() != 3) return;
      std::this_thread::sleep_for(1ms);
      Values late(3000);
      recv(comm, on_host(late), 0).wait();
      require(late == Values(3000, 3), "what a rank sent before it left arrives");
    });
  }
}

TEST_CASE("abort ends the calls of all ranks, from any thread, any number of times, and those that follow") {
  std::vector<std::optional<Error>> told(3), after(3);
  in_process(3, [&](Communicator& comm) {
    const auto rank = static_cast<std::size_t>(comm.rank());
    std::thread somebody;
    if (rank == 1) {
      somebody = std::thread([comm]() mutable {
        std::this_thread::sleep_for(10ms);
        comm.abort();
        comm.abort();
      });
    }
    Values values(4);
    told[rank] = error_of([&] { recv(comm, on_host(values), (comm.rank() + 1) % 3).wait(); });
    after[rank] = error_of([&] { send(comm, on_host(values), (comm.rank() + 1) % 3).wait(); });
    if (somebody.joinable()) somebody.join();
  });
  for (std::size_t rank = 0; rank < 3; ++rank) {
    CHECK(says(told[rank], Code::aborted, {"gave up", "cannot be used any more"}));
    CHECK(says(after[rank], Code::aborted, {"make a new communicator from a new World"}));
  }
}

TEST_CASE("aborting a communicator reaches those that were split from it, not the other way round") {
  std::vector<std::optional<Error>> told(4);
  in_process(4, [&](Communicator& comm) {
    const auto rank = static_cast<std::size_t>(comm.rank());
    auto half = comm.split(comm.rank() / 2).value();
    auto again = half.split(0).value();
    if (rank == 3) {
      std::this_thread::sleep_for(5ms);
      again.abort();
    } else if (rank == 2) {
      told[2] = error_of([&] { barrier(again).wait(); });
    }
    expect_works(half);
    expect_works(comm);
    if (rank == 0) told[0] = error_of([&] { barrier(again).wait(); });
    if (rank == 1) {
      std::this_thread::sleep_for(5ms);
      comm.abort();
    }
  });
  CHECK(says(told[2], Code::aborted, {"rank 0: barrier", "peer 1: it gave up"}));
  CHECK(says(told[0], Code::aborted,
             {"rank 0: barrier", "rank 1 of a communicator that this one was split from gave up"}));
}

TEST_CASE("the failure of a call that was dropped is thrown by the next call, once") {
  const Errors errors = errors_of(2, [](Communicator& comm) {
    if (comm.rank() == 0) return;
    Values values(4);
    all_reduce(comm, on_host(values), sum);  // nobody waits for it
    const auto next = error_of([&] { all_reduce(comm, on_host(values), sum).wait(); });
    const auto after = error_of([&] { all_reduce(comm, on_host(values), sum).wait(); });
    require(next && next->code() == Code::peer_lost, "the next call throws the failure itself");
    require(after && after->code() == Code::aborted, "and later ones that there was one");
  });
  CHECK_FALSE(errors[1]);
}

TEST_CASE("a failure that somebody waited for is not thrown as unseen again") {
  const Errors errors = errors_of(2, [](Communicator& comm) {
    if (comm.rank() == 0) return;
    Values values(4);
    const auto seen = error_of([&] { all_reduce(comm, on_host(values), sum).wait(); });
    const auto next = error_of([&] { all_reduce(comm, on_host(values), sum).wait(); });
    require(seen && seen->code() == Code::peer_lost && next && next->code() == Code::aborted, "each told once");
  });
  CHECK_FALSE(errors[1]);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("ranks for which there is no thread are an error, and those that there were have not begun") {
  const pid_t child = fork();
  if (child == 0) {
    rlimit limit{};
    limit.rlim_cur = limit.rlim_max = rlim_t{1} << 30;  // of address space: not enough for so many stacks
    setrlimit(RLIMIT_AS, &limit);
    std::atomic<int> begun{0};
    const auto error = error_of([&] { in_process(1000, [&](Communicator&) { ++begun; }); });
    const bool right = error && error->code() == Code::resource && begun == 0 &&
                       std::string(error->what()).find("use fewer ranks") != std::string::npos;
    _exit(right ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
}
#endif

TEST_CASE("one process of a job", "[.][killed]") {
  Communicator comm{from_environment(), config_from_environment()};
  sum_of(comm, 1000);
  if (comm.rank() == 1) raise(SIGKILL);
  Values values(1000, 1);
  const auto error = error_of([&] { all_reduce(comm, on_host(values), sum, {.algorithm = Algorithm::ring}).wait(); });
  const std::string mine = "rank " + std::to_string(comm.rank()) + ": all_reduce";
  CHECK(says(error, Code::peer_lost, {mine, "peer 1: its process ", " is gone", "it was call 2 here"}));
}

TEST_CASE("a process that is killed is named by all, also by those who wait for others that have given up over it") {
  const JobEnd end = run_job(4, "[killed]", {}, 30);
  INFO(end.text());
  for (const std::size_t rank : {std::size_t{0}, std::size_t{2}, std::size_t{3}}) CHECK(end.status[rank] == 0);
  CHECK((WIFSIGNALED(end.status[1]) && WTERMSIG(end.status[1]) == SIGKILL));
}
