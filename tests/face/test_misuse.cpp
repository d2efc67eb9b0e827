/// @file  Wrong calls are refused where they are made, with place, value and remedy, and change nothing.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "face/helpers.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

constexpr std::size_t too_many = (std::size_t{1} << 41) + 1;
constexpr int ranks = 3;

/// Memory for all wrong calls; none of them gets so far as to touch it.
std::array<int, 64> memory{};

Span<int, Memory::host> some(std::size_t count, std::size_t first = 0) { return {memory.data() + first, count}; }

struct Wrong {
  std::string name;
  std::function<void(Communicator&)> call;  ///< made by rank 1 of 3
  Code code;
  std::vector<std::string> words;  ///< what is wrong, its value, what to do
};

using Table = std::vector<std::size_t>;
const Table two{1, 1};
const Table three{1, 2, 3};

const std::vector<Wrong> wrongs = {
    // ---- sizes ----
    {"more elements than memory",
     [](Communicator& c) { all_reduce(c, some(too_many), sum); },
     Code::invalid_argument,
     {"2199023255553 elements", "check the count"}},
    {"a count in a table",
     [](Communicator& c) {
       all_gather_v(c, some(1), some(2), Table{1, too_many, 1});
     },
     Code::invalid_argument,
     {"2199023255553 elements", "check the count"}},
    {"a count to receive",
     [](Communicator& c) {
       all_to_all_v(c, some(3), Table{1, 1, 1}, some(3, 9), Table{1, 1, too_many});
     },
     Code::invalid_argument,
     {"2199023255553 elements", "check the count"}},
    // ---- tables ----
    {"a short table of all_gather_v",
     [](Communicator& c) { all_gather_v(c, some(1), some(2, 9), two); },
     Code::invalid_argument,
     {"2 entries for 3 ranks", "one count for each rank"}},
    {"a short table of reduce_scatter_v",
     [](Communicator& c) { reduce_scatter_v(c, some(2), some(1, 9), two, sum); },
     Code::invalid_argument,
     {"2 entries for 3 ranks", "one count for each rank"}},
    {"a short table of all_to_all_v",
     [](Communicator& c) { all_to_all_v(c, some(2), two, some(6, 9), three); },
     Code::invalid_argument,
     {"2 entries for 3 ranks", "one count for each rank"}},
    {"a short table to receive",
     [](Communicator& c) { all_to_all_v(c, some(6), three, some(2, 9), two); },
     Code::invalid_argument,
     {"to receive has 2 entries for 3 ranks", "one count for each rank"}},
    {"to itself other than from itself",
     [](Communicator& c) {
       all_to_all_v(c, some(6), three, some(6, 9), Table{1, 4, 1});
     },
     Code::invalid_argument,
     {"sends 2 elements to itself and receives 4", "must be equal"}},
    // ---- roots and peers ----
    {"a root below 0",
     [](Communicator& c) { broadcast(c, some(1), -1); },
     Code::invalid_argument,
     {"root -1 is not a rank", "use 0 to 2"}},
    {"a root of reduce",
     [](Communicator& c) { reduce(c, some(1), sum, 3); },
     Code::invalid_argument,
     {"root 3 is not a rank", "use 0 to 2"}},
    {"a root of gather",
     [](Communicator& c) { gather(c, some(1), some(3, 9), 4); },
     Code::invalid_argument,
     {"root 4 is not a rank", "use 0 to 2"}},
    {"a root of scatter",
     [](Communicator& c) { scatter(c, some(3), some(1, 9), 5); },
     Code::invalid_argument,
     {"root 5 is not a rank", "use 0 to 2"}},
    {"a peer to send to",
     [](Communicator& c) { send(c, some(1), 3); },
     Code::invalid_argument,
     {"peer 3 is not a rank", "use 0 to 2"}},
    {"a peer to receive from",
     [](Communicator& c) { recv(c, some(1), -7); },
     Code::invalid_argument,
     {"peer -7 is not a rank", "use 0 to 2"}},
    {"itself as peer",
     [](Communicator& c) { send(c, some(1), 1); },
     Code::invalid_argument,
     {"the peer is the rank itself", "copy the buffer"}},
    // ---- lengths ----
    {"in of all_reduce",
     [](Communicator& c) { all_reduce(c, some(3), some(4, 9), sum); },
     Code::invalid_argument,
     {"in has 3 elements", "it needs 4"}},
    {"in of reduce_scatter",
     [](Communicator& c) { reduce_scatter(c, some(5), some(2, 9), sum); },
     Code::invalid_argument,
     {"in has 5 elements", "it needs 6"}},
    {"out of all_gather",
     [](Communicator& c) { all_gather(c, some(2), some(5, 9)); },
     Code::invalid_argument,
     {"out has 5 elements", "it needs 6"}},
    {"out of reduce on the root",
     [](Communicator& c) { reduce(c, some(2), some(3, 9), sum, 1); },
     Code::invalid_argument,
     {"out has 3 elements", "it needs 2"}},
    {"out of gather on the root",
     [](Communicator& c) { gather(c, some(2), some(7, 9), 1); },
     Code::invalid_argument,
     {"out has 7 elements", "it needs 6"}},
    {"in of scatter on the root",
     [](Communicator& c) { scatter(c, some(5), some(2, 9), 1); },
     Code::invalid_argument,
     {"in has 5 elements", "it needs 6"}},
    {"in of all_to_all_v",
     [](Communicator& c) { all_to_all_v(c, some(5), three, some(6, 9), three); },
     Code::invalid_argument,
     {"in has 5 elements", "it needs 6"}},
    {"out of all_to_all_v",
     [](Communicator& c) { all_to_all_v(c, some(6), three, some(5, 9), three); },
     Code::invalid_argument,
     {"out has 5 elements", "it needs 6"}},
    {"in of all_gather_v",
     [](Communicator& c) { all_gather_v(c, some(3), some(6, 9), three); },
     Code::invalid_argument,
     {"in has 3 elements", "it needs 2"}},
    {"out of all_gather_v",
     [](Communicator& c) { all_gather_v(c, some(2), some(7, 9), three); },
     Code::invalid_argument,
     {"out has 7 elements", "it needs 6"}},
    {"in of reduce_scatter_v",
     [](Communicator& c) { reduce_scatter_v(c, some(7), some(2, 9), three, sum); },
     Code::invalid_argument,
     {"in has 7 elements", "it needs 6"}},
    {"out of reduce_scatter_v",
     [](Communicator& c) { reduce_scatter_v(c, some(6), some(3, 9), three, sum); },
     Code::invalid_argument,
     {"out has 3 elements", "it needs 2"}},
    // ---- null ----
    {"no in",
     [](Communicator& c) {
       all_reduce(c, Span<int, Memory::host>{nullptr, 2}, some(2), sum);
     },
     Code::invalid_argument,
     {"in is null", "this rank's input"}},
    {"no out",
     [](Communicator& c) {
       all_reduce(c, some(2), Span<int, Memory::host>{nullptr, 2}, sum);
     },
     Code::invalid_argument,
     {"out is null", "room for the result"}},
    // ---- overlaps ----
    {"half in place",
     [](Communicator& c) { all_reduce(c, some(4), some(4, 2), sum); },
     Code::invalid_argument,
     {"in and out overlap", "the same buffer as in and out"}},
    {"all_to_all a little off",
     [](Communicator& c) { all_to_all(c, some(6), some(6, 1)); },
     Code::invalid_argument,
     {"in and out overlap", "the same buffer as in and out"}},
    {"reduce a little off",
     [](Communicator& c) { reduce(c, some(4), some(4, 1), sum, 1); },
     Code::invalid_argument,
     {"in and out overlap", "the same buffer as in and out"}},
    {"another rank's part of all_gather",
     [](Communicator& c) { all_gather(c, some(2), some(6)); },
     Code::invalid_argument,
     {"in and out overlap", "in is this rank's part of out"}},
    {"another rank's part of all_gather_v",
     [](Communicator& c) { all_gather_v(c, some(2), some(6), three); },
     Code::invalid_argument,
     {"in and out overlap", "in is this rank's part of out"}},
    {"another rank's part of gather",
     [](Communicator& c) { gather(c, some(2, 4), some(6), 1); },
     Code::invalid_argument,
     {"in and out overlap", "in is this rank's part of out"}},
    {"another rank's part of reduce_scatter",
     [](Communicator& c) { reduce_scatter(c, some(6), some(2), sum); },
     Code::invalid_argument,
     {"in and out overlap", "out is this rank's part of in"}},
    {"another rank's part of reduce_scatter_v",
     [](Communicator& c) { reduce_scatter_v(c, some(6), some(2, 3), three, sum); },
     Code::invalid_argument,
     {"in and out overlap", "out is this rank's part of in"}},
    {"another rank's part of scatter",
     [](Communicator& c) { scatter(c, some(6), some(2), 1); },
     Code::invalid_argument,
     {"in and out overlap", "out is this rank's part of in"}},
    {"all_to_all_v in place",
     [](Communicator& c) { all_to_all_v(c, some(6), three, some(6), three); },
     Code::invalid_argument,
     {"in and out overlap", "use two buffers"}},
    // ---- options ----
    {"no time at all",
     [](Communicator& c) { all_reduce(c, some(2), sum, {.timeout = 0ms}); },
     Code::invalid_argument,
     {"a timeout of zero", "give it time"}},
    {"a pattern that there is not",
     [](Communicator& c) { all_to_all(c, some(3), some(3, 9), {.algorithm = Algorithm::tree}); },
     Code::unsupported,
     {"no tree schedule", "leave the algorithm automatic"}},
    {"a network on one host",
     [](Communicator& c) { barrier(c, {.backend = Backend::mpi}); },
     Code::unsupported,
     {"all ranks are on one host", "leave the backend automatic"}},
    {"an engine that is not there",
     [](Communicator& c) { barrier(c, {.backend = Backend::nccl}); },
     Code::unsupported,
     {"no nccl engine", "leave the backend automatic"}},
    {"a stream for host memory",
     [](Communicator& c) { all_reduce(c, some(2), sum, {.stream = Stream()}); },
     Code::invalid_argument,
     {"a stream, for buffers in host memory", "on_device"}},
    {"a premultiplied sum through windows",
     [](Communicator& c) { all_reduce(c, some(2), premultiplied_sum(2), {.protocol = Protocol::window}); },
     Code::unsupported,
     {"no window form", "leave the protocol automatic"}},
};

}  // namespace

