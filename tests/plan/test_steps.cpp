/// @file  Step functions: constant expressions, and true to what schedules say about themselves.
#include <algorithm>
#include <array>

#include "catch.hpp"
#include "plan/families.hpp"
#include "tutti/plan/program.hpp"

namespace tutti::plan {
namespace {

/// Plays a ring all_reduce, rank after rank and step after step, at compile time. True when all ranks end with the sum.
template <int n>
constexpr bool a_ring_adds_up() {
  const Schedule schedule{Collective::all_reduce, Algorithm::ring, false, n, 0};
  std::array<std::array<int, n>, n> output{};     // [rank][block]
  std::array<std::array<int, 2 * n>, n> wires{};  // [rank]: what was sent to it, in order
  std::array<int, n> sent{};
  std::array<int, n> taken{};
  for (int index = 0; index < steps(schedule, 0, 0); ++index) {
    for (int rank = 0; rank < n; ++rank) {
      const Step now = step(schedule, rank, 0, index);
      int value = now.own == Place::input ? 100 * rank + now.blocks.first : 0;
      // In lockstep, what is taken at this index was sent at the one before.
      if (now.from.count == 1) value += wires[rank][taken[rank]++];
      if (now.store == Place::output) output[rank][now.blocks.first] = value;
      if (now.to.count == 1) wires[now.to[0]][sent[now.to[0]]++] = value;
    }
  }
  for (int rank = 0; rank < n; ++rank) {
    for (int block = 0; block < n; ++block) {
      if (output[rank][block] != 100 * n * (n - 1) / 2 + n * block) return false;
    }
  }
  return true;
}
static_assert(a_ring_adds_up<2>());
static_assert(a_ring_adds_up<7>());

static_assert(floor_power(1) == 1 && floor_power(7) == 4 && floor_power(8) == 8 && floor_power(1 << 30) == 1 << 30);
static_assert(log2_ceil(1) == 0 && log2_ceil(2) == 1 && log2_ceil(5) == 3 && log2_ceil(8) == 3);
static_assert(log2_floor(1) == 0 && log2_floor(131072) == 17);
static_assert(others(2, 4)[0] == 3 && others(2, 4)[1] == 0 && others(2, 4)[2] == 1);
static_assert(two(1, 3, 4)[1] == 3 && two(3, 1, 4)[1] == 1);
static_assert(one_shot::step(Collective::all_to_all, {2, 4, 0}, 0, 3).to[0] == 1);

TEST_CASE("peers and blocks on a circle come in order") {
  const Blocks wrapping{3, 4, 5};
  std::vector<int> names;
  for (int i = 0, b = wrapping.first; i < wrapping.count; ++i, b = wrapping.after(b)) names.push_back(b);
  CHECK(names == std::vector<int>{3, 4, 0, 1});
  const Blocks jumping{2, 4, 0, 2};
  names.clear();
  for (int i = 0, b = jumping.first; i < jumping.count; ++i, b = jumping.after(b)) names.push_back(b);
  CHECK(names == std::vector<int>{2, 3, 6, 7});
}

TEST_CASE("a tree has one top, no circle, is as deep as log2 of its ranks, and splits the work of the two") {
  for (int n = 1; n <= 130; ++n) {
    std::vector<int> inner(static_cast<std::size_t>(n), 0);
    for (const int which : {0, 1}) {
      const tree::Tree tree = tree::over_all({0, n, 0}, which);
      int tops = 0;
      int below_somebody = 0;
      for (int rank = 0; rank < n; ++rank) {
        REQUIRE(tree.rank_at(tree.position_of(rank)) == rank);
        int depth = 0;
        for (int at = rank; tree.above(at).count > 0; at = tree.above(at)[0]) REQUIRE(++depth <= log2_floor(n));
        if (tree.above(rank).count == 0) {
          ++tops;
          CHECK(tree.top() == rank);
        }
        const Peers children = tree.below(rank);
        below_somebody += children.count;
        for (int i = 0; i < children.count; ++i) CHECK(tree.above(children[i])[0] == rank);
        if (children.count == 2) CHECK(children[0] < children[1]);
        if (children.count > 0) ++inner[static_cast<std::size_t>(rank)];
      }
      CHECK(tops == 1);
      CHECK(below_somebody == n - 1);
    }
    CHECK(*std::max_element(inner.begin(), inner.end()) <= 1);
  }
}

TEST_CASE("what schedules say about themselves is what their steps do") {
  for (Schedule schedule : families()) {
    for (schedule.size = fewest_ranks(schedule); schedule.size <= 33; ++schedule.size) {
      INFO(described(schedule));
      const Program program = program_of(schedule);
      bool scratch = false;
      int most = 1;
      int used_lanes = 1;
      for (const auto& of_rank : program.steps) {
        used_lanes = std::max(used_lanes, static_cast<int>(of_rank.size()));
        for (const auto& lane : of_rank) {
          for (const Step& step : lane) {
            scratch = scratch || step.own == Place::scratch || step.store == Place::scratch;
            const bool message = step.to.count > 0 && step.to_place == Place::none;
            if (message) most = std::max(most, step.blocks.count);
            CHECK(step.blocks.count <= blocks(schedule));
            CHECK(step.to_wire <= pairwise_wire);
            if (schedule.window) CHECK_FALSE(message);
          }
        }
      }
      CHECK(needs_scratch(schedule) == scratch);
      CHECK(blocks_per_step(schedule) == most);
      CHECK(lanes(schedule) == used_lanes);
      CHECK(used_lanes <= max_lanes);
    }
  }
}

TEST_CASE("windows begin with a barrier, before anything else has happened") {
  for (Schedule schedule : families()) {
    if (!schedule.window) continue;
    for (schedule.size = 2; schedule.size <= 5; ++schedule.size) {
      for (int rank = 0; rank < schedule.size; ++rank) {
        INFO(described(schedule));
        CHECK(step(schedule, rank, 0, 0).barrier);
      }
    }
  }
}

TEST_CASE("steps of very many ranks stay in range") {
  const int size = 131072;
  for (Schedule schedule : families()) {
    schedule.size = size;
    for (const int rank : {0, 1, 65535, 65536, size - 1}) {
      for (int lane = 0; lane < lanes(schedule); ++lane) {
        const int count = steps(schedule, rank, lane);
        for (int index = 0; index < count; index += std::max(1, count / 50)) {
          const Step now = step(schedule, rank, lane, index);
          for (const Peers& peers : {now.from, now.to}) {
            if (peers.count == 0) continue;
            INFO(described(schedule) << ", rank " << rank << ", lane " << lane << ", step " << index);
            for (const int i : {0, peers.count - 1}) {
              CHECK(peers[i] >= 0);
              CHECK(peers[i] < size);
            }
          }
          CHECK(now.blocks.first + 1 <= blocks(schedule));
        }
      }
    }
  }
}

TEST_CASE("a schedule for no ranks, a root that is none, or a rank alone that sends, has a reason") {
  CHECK(unsupported({Collective::all_reduce, Algorithm::ring, false, 0, 0}) != nullptr);
  CHECK(unsupported({Collective::broadcast, Algorithm::tree, false, 4, 4}) != nullptr);
  CHECK(unsupported({Collective::broadcast, Algorithm::tree, false, 4, -1}) != nullptr);
  CHECK(unsupported({Collective::send, Algorithm::one_shot, false, 1, 0}) != nullptr);
  CHECK(unsupported({Collective::all_reduce, Algorithm::automatic, false, 4, 0}) != nullptr);
  CHECK(unsupported({Collective::all_reduce, Algorithm::ring, true, 4, 0}) != nullptr);
  CHECK(unsupported({Collective::all_reduce, Algorithm::ring, false, 4, 7}) == nullptr);
}

}  // namespace
}  // namespace tutti::plan
