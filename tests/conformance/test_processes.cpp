/// @file  Ranks as processes: the same cases over shared memory that has to be mapped and buffers that cannot be reached.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "catch.hpp"
#include "conformance/seed.hpp"
#include "conformance/suite.hpp"
#include "processes.hpp"
#include "tutti/communicator.hpp"

using namespace tutti;
using namespace tutti::conformance;

// Hidden: it is one rank of a job that a launcher has started, or of one rank when there is no launcher.
TEST_CASE("a rank of a job gives and gets what is defined", "[.][rank]") {
  const std::uint64_t seed = seed_of_run();
  const int ranks = Communicator(from_environment()).size();
  const std::vector<Case> cases = some_of(ranks, seed);
  for (const bool checked : {false, true}) {
    for (const bool threaded : {false, true}) {
      Communicator comm(from_environment(), {.check_across_ranks = checked, .progress_thread = threaded});
      const Failures failures = run_here(comm, cases, seed);
      INFO("seed " << seed << ", rank " << comm.rank() << " of " << ranks);
      INFO(fmt::format("{}", fmt::join(failures, "\n")));
      CHECK(failures.empty());
    }
  }
}

TEST_CASE("ranks that are processes give and get what is defined", "[processes]") {
  for (const int ranks : {2, 3, 5}) {
    const test::JobEnd end = test::run_job(ranks, "[rank]");
    INFO(end.text());
    CHECK(end.all_passed());
  }
}
