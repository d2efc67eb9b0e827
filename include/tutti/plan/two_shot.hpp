/// @file  Two-shot: scatter the work over the ranks, then collect the results; two hops, each rank working on
/// one block.
#pragma once

#include "tutti/base/types.hpp"
#include "tutti/plan/seat.hpp"
#include "tutti/plan/step.hpp"

/// all_reduce: rank p owns block p. Lane 0 sends block p to p; lane 1 combines the own block in rank order
/// and sends the result to all; lane 2 takes the results of the others. Lanes hold one another up only
/// through messages.
namespace tutti::plan::two_shot {

TUTTI_HOST_DEVICE constexpr int lanes(Collective collective) { return collective == Collective::broadcast ? 2 : 3; }

TUTTI_HOST_DEVICE constexpr int steps(Collective collective, const Seat& seat, int lane) {
  switch (collective) {
    case Collective::all_reduce:
      return lane == 1 ? 1 : seat.size - 1;
    case Collective::reduce:
      return lane == 0 ? seat.size - 1 : lane == 1 ? 1 : seat.is_root() ? seat.size - 1 : 0;
    case Collective::broadcast:
      if (seat.is_root()) return lane == 0 ? seat.size - 1 : 0;
      return lane == 0 ? (seat.number() > 1 ? 2 : 1) : seat.size - 2;
    default:
      return 0;
  }
}

/// Wire 0 carries parts, wire 1 results.
TUTTI_HOST_DEVICE constexpr Step all_reduce(const Seat& seat, int lane, int index) {
  if (lane == 0) {
    const int peer = seat.right(index + 1);
    return {.own = Place::input, .blocks = {peer, 1}, .to = one(peer)};
  }
  if (lane == 1) {
    return {.from = others(seat.rank, seat.size),
            .to_wire = 1,
            .own = Place::input,
            .store = Place::output,
            .combine = true,
            .finish = true,
            .blocks = {seat.rank, 1},
            .to = others(seat.rank, seat.size)};
  }
  const int peer = seat.left(index + 1);
  return {.from = one(peer), .from_wire = 1, .store = Place::output, .blocks = {peer, 1}};
}

/// The results go to the root alone.
TUTTI_HOST_DEVICE constexpr Step reduce(const Seat& seat, int lane, int index) {
  Step step = all_reduce(seat, lane, index);
  if (lane == 1) {
    step.to = seat.is_root() ? Peers{} : one(seat.root);
    if (!seat.is_root()) step.store = Place::none;
  }
  return step;
}

/// Number v (counted from the root, from 1 on) gets block v - 1 from the root and hands it to all the others
/// but the root: first to those after it, then to those before it.
TUTTI_HOST_DEVICE constexpr Step broadcast(const Seat& seat, int lane, int index) {
  if (seat.is_root()) {
    const int number = index + 1;
    return {.own = Place::input, .store = Place::output, .blocks = {number - 1, 1}, .to = one(seat.rank_of(number))};
  }
  const int mine = seat.number();
  if (lane == 0) {
    const Blocks block{mine - 1, 1};
    if (index == 0) {
      return {.from = one(seat.root),
              .store = Place::output,
              .blocks = block,
              .to = Peers{seat.right(), seat.size - 1 - mine, 1, seat.size}};
    }
    return {.own = Place::output, .blocks = block, .to = Peers{seat.rank_of(1), mine - 1, 1, seat.size}};
  }
  const int before = mine - 1 - index;
  const int number = before >= 1 ? before : before + seat.size - 1;
  return {.from = one(seat.rank_of(number)), .store = Place::output, .blocks = {number - 1, 1}};
}

TUTTI_HOST_DEVICE constexpr Step step(Collective collective, const Seat& seat, int lane, int index) {
  switch (collective) {
    case Collective::all_reduce:
      return all_reduce(seat, lane, index);
    case Collective::reduce:
      return reduce(seat, lane, index);
    case Collective::broadcast:
      return broadcast(seat, lane, index);
    default:
      return {};
  }
}

}  // namespace tutti::plan::two_shot
