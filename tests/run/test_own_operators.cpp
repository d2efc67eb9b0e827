/// @file  Operators of the caller's own, one after the other, in calls that are alike in everything else.
#include <cstdint>
#include <vector>

#include "catch.hpp"
#include "tutti/collectives.hpp"
#include "tutti/in_process.hpp"

using namespace tutti;

TEST_CASE("calls that differ in the caller's operator alone each use their own") {
  std::vector<std::int32_t> added, multiplied, scaled;
  in_process(2, [&](Communicator& comm) {
    const auto combined = [&](const auto& op) {
      std::vector<std::int32_t> values{comm.rank() + 2, 5};
      all_reduce(comm, on_host(values), op).wait();
      return values;
    };
    const auto a = combined([](std::int32_t x, std::int32_t y) { return x + y; });
    const auto b = combined([](std::int32_t x, std::int32_t y) { return x * y; });
    const auto c = combined([factor = 10](std::int32_t x, std::int32_t y) { return factor * (x + y); });
    if (comm.rank() != 0) return;
    added = a;
    multiplied = b;
    scaled = c;
  });
  CHECK(added == std::vector<std::int32_t>{5, 10});
  CHECK(multiplied == std::vector<std::int32_t>{6, 25});
  CHECK(scaled == std::vector<std::int32_t>{50, 100});
}
