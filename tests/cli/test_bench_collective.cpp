/// @file  Sizes, counts and bus factors are those of nccl-tests.
#include <numeric>

#include "catch.hpp"
#include "cli/bench_collective.hpp"
#include "tutti/choose/price.hpp"

using namespace tutti;
using namespace tutti::bench;

TEST_CASE("bus factors are the closed forms of nccl-tests") {
  CHECK(choose::bus_factor(Collective::all_reduce, 2) == Approx(1));
  CHECK(choose::bus_factor(Collective::all_reduce, 4) == Approx(1.5));
  CHECK(choose::bus_factor(Collective::all_gather, 4) == Approx(0.75));
  CHECK(choose::bus_factor(Collective::reduce_scatter, 8) == Approx(0.875));
  CHECK(choose::bus_factor(Collective::all_to_all, 2) == Approx(0.5));
  CHECK(choose::bus_factor(Collective::gather, 4) == Approx(0.75));
  CHECK(choose::bus_factor(Collective::scatter, 4) == Approx(0.75));
  CHECK(choose::bus_factor(Collective::broadcast, 4) == Approx(1));
  CHECK(choose::bus_factor(Collective::reduce, 4) == Approx(1));
  CHECK(choose::bus_factor(Collective::send, 4) == Approx(1));
  CHECK(choose::bus_factor(Collective::all_reduce, 1) == Approx(0));
}

TEST_CASE("every name means a collective, and that collective has this name") {
  for (const auto name : collective_names()) {
    const auto collective = bench_collective_named(name);
    REQUIRE(collective);
    CHECK(bench_name(*collective) == name);
  }
  CHECK(bench_collective_named("sendrecv") == Collective::send);
  CHECK(!bench_collective_named("send"));
  CHECK(!bench_collective_named("recv"));
}

TEST_CASE("a size is the larger side, and its count that of one part") {
  const Extent gather = extent_of(Collective::all_gather, 1024, 4, 1, 4, 0);
  CHECK(gather.size == 1024);
  CHECK(gather.count == 64);
  CHECK(gather.in == 64);
  CHECK(gather.out == 256);
  CHECK(gather.part_begin == 64);
  const Extent scatter = extent_of(Collective::reduce_scatter, 1024, 4, 3, 4, 0);
  CHECK(scatter.in == 256);
  CHECK(scatter.out == 64);
  CHECK(scatter.part_begin == 192);
  const Extent reduce = extent_of(Collective::all_reduce, 1024, 8, 0, 4, 0);
  CHECK(reduce.count == 128);
  CHECK(reduce.size == 1024);
  const Extent barrier = extent_of(Collective::barrier, 0, 4, 0, 4, 0);
  CHECK(barrier.size == 0);
  CHECK(barrier.in == 0);
}

TEST_CASE("a size that does not divide is rounded down") {
  const Extent gather = extent_of(Collective::all_gather, 1000, 4, 0, 3, 0);
  CHECK(gather.count == 83);
  CHECK(gather.size == 996);
  const Extent odd = extent_of(Collective::all_reduce, 10, 4, 0, 3, 0);
  CHECK(odd.count == 2);
  CHECK(odd.size == 8);
  CHECK(extent_of(Collective::all_to_all, 8, 4, 0, 4, 0).count == 0);
}

TEST_CASE("only the root has the larger side of a rooted collective") {
  CHECK(extent_of(Collective::gather, 400, 4, 2, 4, 2).out == 100);
  CHECK(extent_of(Collective::gather, 400, 4, 1, 4, 2).out == 0);
  CHECK(extent_of(Collective::scatter, 400, 4, 1, 4, 2).in == 0);
  CHECK(extent_of(Collective::broadcast, 400, 4, 1, 4, 2).in == 0);
  CHECK(extent_of(Collective::broadcast, 400, 4, 2, 4, 2).in == 100);
  CHECK(extent_of(Collective::reduce, 400, 4, 1, 4, 2).out == 0);
}

TEST_CASE("uneven parts add up, differ, and follow one another") {
  for (int ranks = 1; ranks <= 9; ++ranks) {
    std::size_t begin = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const Extent extent = extent_of(Collective::all_gather_v, 4000, 4, rank, ranks, 0);
      CHECK(std::accumulate(extent.counts.begin(), extent.counts.end(), std::size_t{0}) == 1000);
      CHECK(extent.part_begin == begin);
      CHECK(extent.in == extent.counts[static_cast<std::size_t>(rank)]);
      begin += extent.in;
      if (ranks > 1) CHECK(extent.counts[0] != extent.counts[1]);
    }
    CHECK(begin == 1000);
  }
}

TEST_CASE("what is sent in an uneven all-to-all is what the receiver expects, and fits the size") {
  for (int ranks = 1; ranks <= 9; ++ranks) {
    for (int from = 0; from < ranks; ++from) {
      const Extent sender = extent_of(Collective::all_to_all_v, 4000, 4, from, ranks, 0);
      CHECK(sender.in <= 1000);
      for (int to = 0; to < ranks; ++to) {
        const Extent receiver = extent_of(Collective::all_to_all_v, 4000, 4, to, ranks, 0);
        CHECK(sender.counts[static_cast<std::size_t>(to)] == receiver.receive_counts[static_cast<std::size_t>(from)]);
      }
    }
  }
}
