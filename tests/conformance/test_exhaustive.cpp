/// @file  Every collective by every algorithm over every protocol with 1 to 9 ranks.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>

#include "catch.hpp"
#include "conformance/seed.hpp"
#include "conformance/suite.hpp"

using namespace tutti;
using namespace tutti::conformance;

TEST_CASE("every collective by every algorithm and protocol gives what it is defined to give, with 1 to 9 ranks") {
  const std::uint64_t seed = seed_of_run();
  for (int ranks = 1; ranks <= 9; ++ranks) {
    std::cout << ranks << " ranks: ";
    const std::vector<Case> cases = affordable(exhaustive(ranks, ranks), seed + static_cast<std::uint64_t>(ranks));
    const Failures failures = run_in_process(cases, seed);
    INFO("seed " << seed << ", " << cases.size() << " cases with " << ranks << " ranks");
    INFO(fmt::format("{}", fmt::join(failures, "\n")));
    CHECK(failures.empty());
  }
}
