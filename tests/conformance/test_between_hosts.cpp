/// @file  Ranks of several hosts, played by threads over a network in memory: every collective, type and operator.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <mutex>

#include "catch.hpp"
#include "conformance/between_hosts.hpp"
#include "conformance/seed.hpp"
#include "run/on_hosts.hpp"
#include "run/placement.hpp"

using namespace tutti;
using namespace tutti::conformance;

namespace {

Facts facts_of(const std::vector<int>& hosts) {
  const Placement placement(hosts);
  Facts facts;
  facts.ranks = placement.ranks();
  facts.hosts = placement.hosts();
  facts.even = placement.even();
  facts.consecutive = placement.consecutive();
  return facts;
}

/// One in `every` cases: scenes differ in seed, and so in what they try.
void check_some(const std::vector<int>& hosts, std::uint64_t seed, std::size_t every, bool checked, bool threaded) {
  std::vector<Case> cases = some_between_hosts(facts_of(hosts), seed, every * (instrumented() ? 8 : 1));
  for (Case& c : cases) {
    c.check_across_ranks = checked;
    c.progress_thread = threaded;
  }
  Failures failures;
  std::mutex mutex;
  test::on_hosts(hosts,
                 [&](Communicator& comm) {
                   const Failures here = run_here(comm, cases, seed);
                   const std::lock_guard lock(mutex);
                   failures.insert(failures.end(), here.begin(), here.end());
                 },
                 {.timeout = std::chrono::seconds(60), .check_across_ranks = checked, .progress_thread = threaded});
  INFO("seed " << seed << ", " << cases.size() << " cases, hosts " << fmt::format("{}", fmt::join(hosts, " ")));
  INFO(fmt::format("{}", fmt::join(failures, "\n")));
  CHECK(failures.empty());
}

}  // namespace

TEST_CASE("ranks of hosts with equally many give what is defined") {
  check_some({0, 0, 1, 1}, seed_of_run(), 8, false, false);
  check_some({0, 0, 1, 1, 2, 2}, seed_of_run() + 1, 30, false, false);
}

TEST_CASE("ranks of hosts with unequally many give what is defined") {
  check_some({0, 1, 1}, seed_of_run(), 8, false, false);
  check_some({0, 0, 0, 0, 1, 1, 1}, seed_of_run() + 1, 40, false, false);
  check_some({0, 1, 1, 2, 2}, seed_of_run() + 2, 30, true, false);
}

TEST_CASE("ranks dealt out to the hosts in turn give what is defined") {
  check_some({0, 1, 0, 1}, seed_of_run(), 15, false, false);
  check_some({0, 1, 1, 0, 2}, seed_of_run() + 1, 30, false, false);
}

TEST_CASE("ranks with a host each give what is defined") {
  check_some({0, 1}, seed_of_run(), 15, false, false);
  check_some({0, 1, 2}, seed_of_run() + 1, 20, true, false);
}

TEST_CASE("ranks of several hosts give what is defined while a thread makes progress") {
  check_some({0, 0, 1}, seed_of_run(), 25, false, true);
}
