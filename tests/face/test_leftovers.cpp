/// @file  Communicators leave nothing behind: no descriptor, no thread, no file, also when a process is killed.
#include <signal.h>

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "face/helpers.hpp"
#include "processes.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

std::size_t entries(const char* folder) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++count;
  return count;
}

struct Traces {
  std::size_t descriptors = entries("/proc/self/fd");
  std::size_t threads = entries("/proc/self/task");
  bool fit_into(const Traces& others) const { return descriptors <= others.descriptors && threads <= others.threads; }
};

/// Are there no more traces than before? The kernel may take a moment to clear away threads that have been joined: also those
/// that were counted before.
bool as_before(const Traces& before) {
  for (int turn = 0; turn < 500 && !Traces{}.fit_into(before); ++turn) std::this_thread::sleep_for(10ms);
  return Traces{}.fit_into(before);
}

/// Files of ours: other programs come and go there, too.
std::set<std::string> files_of_tutti(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name.find("tutti") != std::string::npos) names.insert(name);
  }
  return names;
}

void use(Communicator& comm) {
  auto part = comm.split(comm.rank() % 2).value();
  Buffer<int> buffer = comm.allocate<int>(1000);
  all_reduce(comm, on_host(buffer), sum).wait();
  expect_works(part);
}

}  // namespace

TEST_CASE("256 ranks of one process are made, used and torn down, and leave nothing") {
  in_process(2, expect_works);  // whatever is made once: a sanitizer's own thread, say
  const Traces before;
  in_process(256, [](Communicator& comm) {
    expect_works(comm);
    auto part = comm.split(comm.rank() / 64).value();
    require(part.size() == 64, "a quarter");
    expect_works(part);
  });
  CHECK(as_before(before));
}

TEST_CASE("communicators made and dropped again and again leave no descriptor and no thread") {
  in_process(2, use);  // whatever is made once
  const Traces before;
  for (int turn = 0; turn < 10; ++turn) {
    in_process(3, use);
    in_process(2, use, {.check_across_ranks = true, .progress_thread = true});
    Communicator{alone()}.allocate<int>(100);
  }
  CHECK(as_before(before));
}

TEST_CASE("one process that leaves nothing", "[.][tidy]") {
  const Config config = config_from_environment();
  {
    Communicator comm{from_environment(), config};
    use(comm);
    barrier(comm).wait();
  }
  const Traces before;
  for (int turn = 0; turn < 5; ++turn) {
    Communicator comm{from_environment(), config};
    use(comm);
    barrier(comm).wait();
  }
  // Rank 0's server may take a moment to see that the others have hung up.
  for (int turn = 0; turn < 500 && Traces{}.descriptors > before.descriptors; ++turn) std::this_thread::sleep_for(10ms);
  CHECK(Traces{}.descriptors <= before.descriptors);
}

TEST_CASE("processes leave no descriptor, however often they meet, and no file") {
  const auto shared = files_of_tutti("/dev/shm");
  const JobEnd end = run_job(3, "[tidy]", {}, 60);
  INFO(end.text());
  CHECK(end.all_passed());
  CHECK(files_of_tutti("/dev/shm") == shared);
}

TEST_CASE("one process that is killed at work", "[.][dies]") {
  Communicator comm{from_environment(), config_from_environment()};
  Buffer<int> buffer = comm.allocate<int>(100'000);
  all_reduce(comm, on_host(buffer), sum).wait();
  raise(SIGKILL);
}

TEST_CASE("processes that are killed at work leave no file in /dev/shm and none for their socket") {
  const auto shared = files_of_tutti("/dev/shm");
  const JobEnd end = run_job(3, "[dies]", {}, 60);
  INFO(end.text());
  for (const int status : end.status) CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
  CHECK(files_of_tutti("/dev/shm") == shared);
  const std::string job = "tutti-test-" + std::to_string(getpid());  // run_job names its jobs so
  for (const std::string& name : files_of_tutti(std::filesystem::temp_directory_path())) {
    CHECK(name.find(job) == std::string::npos);
  }
}
