/// @file  Group: recorded, then begun together; what order means, and what is checked before anything begins.
#include <array>
#include <numeric>
#include <vector>

#include "face/helpers.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

using Values = std::vector<int>;

}  // namespace

TEST_CASE("sends and receives of a group cannot deadlock one another, however large and in whatever order") {
  in_process(4, [](Communicator& comm) {
    constexpr std::size_t count = 300'000;  // more than fits the slots
    const auto size = static_cast<std::size_t>(comm.size());
    std::vector<Values> in(size, Values(count)), out(size, Values(count, comm.rank()));
    Group group{comm};
    for (std::size_t step = 1; step < size; ++step) {
      const int peer = (comm.rank() + static_cast<int>(step)) % comm.size();
      send(group, on_host(out[static_cast<std::size_t>(peer)]), peer);
    }
    for (std::size_t peer = 0; peer < size; ++peer) {
      if (static_cast<int>(peer) != comm.rank()) recv(group, on_host(in[peer]), static_cast<int>(peer));
    }
    group.launch().wait();
    for (std::size_t peer = 0; peer < size; ++peer) {
      if (static_cast<int>(peer) == comm.rank()) continue;
      require(in[peer] == Values(count, static_cast<int>(peer)), "what each peer sent");
    }
  });
}

TEST_CASE("calls of a group to one peer arrive in the order in which they were recorded") {
  in_process(2, [](Communicator& comm) {
    std::array<Values, 8> each;
    Group group{comm};
    for (std::size_t i = 0; i < each.size(); ++i) {
      each[i].assign(i + 1, comm.rank() == 0 ? static_cast<int>(i) : -1);
      if (comm.rank() == 0) send(group, on_host(each[i]), 1);
      if (comm.rank() == 1) recv(group, on_host(each[i]), 0);
    }
    group.launch().wait();
    for (std::size_t i = 0; i < each.size(); ++i) require(each[i] == Values(i + 1, static_cast<int>(i)), "in order");
  });
}

TEST_CASE("a group mixes collectives of all kinds with sends, and can be used again") {
  in_process(3, [](Communicator& comm) {
    Group group{comm};
    for (int turn = 1; turn <= 3; ++turn) {
      Values sums(500, turn), everybody(3), mine{comm.rank() * turn}, passed{-1}, root(2, comm.rank() == 1 ? turn : 0);
      all_reduce(group, on_host(sums), sum);
      send(group, on_host(mine), (comm.rank() + 1) % 3);
      all_gather(group, on_host(mine), on_host(everybody));
      recv(group, on_host(passed), (comm.rank() + 2) % 3);
      barrier(group);
      broadcast(group, on_host(root), 1);
      group.launch().wait();
      require(sums == Values(500, 3 * turn) && everybody == Values{0, turn, 2 * turn} && root == Values(2, turn) &&
                  passed[0] == (comm.rank() + 2) % 3 * turn,
              "all of them");
    }
  });
}

TEST_CASE("groups of several communicators are on their way together, launched in any order") {
  in_process(4, [](Communicator& comm) {
    auto half = comm.split(comm.rank() / 2).value();
    Values a{1}, b{1};
    Group outer{comm}, inner{half};
    all_reduce(outer, on_host(a), sum);
    all_reduce(inner, on_host(b), sum);
    const bool first = comm.rank() % 2 == 0;
    Work one = first ? outer.launch() : inner.launch();
    Work other = first ? inner.launch() : outer.launch();
    other.wait();
    one.wait();
    require(a[0] == 4 && b[0] == 2, "both");
  });
}

TEST_CASE("a wrong call in a group is said before anything has begun, and the group is empty then") {
  in_process(2, [](Communicator& comm) {
    Values values{1}, other{1};
    Group group{comm};
    all_reduce(group, on_host(values), sum);
    broadcast(group, on_host(other), 9);
    require(says(error_of([&] { group.launch(); }), Code::invalid_argument, {"root 9"}), "refused");
    group.launch().wait();  // nothing
    require(values[0] == 1, "nothing had begun");
    Request nonsense = make_request(Collective::all_reduce, Span<const int, Memory::host>(on_host(values)),
                                    on_host(values), 1, sum, Options{});
    nonsense.op.kind = Op::none;
    all_reduce(group, on_host(values), sum);
    group.submit(nonsense);
    require(says(error_of([&] { group.launch(); }), Code::unsupported, {"no operator"}), "refused");
    require(values[0] == 1, "nothing had begun");
    expect_works(comm);
  });
}

TEST_CASE("an empty group is done, and one that is dropped without a launch does nothing") {
  in_process(2, [](Communicator& comm) {
    Group(comm).launch().wait();
    Values values{1};
    {
      Group dropped{comm};
      all_reduce(dropped, on_host(values), sum);
      send(dropped, on_host(values), 1 - comm.rank());
    }
    expect_works(comm);
    require(values[0] == 1, "nothing was done");
  });
}

TEST_CASE("a failure in a group is thrown by the wait for all of it") {
  const Errors errors = errors_of(2, [](Communicator& comm) {
    if (comm.rank() == 0) return;
    Values a(1), b(1);
    Group group{comm};
    recv(group, on_host(a), 0);
    recv(group, on_host(b), 0);
    group.launch().wait();
  });
  CHECK(says(errors[1], Code::peer_lost, {"recv of 4 B int32 from rank 0", "has left"}));
}