TEST_CASE("every wrong call is refused with place, value and remedy, and the communicator goes on") {
  std::vector<std::optional<Error>> told(wrongs.size());
  in_process(ranks,
             [&](Communicator& comm) {
               for (std::size_t i = 0; i < wrongs.size(); ++i) {
                 if (comm.rank() == 1) told[i] = error_of([&] { wrongs[i].call(comm); });
                 expect_works(comm);
               }
             },
             {.timeout = 60s});
  for (std::size_t i = 0; i < wrongs.size(); ++i) {
    INFO(wrongs[i].name);
    for (const std::string& word : wrongs[i].words) CHECK(says(told[i], wrongs[i].code, {word}));
    if (wrongs[i].code == Code::invalid_argument) CHECK(says(told[i], wrongs[i].code, {"rank 1: "}));
    CHECK((told[i] && !told[i]->context().operation.empty()));
    CHECK((told[i] && !told[i]->context().remedy.empty()));
  }
}

TEST_CASE("a wrong call is refused the second time, too, after a right one like it") {
  const Errors errors = errors_of(2, [](Communicator& comm) {
    std::vector<int> values(8, 1);
    for (int turn = 0; turn < 3; ++turn) all_reduce(comm, on_host(values), sum).wait();
    if (comm.rank() == 1)
      all_reduce(comm, on_host(values.data(), 8), Span<int, Memory::host>{values.data() + 1, 8}, sum);
  });
  CHECK_FALSE(errors[0]);
  CHECK(says(errors[1], Code::invalid_argument, {"in and out overlap"}));
}

