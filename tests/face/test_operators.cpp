/// @file  Operators and elements of a user's own, where one call could be taken for another.
#include <vector>

#include "face/helpers.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

struct First {
  static constexpr bool commutative = false;
  int operator()(int a, int) const { return a; }
};
struct Last {
  static constexpr bool commutative = false;
  int operator()(int, int b) const { return b; }
};

/// Two types of one size.
struct Pair {
  int a, b;
};
struct Swapped {
  int a, b;
};
struct AddPairs {
  Pair operator()(Pair x, Pair y) const { return {x.a + y.a, x.b + y.b}; }
};
struct MaxSwapped {
  Swapped operator()(Swapped x, Swapped y) const { return {x.a > y.a ? x.a : y.a, x.b > y.b ? x.b : y.b}; }
};

}  // namespace

TEST_CASE("two operators of a user's own are two calls, though everything else is the same") {
  in_process(3, [](Communicator& comm) {
    for (int turn = 0; turn < 3; ++turn) {
      std::vector<int> first{comm.rank()}, last{comm.rank()};
      all_reduce(comm, on_host(first), First{}).wait();
      all_reduce(comm, on_host(last), Last{}).wait();
      require(first[0] == 0 && last[0] == 2, "each its own operator");
    }
  });
}

TEST_CASE("two element types of one size are two calls") {
  in_process(3, [](Communicator& comm) {
    for (int turn = 0; turn < 3; ++turn) {
      std::vector<Pair> pairs{{comm.rank(), 1}};
      std::vector<Swapped> swapped{{comm.rank(), 1}};
      all_reduce(comm, on_host(pairs), AddPairs{}).wait();
      all_reduce(comm, on_host(swapped), MaxSwapped{}).wait();
      require(pairs[0].a == 3 && pairs[0].b == 3, "sums");
      require(swapped[0].a == 2 && swapped[0].b == 1, "maxima");
    }
  });
}

TEST_CASE("an operator's state is that of each call") {
  in_process(2, [](Communicator& comm) {
    for (const double scale : {1.0, 3.0, -2.0}) {
      std::vector<int> values{comm.rank() + 1};
      all_reduce(comm, on_host(values), premultiplied_sum(scale)).wait();
      require(values[0] == static_cast<int>(3 * scale), "scaled");
    }
  });
}
