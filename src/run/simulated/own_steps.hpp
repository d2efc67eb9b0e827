/// @file  Steps that only the simulator takes: through switches that reduce and multicast, and along PAT's trees.
#pragma once

#include <cstdint>

#include "tutti/base/types.hpp"
#include "tutti/plan/seat.hpp"
#include "tutti/plan/step.hpp"

namespace tutti::simulated::own {

// PAT: every block goes down a binomial tree whose root is its own rank, all trees at once. The farthest steps of an
// all_gather come first and carry least; a reduce_scatter is the same backwards.

/// Blocks that a rank sends over `distance`: as many as there are of 0, 2·distance, 4·distance, … below size - distance.
constexpr int pat_blocks(int size, int distance) { return (size - distance + 2 * distance - 1) / (2 * distance); }

/// One more than rounds: the last step only takes.
constexpr int pat_steps(int size) { return plan::log2_ceil(size) + 1; }

constexpr plan::Step pat_step(Collective collective, int size, int rank, int index) {
  const int rounds = plan::log2_ceil(size);
  const bool gathers = collective == Collective::all_gather;
  const auto distance = [&](int round) { return 1 << (gathers ? rounds - 1 - round : round); };
  plan::Step step{.own = plan::Place::input, .combine = !gathers && index > 0};
  if (index > 0) step.from = plan::one((rank - distance(index - 1) + size) % size);
  if (index < rounds) {
    step.to = plan::one((rank + distance(index)) % size);
    step.blocks = {0, pat_blocks(size, distance(index))};
  }
  return step;
}

// A switch is one rank more, whose number is the number of ranks. Inside a machine it reads a block from every GPU and
// sends the sum to the block's owner (wire 0); the owner sends a block once, and all get it (wire 1). Between machines
// whole vectors go up, and the sum comes down. Every lane is one step, so that chunks follow one another.

enum class Errand : std::uint8_t { reduce_scatter, all_gather, both, up_and_down };

constexpr int switched_lanes(Errand errand) { return errand == Errand::both ? 3 : 2; }
/// A switch has nothing to wait for before it passes something on.
constexpr int lanes_of_switch(Errand errand) { return errand == Errand::both ? 2 : 1; }

/// `size` ranks, each the owner of a block; `present` of them take part in person, the others being like them.
constexpr plan::Step switched_step(Errand errand, int size, int present, int rank, int lane) {
  const int whole = errand == Errand::up_and_down ? 1 : size;
  const bool reduces = errand != Errand::all_gather;
  const plan::Peers present_ones{0, present, 1, present};
  if (rank == size) {
    const bool to_owners = lane == 0 && (errand == Errand::both || errand == Errand::reduce_scatter);
    const auto wire = static_cast<std::uint8_t>(lane);
    return {.from = present_ones,
            .from_wire = wire,
            .to_wire = wire,
            .blocks = {0, to_owners ? 1 : whole},
            .to = present_ones};
  }
  const plan::Peers the_switch = plan::one(size);
  const bool last = lane + 1 == switched_lanes(errand);
  if (lane == 0) return {.own = plan::Place::input, .blocks = {0, reduces ? whole : 1}, .to = the_switch};
  if (!last) return {.from = the_switch, .to_wire = 1, .blocks = {0, 1}, .to = the_switch};
  return {.from = the_switch, .from_wire = static_cast<std::uint8_t>(lane - 1), .store = plan::Place::output};
}

}  // namespace tutti::simulated::own
