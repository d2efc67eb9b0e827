/// @file  Window: the one- and two-shot patterns between barriers, where ranks can reach into each other's
/// buffers.
#pragma once

#include "tutti/base/types.hpp"
#include "tutti/plan/seat.hpp"
#include "tutti/plan/step.hpp"

/// No messages: barriers say when a peer's input is ready and when nobody reads it any more. Between two
/// barriers every block is written by one rank only, and read by nobody else, so that input and output may be
/// the same memory (all_to_all excepted: there each rank's output covers what its peers still read).
namespace tutti::plan::window {

TUTTI_HOST_DEVICE constexpr bool exists(Collective collective, Algorithm algorithm) {
  switch (collective) {
    case Collective::all_reduce:
    case Collective::reduce:
      return algorithm == Algorithm::one_shot || algorithm == Algorithm::two_shot;
    case Collective::all_to_all_v:
    case Collective::send:
    case Collective::recv:
      return false;
    default:
      return algorithm == Algorithm::one_shot;
  }
}

TUTTI_HOST_DEVICE constexpr int steps(Collective collective, Algorithm algorithm, const Seat& seat) {
  switch (collective) {
    case Collective::barrier:
      return 1;
    case Collective::all_reduce:
      return algorithm == Algorithm::one_shot ? 4 : 3;
    case Collective::reduce:
      return algorithm == Algorithm::one_shot && !seat.is_root() ? 2 : 3;
    case Collective::all_gather:
    case Collective::all_gather_v:
    case Collective::all_to_all:
      return seat.size + 2;
    default:
      return 3;
  }
}

/// Combines everybody's inputs, in rank order.
TUTTI_HOST_DEVICE constexpr Step combine(const Seat& seat, int block, Place store) {
  return {.from = others(seat.rank, seat.size),
          .from_place = Place::input,
          .own = Place::input,
          .store = store,
          .combine = true,
          .finish = true,
          .blocks = {block, 1}};
}

/// Copies a block of `peer`'s input to the own output.
TUTTI_HOST_DEVICE constexpr Step fetch(const Seat& seat, int peer, int block) {
  if (peer == seat.rank) return {.own = Place::input, .store = Place::output, .blocks = {block, 1}};
  return {.from = one(peer), .from_place = Place::input, .store = Place::output, .blocks = {block, 1}};
}

/// The steps between the opening and the closing barrier; `index` from 0.
TUTTI_HOST_DEVICE constexpr Step inner(Collective collective, Algorithm algorithm, const Seat& seat, int index) {
  switch (collective) {
    case Collective::all_reduce: {
      // Rank r reads and writes block r of everybody.
      Step step = combine(seat, seat.rank, Place::output);
      step.to = others(seat.rank, seat.size);
      step.to_place = Place::output;
      return step;
    }
    case Collective::reduce: {
      if (algorithm == Algorithm::one_shot) return combine(seat, 0, Place::output);
      Step step = combine(seat, seat.rank, seat.is_root() ? Place::output : Place::none);
      if (!seat.is_root()) {
        step.to = one(seat.root);
        step.to_place = Place::output;
      }
      return step;
    }
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_v:
      return combine(seat, seat.rank, Place::output);
    case Collective::all_gather:
    case Collective::all_gather_v:
      return fetch(seat, seat.right(index), seat.right(index));
    case Collective::broadcast:
      return fetch(seat, seat.root, 0);
    case Collective::scatter:
      return fetch(seat, seat.root, seat.rank);
    case Collective::all_to_all:
      return fetch(seat, seat.left(index), index);
    case Collective::gather:
      if (seat.is_root()) return fetch(seat, seat.rank, seat.rank);
      return {.to_place = Place::output, .own = Place::input, .blocks = {seat.rank, 1}, .to = one(seat.root)};
    default:
      return {};
  }
}

TUTTI_HOST_DEVICE constexpr Step step(Collective collective, Algorithm algorithm, const Seat& seat, int index) {
  if (collective == Collective::all_reduce && algorithm == Algorithm::one_shot) {
    // Through scratch: in place, the output covers what the others still read.
    if (index == 1) return combine(seat, 0, Place::scratch);
    if (index == 3) return {.own = Place::scratch, .store = Place::output, .blocks = {0, 1}};
    return {.barrier = true};
  }
  const bool edge = index == 0 || index == steps(collective, algorithm, seat) - 1;
  return edge ? Step{.barrier = true} : inner(collective, algorithm, seat, index - 1);
}

}  // namespace tutti::plan::window
