/// @file  A covering array over all axes: types, operators, counts, places, roots, options.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <set>

#include "catch.hpp"
#include "conformance/covering.hpp"
#include "conformance/seed.hpp"
#include "conformance/suite.hpp"

using namespace tutti;
using namespace tutti::conformance;

TEST_CASE("for each collective, all pairs of type, operator, count, place, root and option give what is defined") {
  const std::uint64_t seed = seed_of_run();
  const CoveringArray array = covering(1, 9, seed);
  std::cout << fmt::format("{} pairs ({} impossible), seed {}: ", array.pairs, array.impossible, seed);
  const Failures failures = run_in_process(affordable(array.cases, seed), seed);
  INFO("seed " << seed);
  INFO(fmt::format("{}", fmt::join(failures, "\n")));
  CHECK(failures.empty());
}

TEST_CASE("a covering array has every pair that a valid row can have, and no row that is not valid") {
  const std::vector<int> axes{3, 4, 2, 5};
  const auto valid = [](const Row& row) { return row[0] != 2 || row[3] < 3; };
  const Covering covering = cover_pairs(axes, valid, 7);
  std::set<std::tuple<std::size_t, int, std::size_t, int>> covered;
  for (const Row& row : covering.rows) {
    REQUIRE(valid(row));
    for (std::size_t a = 0; a < axes.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) covered.insert({a, row[a], b, row[b]});
    }
  }
  const std::size_t all = 4 * 3 + 2 * 3 + 2 * 4 + 5 * 3 + 5 * 4 + 5 * 2;
  CHECK(covered.size() == all - 2);
  CHECK(covering.pairs == covered.size());
  CHECK(covering.impossible == 2);
  CHECK(covering.rows.size() < 40);  // all rows there are: 112
}
