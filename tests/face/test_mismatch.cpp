/// @file  Calls that do not belong together, with no check asked for: whoever waits for long finds out, and one call in 64 does.
#include <string>
#include <vector>

#include "face/helpers.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

using Values = std::vector<int>;

}  // namespace

TEST_CASE("a rank that waits for long sees that the others are in another call, and says which") {
  std::vector<std::optional<Error>> told(3);
  in_process(3, [&](Communicator& comm) {
    const auto rank = static_cast<std::size_t>(comm.rank());
    expect_works(comm);
    Values values(100'000, 1);
    told[rank] = error_of([&] {
      if (rank == 1) {
        reduce(comm, on_host(values), sum, 0).wait();
        barrier(comm).wait();
      } else {
        all_reduce(comm, on_host(values), sum, {.algorithm = Algorithm::ring}).wait();
      }
    });
  });
  int mismatches = 0;
  for (const auto& error : told) {
    REQUIRE(error);
    CHECK((error->code() == Code::mismatch || error->code() == Code::aborted));
    if (error->code() != Code::mismatch) continue;
    ++mismatches;
    CHECK(says(error, Code::mismatch,
               {"as call 2 rank ", "made all_reduce of 390.6 KiB int32 (sum)", "made reduce of 390.6 KiB int32 (sum)",
                "they differ in the collective"}));
  }
  CHECK(mismatches > 0);
}

TEST_CASE("calls that differ without anybody waiting are found by the comparison of one call in 64, on all ranks") {
  std::vector<std::optional<Error>> told(2);
  std::vector<int> calls(2);
  in_process(2, [&](Communicator& comm) {
    const auto rank = static_cast<std::size_t>(comm.rank());
    told[rank] = error_of([&] {
      for (int call = 0; call < 200; ++call) {
        Values values(4, 1);
        if (call == 10 && rank == 1) {
          all_reduce(comm, on_host(values), maximum).wait();
        } else {
          all_reduce(comm, on_host(values), sum).wait();
        }
        ++calls[rank];
      }
    });
  });
  for (const auto& error : told) {
    CHECK(says(error, Code::mismatch, {"as call 64 rank 0 made", "they differ in the calls before, of which some"}));
  }
  CHECK(calls == std::vector<int>{63, 63});
}

TEST_CASE("hundreds of right calls of all kinds are let through by the comparison of one in 64") {
  in_process(3, [](Communicator& comm) {
    for (int turn = 0; turn < 50; ++turn) {
      Values mine(2, 1), all(6, 1);
      all_gather(comm, on_host(mine), on_host(all)).wait();
      all_to_all(comm, on_host(std::as_const(all)), on_host(all)).wait();
      const std::vector<std::size_t> twos(3, 2);
      Values other(6);
      all_to_all_v(comm, on_host(all), twos, on_host(other), twos).wait();
      require(other == Values(6, 1), "all_to_all_v");
      if (comm.rank() == 0) send(comm, on_host(mine), 2).wait();
      if (comm.rank() == 2) recv(comm, on_host(mine), 0).wait();
      barrier(comm).wait();
      broadcast(comm, on_host(mine), turn % 3).wait();
    }
  });
}