TEST_CASE("a side that a rank does not use may be anything") {
  in_process(ranks, [](Communicator& comm) {
    std::vector<int> mine(2, comm.rank());
    std::vector<int> all(6);
    const bool root = comm.rank() == 2;
    gather(comm, on_host(mine), root ? on_host(all) : Span<int, Memory::host>{nullptr, 77}, 2).wait();
    if (root) require(all == std::vector<int>{0, 0, 1, 1, 2, 2}, "gathered");
    scatter(comm, root ? on_host(all) : Span<int, Memory::host>{}, on_host(mine), 2).wait();
    require(mine == std::vector<int>(2, comm.rank()), "scattered");
    reduce(comm, on_host(mine), root ? on_host(all.data(), 2) : Span<int, Memory::host>{nullptr, 1}, sum, 2).wait();
    if (root) require(all[0] == 3, "reduced");
  });
}

TEST_CASE("nothing at all is a right call: no elements, and null pointers with them") {
  in_process(ranks, [](Communicator& comm) {
    const Span<int, Memory::host> none{};
    all_reduce(comm, none, sum).wait();
    reduce_scatter(comm, none, none, sum).wait();
    all_gather(comm, none, none).wait();
    reduce(comm, none, sum, 0).wait();
    broadcast(comm, none, 1).wait();
    all_to_all(comm, none, none).wait();
    gather(comm, none, none, 2).wait();
    scatter(comm, none, none, 0).wait();
    const Table zeros(ranks);
    all_gather_v(comm, none, none, zeros).wait();
    reduce_scatter_v(comm, none, none, zeros, sum).wait();
    all_to_all_v(comm, none, zeros, none, zeros).wait();
    if (comm.rank() == 0) send(comm, none, 1).wait();
    if (comm.rank() == 1) recv(comm, none, 0).wait();
    expect_works(comm);
  });
}

