/// @file  What communicators take is what was predicted; and limits end them cleanly, on all ranks.
#include "tutti/budget.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "face/helpers.hpp"
#include "processes.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

struct Taken {
  double shared = 0;  ///< bytes of address space
  double recorder = 0;
  int descriptors = 0;
  int sockets = 0;
  int threads = 0;
};

Taken taken() {
  Taken taken;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const auto bytes = [&] {
      const std::size_t dash = line.find('-');
      return static_cast<double>(std::stoull(line.substr(dash + 1), nullptr, 16) - std::stoull(line, nullptr, 16));
    };
    if (line.find("memfd:tutti") != std::string::npos) taken.shared += bytes();
    if (line.find("/rank-") != std::string::npos) taken.recorder += bytes();
  }
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    struct stat status {};
    if (fstat(std::stoi(entry.path().filename().string()), &status) != 0) continue;  // that of the iterator itself
    ++taken.descriptors;
    taken.sockets += S_ISSOCK(status.st_mode) ? 1 : 0;
  }
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) ++taken.threads;
  return taken;
}

bool near(double measured, double predicted) { return std::abs(measured - predicted) <= 0.1 * predicted; }

}  // namespace

TEST_CASE("one process of a job that measures what it takes", "[.][budget]") {
  const Taken before = taken();
  Communicator comm{from_environment(), config_from_environment()};
  std::vector<Communicator> more;
  for (int i = 0; i < 3; ++i) more.push_back(comm.duplicate());
  for (Communicator& each : more) expect_works(each);
  barrier(comm).wait();
  const Taken now = taken();
  barrier(comm).wait();
  const Budget budget = budget_of({.ranks = comm.size(), .communicators = 4, .config = comm.config()});
  const bool first = comm.rank() == 0;
  CHECK(near(now.shared - before.shared, static_cast<double>(budget.shared_memory)));
  CHECK(near(now.recorder - before.recorder, static_cast<double>(budget.recorder_memory)));
  CHECK(now.descriptors - before.descriptors == (first ? budget.descriptors_of_rank_0 : budget.descriptors));
  CHECK(now.sockets - before.sockets == (first ? budget.sockets_of_rank_0 : budget.sockets));
  CHECK(now.threads - before.threads == (first ? budget.threads_of_rank_0 : budget.threads));
}

TEST_CASE("processes take the memory, descriptors, sockets and threads that were predicted") {
#if defined(__SANITIZE_THREAD__)
  WARN("ThreadSanitizer has a thread of its own, and takes a look at a descriptor of the library's thread for a race");
  return;
#endif
  const auto records = std::filesystem::temp_directory_path() / ("tutti-budget-" + std::to_string(getpid()));
  for (const int ranks : {2, 5}) {
    const JobEnd end = run_job(ranks, "[budget]", {{"TUTTI_FLIGHT_RECORDER", records.string()}}, 60);
    INFO(end.text());
    CHECK(end.all_passed());
  }
  std::filesystem::remove_all(records);
}

TEST_CASE("threads of one process take the memory that was predicted, and no descriptor") {
  const Taken before = taken();
  in_process(4, [&](Communicator& comm) {
    Communicator twin = comm.duplicate();
    expect_works(twin);
    barrier(comm).wait();
    if (comm.rank() == 0) {
      const Taken now = taken();
      const Budget budget = budget_of({.ranks = 4, .threads = true, .communicators = 2});
      require(near(now.shared - before.shared, static_cast<double>(budget.shared_memory)), "shared memory");
      require(now.descriptors == before.descriptors, "descriptors");
    }
    barrier(comm).wait();
  });
}

TEST_CASE("a communicator that would take more shared memory than it may is an error on all ranks, before it is made") {
  const std::size_t of_one = budget_of({.ranks = 3, .threads = true}).shared_memory;
  Config config{.most_shared_memory = of_one + of_one / 2};
  std::vector<std::optional<Error>> told(3);
  in_process(
      3,
      [&](Communicator& comm) {
        told[static_cast<std::size_t>(comm.rank())] = error_of([&] { comm.duplicate(); });
        expect_works(comm);
      },
      config);
  for (const auto& error : told) {
    CHECK(says(error, Code::resource, {"shared memory", "Config::most_shared_memory", "3 ranks"}));
  }
  config.most_shared_memory = of_one / 2;
  CHECK(says(error_of([&] {
               in_process(
                   3, [](Communicator&) {}, config);
             }),
             Code::resource, {"shared memory"}));
}
