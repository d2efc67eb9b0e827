/// @file  Arena: its parts do not overlap, wires have places of their own, and what nobody touches costs nothing.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <set>

#include "catch.hpp"
#include "run/teams.hpp"

using namespace tutti;
using namespace tutti::host;

TEST_CASE("the parts of an arena lie one behind the other, for any number of ranks") {
  for (const int ranks : {1, 2, 3, 4, 7, 8, 9, 16, 64, 256}) {
    INFO(ranks << " ranks");
    const ArenaShape shape = ArenaShape::for_ranks(ranks);
    const std::size_t wires = shape.wires();
    CHECK(shape.arrivals_offset() >= sizeof(ArenaHeader));
    CHECK(shape.credits_offset(Protocol::packet) >=
          shape.arrivals_offset() + static_cast<std::size_t>(ranks) * sizeof(Arrival));
    CHECK(shape.credits_offset(Protocol::fifo) >= shape.credits_offset(Protocol::packet) + wires * sizeof(Line));
    CHECK(shape.slots_offset(Protocol::packet) >= shape.credits_offset(Protocol::fifo) + wires * sizeof(Line));
    CHECK(shape.slots_offset(Protocol::fifo) >=
          shape.slots_offset(Protocol::packet) + wires * shape.packet.wire_bytes());
    CHECK(shape.total_bytes() >= shape.slots_offset(Protocol::fifo) + wires * shape.fifo.wire_bytes());
    for (const SlotShape& slots : {shape.packet, shape.fifo}) {
      CHECK((slots.slots >= 2 && std::has_single_bit(slots.slots)));
      CHECK((slots.capacity >= 256 && slots.header >= sizeof(std::uint64_t)));
      CHECK(slots.stride() % 64 == 0);  // flags of neighbours share no line
    }
  }
}

TEST_CASE("up to eight ranks an arena is smaller than 16 MiB") {
  for (int ranks = 1; ranks <= 8; ++ranks) CHECK(ArenaShape::for_ranks(ranks).total_bytes() < std::size_t{16} << 20);
}

TEST_CASE("every wire has a number of its own, and all wires into one rank lie together") {
  for (const int ranks : {2, 3, 5, 9}) {
    const ArenaShape shape = ArenaShape::for_ranks(ranks);
    std::set<std::size_t> all;
    for (int to = 0; to < ranks; ++to) {
      std::set<std::size_t> into;
      for (int from = 0; from < ranks; ++from) {
        if (from == to) continue;
        for (int wire = 0; wire < wires_per_pair; ++wire) into.insert(shape.wire_index(from, to, wire));
      }
      CHECK(into.size() == static_cast<std::size_t>(ranks - 1) * wires_per_pair);
      CHECK(*into.rbegin() - *into.begin() + 1 == into.size());
      all.insert(into.begin(), into.end());
    }
    CHECK(all.size() == shape.wires());
    CHECK(*all.rbegin() == shape.wires() - 1);
  }
}

TEST_CASE("fresh arenas are empty and take hardly any memory") {
  const Arena arena = test::arena_of(8);
  CHECK(arena.memory().resident() <= arena.memory().size() / 2);  // a huge page at most is there before it is used
  CHECK(arena.header().aborted_by == 0);
  CHECK(arena.arrival(7).epoch == 0);
  CHECK(arena.credit(Protocol::fifo, arena.shape().wires() - 1) == 0);
}
