/// @file  check_across_ranks: calls that do not belong together are an error on every rank, naming both; no hang.
#include <string>
#include <vector>

#include "face/helpers.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

using Values = std::vector<int>;
using Table = std::vector<std::size_t>;

struct TwoCalls {
  std::string difference;
  std::vector<std::string> both;  ///< how the error calls the two
  std::function<void(Communicator&, Values&)> rank_0, others;
};

const std::vector<TwoCalls> pairs = {
    {"the collective",
     {"all_reduce of 16 B int32 (sum)", "broadcast of 16 B int32"},
     [](Communicator& c, Values& v) { all_reduce(c, on_host(v), sum).wait(); },
     [](Communicator& c, Values& v) { broadcast(c, on_host(v), 0).wait(); }},
    {"the collective",
     {"barrier", "all_reduce of 16 B int32 (sum)"},
     [](Communicator& c, Values&) { barrier(c).wait(); },
     [](Communicator& c, Values& v) { all_reduce(c, on_host(v), sum).wait(); }},
    {"the element type",
     {"16 B int32", "16 B uint32"},
     [](Communicator& c, Values& v) { all_reduce(c, on_host(v), sum).wait(); },
     [](Communicator& c, Values&) {
       std::vector<unsigned> other(4);
       all_reduce(c, on_host(other), sum).wait();
     }},
    {"the count (4 and 3)",
     {"16 B int32", "12 B int32"},
     [](Communicator& c, Values& v) { all_reduce(c, on_host(v), sum).wait(); },
     [](Communicator& c, Values& v) { all_reduce(c, on_host(v.data(), 3), sum).wait(); }},
    {"the operator (sum and maximum)",
     {"(sum)", "(maximum)"},
     [](Communicator& c, Values& v) { all_reduce(c, on_host(v), sum).wait(); },
     [](Communicator& c, Values& v) { all_reduce(c, on_host(v), maximum).wait(); }},
    {"the root (0 and 1)",
     {"broadcast of 16 B int32"},
     [](Communicator& c, Values& v) { broadcast(c, on_host(v), 0).wait(); },
     [](Communicator& c, Values& v) { broadcast(c, on_host(v), 1).wait(); }},
    {"the algorithm (ring and tree)",
     {"all_reduce of 16 B int32"},
     [](Communicator& c, Values& v) { all_reduce(c, on_host(v), sum, {.algorithm = Algorithm::ring}).wait(); },
     [](Communicator& c, Values& v) { all_reduce(c, on_host(v), sum, {.algorithm = Algorithm::tree}).wait(); }},
    {"the protocol (packet and fifo)",
     {"all_reduce of 16 B int32"},
     [](Communicator& c, Values& v) { all_reduce(c, on_host(v), sum, {.protocol = Protocol::packet}).wait(); },
     [](Communicator& c, Values& v) { all_reduce(c, on_host(v), sum, {.protocol = Protocol::fifo}).wait(); }},
    {"the backend (host and automatic)",
     {"all_reduce of 16 B int32"},
     [](Communicator& c, Values& v) { all_reduce(c, on_host(v), sum, {.backend = Backend::host}).wait(); },
     [](Communicator& c, Values& v) { all_reduce(c, on_host(v), sum).wait(); }},
    {"the wish for determinism",
     {"all_reduce of 16 B int32"},
     [](Communicator& c, Values& v) { all_reduce(c, on_host(v), sum, {.deterministic = true}).wait(); },
     [](Communicator& c, Values& v) { all_reduce(c, on_host(v), sum).wait(); }},
    {"the table of counts",
     {"all_gather_v of 16 B int32"},
     [](Communicator& c, Values& v) {
       Values in(2);
       all_gather_v(c, on_host(in), on_host(v), Table{2, 1, 1}).wait();
     },
     [](Communicator& c, Values& v) {
       Values in(c.rank() == 1 ? 2 : 1);
       all_gather_v(c, on_host(in), on_host(v), Table{1, 2, 1}).wait();
     }},
};

}  // namespace

TEST_CASE("two different calls are an error on all ranks that names both, and the communicator goes on") {
  for (const TwoCalls& pair : pairs) {
    INFO(pair.difference << ": " << pair.both.front());
    std::vector<std::optional<Error>> told(3);
    in_process(3,
               [&](Communicator& comm) {
                 Values values(4, 1);
                 told[static_cast<std::size_t>(comm.rank())] =
                     error_of([&] { (comm.rank() == 0 ? pair.rank_0 : pair.others)(comm, values); });
                 expect_works(comm);
               },
               {.timeout = 60s, .check_across_ranks = true});
    for (std::size_t rank = 0; rank < told.size(); ++rank) {
      const auto& error = told[rank];
      CHECK(says(error, Code::mismatch, {"rank " + std::to_string(rank) + ": as call "}));
      CHECK(says(error, Code::mismatch,
                 {"rank 0 made ", "rank 1 made ", "differ in " + pair.difference, "the same calls in the same order"}));
      for (const std::string& call : pair.both) CHECK(says(error, Code::mismatch, {call}));
    }
  }
}

TEST_CASE("tables of all_to_all_v that do not fit one another are an error on all ranks that names the two") {
  std::vector<std::optional<Error>> told(3);
  in_process(
      3,
      [&](Communicator& comm) {
        const auto rank = static_cast<std::size_t>(comm.rank());
        const Table sends{1, 1, rank == 1 ? std::size_t{4} : std::size_t{1}};  // rank 2 expects 1 of it
        const Values in(rank == 1 ? 6 : 3, comm.rank());
        Values out(3);
        told[rank] = error_of([&] { all_to_all_v(comm, on_host(in), sends, on_host(out), Table{1, 1, 1}).wait(); });
        const Values fitting(3, comm.rank());
        all_to_all_v(comm, on_host(fitting), Table{1, 1, 1}, on_host(out), Table{1, 1, 1}).wait();
        require(out == Values{0, 1, 2}, "what fits arrives");
      },
      {.timeout = 60s, .check_across_ranks = true});
  for (const auto& error : told) {
    CHECK(says(error, Code::mismatch, {"rank 1 sends 4 elements to rank 2, which expects 1", "must be equal"}));
  }
}

TEST_CASE("right calls are let through with the check on: every kind, sends between, and several at once") {
  in_process(3,
             [](Communicator& comm) {
               const auto rank = static_cast<std::size_t>(comm.rank());
               Values all(6, 1), mine(2, 1);
               for (int turn = 0; turn < 3; ++turn) {
                 all_gather(comm, on_host(mine), on_host(all)).wait();
                 reduce_scatter(comm, on_host(all), on_host(mine), sum).wait();
                 require(mine == Values(2, turn == 0 ? 3 : turn == 1 ? 9 : 27), "reduce_scatter");
                 reduce(comm, on_host(mine), minimum, 2).wait();
                 gather(comm, on_host(mine), on_host(all), 1).wait();
                 scatter(comm, on_host(all), on_host(mine), 1).wait();
                 if (rank == 0) send(comm, on_host(mine), 2).wait();
                 if (rank == 2) recv(comm, on_host(mine), 0).wait();
                 Values to(rank + 1, 7), from(6);
                 all_gather_v(comm, on_host(to), on_host(from), Table{1, 2, 3}).wait();
                 require(from == Values(6, 7), "all_gather_v");
                 Work first = barrier(comm);
                 Work second = all_reduce(comm, on_host(from), sum);
                 second.wait();
                 first.wait();
                 require(from == Values(6, 21), "all_reduce");
               }
             },
             {.timeout = 60s, .check_across_ranks = true});
}
