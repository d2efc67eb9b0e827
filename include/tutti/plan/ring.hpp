/// @file  Ring: everybody receives from the left and sends to the right; blocks go around, or one message
/// down a chain.
#pragma once

#include "tutti/base/types.hpp"
#include "tutti/plan/seat.hpp"
#include "tutti/plan/step.hpp"

/// all_reduce of 3 ranks. Block b starts at rank b + 1, gathers one part at each rank, is whole at rank b,
/// and goes around once more. A column is one step; "+" combines, "=" finishes, ">" sends on:
///
///     rank 0   2>    1+>   0+=>  2>    1
///     rank 1   0>    2+>   1+=>  0>    2
///     rank 2   1>    0+>   2+=>  1>    0
///
/// reduce_scatter is its first half, all_gather its second.
namespace tutti::plan::ring {

TUTTI_HOST_DEVICE constexpr int steps(Collective collective, const Seat& seat) {
  switch (collective) {
    case Collective::all_reduce:
      return 2 * seat.size - 1;
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_v:
    case Collective::all_gather:
    case Collective::all_gather_v:
      return seat.size;
    case Collective::broadcast:
    case Collective::reduce:
      return 1;
    case Collective::barrier:
      return seat.rank == seat.size - 1 ? 1 : 2;
    default:
      return 0;
  }
}

/// `index` 0 … 2 * size - 2: the first `size` steps reduce, the others spread.
TUTTI_HOST_DEVICE constexpr Step all_reduce(const Seat& seat, int index) {
  const bool last = index == 2 * seat.size - 2;
  const Blocks block{around(around(seat.rank - 1 - index, seat.size), seat.size), 1};
  if (index >= seat.size) {
    return {
        .from = one(seat.left()), .store = Place::output, .blocks = block, .to = last ? Peers{} : one(seat.right())};
  }
  const bool whole = index == seat.size - 1;
  return {.from = index == 0 ? Peers{} : one(seat.left()),
          .own = Place::input,
          .store = whole ? Place::output : Place::none,
          .combine = index != 0,
          .finish = whole,
          .blocks = block,
          .to = one(seat.right())};
}

TUTTI_HOST_DEVICE constexpr Step reduce_scatter(const Seat& seat, int index) {
  Step step = all_reduce(seat, index);
  if (step.finish) step.to = {};
  return step;
}

TUTTI_HOST_DEVICE constexpr Step all_gather(const Seat& seat, int index) {
  const Blocks block{around(seat.rank - index, seat.size), 1};
  return {.from = index == 0 ? Peers{} : one(seat.left()),
          .own = index == 0 ? Place::input : Place::none,
          .store = Place::output,
          .blocks = block,
          .to = index == seat.size - 1 ? Peers{} : one(seat.right())};
}

/// A chain from the root: 0 > 1 > … > size - 1, counted from the root.
TUTTI_HOST_DEVICE constexpr Step broadcast(const Seat& seat) {
  return {.from = seat.is_root() ? Peers{} : one(seat.left()),
          .own = seat.is_root() ? Place::input : Place::none,
          .store = Place::output,
          .blocks = {0, 1},
          .to = seat.right() == seat.root ? Peers{} : one(seat.right())};
}

/// A chain to the root: 1 > 2 > … > size - 1 > 0, counted from the root.
TUTTI_HOST_DEVICE constexpr Step reduce(const Seat& seat) {
  const bool first = seat.number() == 1;
  return {.from = first ? Peers{} : one(seat.left()),
          .own = Place::input,
          .store = seat.is_root() ? Place::output : Place::none,
          .combine = !first,
          .finish = seat.is_root(),
          .blocks = {0, 1},
          .to = seat.is_root() ? Peers{} : one(seat.right())};
}

/// A token from rank 0 to the last rank, which then knows of all, and around again to tell them.
TUTTI_HOST_DEVICE constexpr Step barrier(const Seat& seat, int index) {
  const bool last_rank = seat.rank == seat.size - 1;
  if (index == 0) {
    return {.from = seat.rank == 0 ? Peers{} : one(seat.left()),
            .own = Place::input,
            .store = last_rank ? Place::output : Place::none,
            .combine = seat.rank != 0,
            .blocks = {0, 1},
            .to = one(seat.right())};
  }
  return {.from = one(seat.left()),
          .store = Place::output,
          .blocks = {0, 1},
          .to = seat.rank == seat.size - 2 ? Peers{} : one(seat.right())};
}

TUTTI_HOST_DEVICE constexpr Step step(Collective collective, const Seat& seat, int index) {
  switch (collective) {
    case Collective::all_reduce:
      return all_reduce(seat, index);
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_v:
      return reduce_scatter(seat, index);
    case Collective::all_gather:
    case Collective::all_gather_v:
      return all_gather(seat, index);
    case Collective::broadcast:
      return broadcast(seat);
    case Collective::reduce:
      return reduce(seat);
    case Collective::barrier:
      return barrier(seat, index);
    default:
      return {};
  }
}

}  // namespace tutti::plan::ring
