/// @file  split: who comes together, in which order, and that the parts are communicators of their own.
#include <optional>
#include <vector>

#include "face/helpers.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

/// The ranks (of `whole`) that are together in `part`, in its order.
std::vector<int> members(Communicator& whole, Communicator& part) {
  const std::vector<int> mine{whole.rank()};
  std::vector<int> all(static_cast<std::size_t>(part.size()));
  all_gather(part, on_host(mine), on_host(all)).wait();
  return all;
}

}  // namespace

TEST_CASE("ranks of one color come together, in the order of their ranks") {
  in_process(6, [](Communicator& comm) {
    auto part = comm.split(comm.rank() % 2);
    require(part.has_value(), "a part");
    require(part->size() == 3 && part->rank() == comm.rank() / 2, "its size and rank");
    const std::vector<int> right = comm.rank() % 2 == 0 ? std::vector<int>{0, 2, 4} : std::vector<int>{1, 3, 5};
    require(members(comm, *part) == right, "its members");
    expect_works(comm);
  });
}

TEST_CASE("keys order the ranks of a part, and equal keys leave the order of ranks") {
  in_process(5, [](Communicator& comm) {
    auto turned = comm.split(7, -comm.rank()).value();
    require(members(comm, turned) == std::vector<int>{4, 3, 2, 1, 0}, "turned round");
    auto pairs = comm.split(0, comm.rank() == 3 ? -1 : 5).value();
    require(members(comm, pairs) == std::vector<int>{3, 0, 1, 2, 4}, "one goes first");
  });
}

TEST_CASE("a negative color takes part and gets nothing, and colors need not be neighbours") {
  in_process(4, [](Communicator& comm) {
    const int colors[] = {-1, 2'000'000'000, 3, 2'000'000'000};
    auto part = comm.split(colors[comm.rank()]);
    require(part.has_value() == (comm.rank() != 0), "a part for those with a color");
    if (comm.rank() == 2) require(part->size() == 1, "alone with its color");
    if (part) expect_works(*part);
    const auto nobody = comm.split(-5);
    require(!nobody, "nothing for anybody");
    expect_works(comm);
  });
}

TEST_CASE("parts of parts work, beside one another and after the whole has gone") {
  std::vector<std::optional<Communicator>> last(8);
  in_process(8, [&](Communicator& comm) {
    auto half = comm.split(comm.rank() / 4).value();
    auto quarter = half.split(half.rank() / 2).value();
    auto across = comm.split(comm.rank() % 2, 0).value();
    std::vector<int> a{1}, b{1}, c{1};
    Work first = all_reduce(quarter, on_host(a), sum);
    Work second = all_reduce(half, on_host(b), sum);
    Work third = all_reduce(across, on_host(c), sum);
    third.wait();
    first.wait();
    second.wait();
    require(a[0] == 2 && b[0] == 4 && c[0] == 4, "three sums on their way together");
    last[static_cast<std::size_t>(comm.rank())] = quarter;
  });
  in_process(8, [&](Communicator& comm) {  // the communicators of before have gone, but for their parts
    expect_works(*last[static_cast<std::size_t>(comm.rank())]);
    last[static_cast<std::size_t>(comm.rank())].reset();
  });
}

TEST_CASE("splitting again and again gives new parts each time") {
  in_process(3, [](Communicator& comm) {
    for (int turn = 0; turn < 20; ++turn) {
      auto part = comm.split(comm.rank() == turn % 3 ? 1 : 0).value();
      require(part.size() == (comm.rank() == turn % 3 ? 1 : 2), "the size of the part");
      expect_works(part);
    }
  });
}