TEST_CASE("requests that no typed call can make are refused all the same") {
  const auto refused = [](const Request& request) {
    const Errors errors = errors_of(2, [&](Communicator& comm) { comm.submit(request).wait(); });
    CHECK((errors[0] && errors[1]));
    return errors[0];
  };
  std::array<float, 4> values{};
  const auto request = [&](DataType type, Op op) {
    Request made{.collective = Collective::all_reduce,
                 .type = type,
                 .element_size = 4,
                 .in = values.data(),
                 .out = values.data(),
                 .in_count = 4,
                 .out_count = 4,
                 .count = 4};
    made.op.kind = op;
    return made;
  };
  CHECK(
      says(refused(request(DataType::float32, Op::none)), Code::unsupported, {"no operator was given", "numerics.md"}));
  CHECK(says(refused(request(DataType::float32, Op::bitwise_or)), Code::unsupported, {"combine integers, not floats"}));
  CHECK(says(refused(request(DataType::user, Op::sum)), Code::unsupported, {"not elements of a user's type"}));
  CHECK(says(refused(request(DataType::float32, Op::user)), Code::unsupported, {"no loop for the host"}));
}

TEST_CASE("in place in each collective's own way is right") {
  in_process(ranks, [](Communicator& comm) {
    const auto rank = static_cast<std::size_t>(comm.rank());
    std::vector<int> all(6, -1);
    int* const part = all.data() + 2 * rank;
    part[0] = part[1] = comm.rank();
    all_gather(comm, on_host(part, 2), on_host(all)).wait();
    require(all == std::vector<int>{0, 0, 1, 1, 2, 2}, "all_gather in place");
    reduce_scatter(comm, on_host(all), on_host(part, 2), sum).wait();
    require(part[0] == 3 * comm.rank() && part[1] == part[0], "reduce_scatter in place");
    std::vector<int> swap{10 * comm.rank(), 10 * comm.rank() + 1, 10 * comm.rank() + 2};
    all_to_all(comm, on_host(swap), on_host(swap)).wait();
    require(swap == std::vector<int>{comm.rank(), 10 + comm.rank(), 20 + comm.rank()}, "all_to_all in place");
  });
}
