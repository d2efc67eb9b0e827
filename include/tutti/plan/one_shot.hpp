/// @file  One-shot: every part goes straight to whoever needs it, in one hop.
#pragma once

#include "tutti/base/types.hpp"
#include "tutti/plan/seat.hpp"
#include "tutti/plan/step.hpp"

/// all_reduce: send the own vector to all, then combine all vectors in rank order. Everybody does all the
/// work, but nobody waits twice. Where blocks have one receiver (reduce_scatter, gather, all_to_all, …) it is
/// all there is to do.
namespace tutti::plan::one_shot {

/// Two where sending and receiving touch different blocks, so that neither need wait for the other.
TUTTI_HOST_DEVICE constexpr int lanes(Collective collective) {
  switch (collective) {
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_v:
    case Collective::all_gather:
    case Collective::all_gather_v:
      return 2;
    default:
      return 1;
  }
}

TUTTI_HOST_DEVICE constexpr int steps(Collective collective, const Seat& seat, int lane) {
  switch (collective) {
    case Collective::all_reduce:
    case Collective::barrier:
      return 2;
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_v:
      return lane == 0 ? seat.size - 1 : 1;
    case Collective::all_gather:
    case Collective::all_gather_v:
      return lane == 0 ? 1 : seat.size - 1;
    case Collective::gather:
    case Collective::scatter:
      return seat.is_root() ? seat.size : 1;
    case Collective::all_to_all:
    case Collective::all_to_all_v:
      return 2 * seat.size - 1;
    case Collective::broadcast:
    case Collective::reduce:
      return 1;
    default:
      return 0;
  }
}

/// barrier is the same with nothing to finish.
TUTTI_HOST_DEVICE constexpr Step all_reduce(const Seat& seat, int index, bool finish) {
  if (index == 0) return {.own = Place::input, .blocks = {0, 1}, .to = others(seat.rank, seat.size)};
  return {.from = others(seat.rank, seat.size),
          .own = Place::input,
          .store = Place::output,
          .combine = true,
          .finish = finish,
          .blocks = {0, 1}};
}

TUTTI_HOST_DEVICE constexpr Step reduce_scatter(const Seat& seat, int lane, int index) {
  if (lane == 0) {
    const int peer = seat.right(index + 1);
    return {.own = Place::input, .blocks = {peer, 1}, .to = one(peer)};
  }
  return {.from = others(seat.rank, seat.size),
          .own = Place::input,
          .store = Place::output,
          .combine = true,
          .finish = true,
          .blocks = {seat.rank, 1}};
}

TUTTI_HOST_DEVICE constexpr Step all_gather(const Seat& seat, int lane, int index) {
  if (lane == 0) {
    return {.own = Place::input, .store = Place::output, .blocks = {seat.rank, 1}, .to = others(seat.rank, seat.size)};
  }
  const int peer = seat.left(index + 1);
  return {.from = one(peer), .store = Place::output, .blocks = {peer, 1}};
}

TUTTI_HOST_DEVICE constexpr Step broadcast(const Seat& seat) {
  if (!seat.is_root()) return {.from = one(seat.root), .store = Place::output, .blocks = {0, 1}};
  return {.own = Place::input, .store = Place::output, .blocks = {0, 1}, .to = others(seat.rank, seat.size)};
}

TUTTI_HOST_DEVICE constexpr Step reduce(const Seat& seat) {
  if (!seat.is_root()) return {.own = Place::input, .blocks = {0, 1}, .to = one(seat.root)};
  return {.from = others(seat.rank, seat.size),
          .own = Place::input,
          .store = Place::output,
          .combine = true,
          .finish = true,
          .blocks = {0, 1}};
}

TUTTI_HOST_DEVICE constexpr Step gather(const Seat& seat, int index) {
  if (!seat.is_root()) return {.own = Place::input, .blocks = {seat.rank, 1}, .to = one(seat.root)};
  const int peer = seat.right(index);
  if (index == 0) return {.own = Place::input, .store = Place::output, .blocks = {peer, 1}};
  return {.from = one(peer), .store = Place::output, .blocks = {peer, 1}};
}

TUTTI_HOST_DEVICE constexpr Step scatter(const Seat& seat, int index) {
  if (!seat.is_root()) return {.from = one(seat.root), .store = Place::output, .blocks = {seat.rank, 1}};
  const int peer = seat.right(index);
  if (index == 0) return {.own = Place::input, .store = Place::output, .blocks = {peer, 1}};
  return {.own = Place::input, .blocks = {peer, 1}, .to = one(peer)};
}

/// Block d goes d ranks to the right. All sends before all receives: in place, what arrives lands where what
/// was sent to that rank lay.
TUTTI_HOST_DEVICE constexpr Step all_to_all(const Seat& seat, int index) {
  if (index == 0) return {.own = Place::input, .store = Place::output, .blocks = {0, 1}};
  if (index < seat.size) return {.own = Place::input, .blocks = {index, 1}, .to = one(seat.right(index))};
  const int distance = index - seat.size + 1;
  return {.from = one(seat.left(distance)), .store = Place::output, .blocks = {distance, 1}};
}

TUTTI_HOST_DEVICE constexpr Step step(Collective collective, const Seat& seat, int lane, int index) {
  switch (collective) {
    case Collective::all_reduce:
      return all_reduce(seat, index, true);
    case Collective::barrier:
      return all_reduce(seat, index, false);
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_v:
      return reduce_scatter(seat, lane, index);
    case Collective::all_gather:
    case Collective::all_gather_v:
      return all_gather(seat, lane, index);
    case Collective::broadcast:
      return broadcast(seat);
    case Collective::reduce:
      return reduce(seat);
    case Collective::gather:
      return gather(seat, index);
    case Collective::scatter:
      return scatter(seat, index);
    case Collective::all_to_all:
    case Collective::all_to_all_v:
      return all_to_all(seat, index);
    default:
      return {};
  }
}

}  // namespace tutti::plan::one_shot
