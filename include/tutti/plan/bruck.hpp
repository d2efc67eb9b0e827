/// @file  Bruck: distances 1, 2, 4, … around the circle, so that few messages reach everybody, for any number
/// of ranks.
#pragma once

#include "tutti/base/types.hpp"
#include "tutti/plan/seat.hpp"
#include "tutti/plan/step.hpp"

namespace tutti::plan::bruck {

TUTTI_HOST_DEVICE constexpr int steps(Collective collective, const Seat& seat) {
  const int rounds = log2_ceil(seat.size);
  switch (collective) {
    case Collective::all_gather:
    case Collective::all_gather_v:
      return 1 + 2 * rounds;
    case Collective::all_to_all:
      return 3 + 2 * rounds;
    case Collective::barrier:
      return 1 + rounds;
    default:
      return 0;
  }
}

/// After k rounds rank r holds blocks r … r + 2^k - 1. It hands them to r - 2^k and takes as many from r +
/// 2^k.
TUTTI_HOST_DEVICE constexpr Step all_gather(const Seat& seat, int index) {
  if (index == 0) return {.own = Place::input, .store = Place::output, .blocks = {seat.rank, 1}};
  const int distance = 1 << ((index - 1) / 2);
  const int rest = seat.size - distance;
  const int count = rest < distance ? rest : distance;
  if (index % 2 == 1) {
    return {.own = Place::output, .blocks = {seat.rank, count, seat.size}, .to = one(seat.left(distance))};
  }
  const int peer = seat.right(distance);
  return {.from = one(peer), .store = Place::output, .blocks = {peer, count, seat.size}};
}

/// How many of the numbers 0 … size - 1 have the bit of `distance`.
TUTTI_HOST_DEVICE constexpr int with_bit(int distance, int size) {
  const int whole = size & -(2 * distance);
  const int rest = size - whole - distance;
  return whole / 2 + (rest > 0 ? rest : 0);
}

/// Block d has d ranks to go, to the right. In round k all blocks whose distance has bit k take a jump of
/// 2^k, so that each has made its way when the bits are through. They travel through scratch.
TUTTI_HOST_DEVICE constexpr Step all_to_all(const Seat& seat, int index) {
  const Blocks foreign{1, seat.size - 1};
  if (index == 0) return {.own = Place::input, .store = Place::output, .blocks = {0, 1}};
  if (index == 1) return {.own = Place::input, .store = Place::scratch, .blocks = foreign};
  const int distance = 1 << ((index - 2) / 2);
  if (distance >= seat.size) return {.own = Place::scratch, .store = Place::output, .blocks = foreign};
  const Blocks jumping{distance, with_bit(distance, seat.size), 0, distance};
  if (index % 2 == 0) return {.own = Place::scratch, .blocks = jumping, .to = one(seat.right(distance))};
  return {.from = one(seat.left(distance)), .store = Place::scratch, .blocks = jumping};
}

/// Dissemination: what rank r has heard of after k rounds, the 2^k ranks to its left, it tells r + 2^k.
TUTTI_HOST_DEVICE constexpr Step barrier(const Seat& seat, int index) {
  const int rounds = log2_ceil(seat.size);
  return {.from = index == 0 ? Peers{} : one(seat.left(1 << (index - 1))),
          .own = index < 2 ? Place::input : Place::scratch,
          .store = index == rounds ? Place::output
                   : index == 0    ? Place::none
                                   : Place::scratch,
          .combine = index != 0,
          .blocks = {0, 1},
          .to = index == rounds ? Peers{} : one(seat.right(1 << index))};
}

TUTTI_HOST_DEVICE constexpr Step step(Collective collective, const Seat& seat, int index) {
  switch (collective) {
    case Collective::all_gather:
    case Collective::all_gather_v:
      return all_gather(seat, index);
    case Collective::all_to_all:
      return all_to_all(seat, index);
    case Collective::barrier:
      return barrier(seat, index);
    default:
      return {};
  }
}

}  // namespace tutti::plan::bruck
