/// @file  Binomial tree: gather and scatter in log2 of the ranks hops, with bundles that double from hop to
/// hop.
#pragma once

#include "tutti/base/types.hpp"
#include "tutti/plan/seat.hpp"
#include "tutti/plan/step.hpp"

/// Numbers counted from the root. Number v stands for the run v … v + low_bit(v) - 1, as far as there are
/// ranks; its children are v + 1, v + 2, v + 4, … inside it, its parent is v - low_bit(v). For 8 ranks:
///
///     0 ─┬─ 1
///        ├─ 2 ── 3
///        └─ 4 ─┬─ 5
///              └─ 6 ── 7
///
/// Since a run is consecutive, one step moves it whole. Ranks between leaf and root keep their run in
/// scratch.
namespace tutti::plan::binomial {

/// Ranks in the run of `number`, itself included.
TUTTI_HOST_DEVICE constexpr int run(int number, int size) {
  const int rest = size - number;
  return number != 0 && low_bit(number) < rest ? low_bit(number) : rest;
}

TUTTI_HOST_DEVICE constexpr Blocks blocks_of(const Seat& seat, int number) {
  return {seat.rank_of(number), run(number, seat.size), seat.size};
}

/// A leaf talks to its parent; the root moves its own block and talks to its children; the others do all
/// three.
TUTTI_HOST_DEVICE constexpr int steps(const Seat& seat) {
  const int children = log2_ceil(run(seat.number(), seat.size));
  return seat.is_root() ? 1 + children : children == 0 ? 1 : 2 + children;
}

/// Own block, then the children's runs, smallest first, then everything to the parent.
TUTTI_HOST_DEVICE constexpr Step gather(const Seat& seat, int index) {
  const int mine = seat.number();
  const int children = log2_ceil(run(mine, seat.size));
  const Place keep = seat.is_root() ? Place::output : Place::scratch;
  const bool leaf = !seat.is_root() && children == 0;
  if (leaf || index == children + 1) {
    return {.own = leaf ? Place::input : Place::scratch,
            .blocks = blocks_of(seat, mine),
            .to = one(seat.rank_of(mine - low_bit(mine)))};
  }
  if (index == 0) return {.own = Place::input, .store = keep, .blocks = {seat.rank, 1}};
  const int child = mine + (1 << (index - 1));
  return {.from = one(seat.rank_of(child)), .store = keep, .blocks = blocks_of(seat, child)};
}

/// The mirror image: everything from the parent, the children's runs, largest first, then the own block.
TUTTI_HOST_DEVICE constexpr Step scatter(const Seat& seat, int index) {
  const int mine = seat.number();
  const int children = log2_ceil(run(mine, seat.size));
  const bool leaf = !seat.is_root() && children == 0;
  if (!seat.is_root() && index == 0) {
    return {.from = one(seat.rank_of(mine - low_bit(mine))),
            .store = leaf ? Place::output : Place::scratch,
            .blocks = blocks_of(seat, mine)};
  }
  const Place kept = seat.is_root() ? Place::input : Place::scratch;
  const int turn = seat.is_root() ? index : index - 1;
  if (turn == children) return {.own = kept, .store = Place::output, .blocks = {seat.rank, 1}};
  const int child = mine + (1 << (children - 1 - turn));
  return {.own = kept, .blocks = blocks_of(seat, child), .to = one(seat.rank_of(child))};
}

}  // namespace tutti::plan::binomial
