/// @file  Halving-doubling: pairs at halving distances split the work, pairs at doubling distances collect
/// the results.
#pragma once

#include "tutti/base/types.hpp"
#include "tutti/plan/seat.hpp"
#include "tutti/plan/step.hpp"

/// Let P be the largest power of two among the n ranks. While n - P > 0, the first ranks go in pairs (0 1)(2
/// 3)…: the first of each (or the root) speaks for both and is one of the P *cores*; its *helper* hands over
/// its data at the beginning and gets its result at the end. The cores work in log2 P rounds, core c with
/// core c xor d:
///
///   halving    d = P/2, …, 2, 1:  both split the blocks they share; each sends the other's half and combines
///   its own. doubling   d = 1, 2, …, P/2:  both hand each other everything they hold.
///
/// all_reduce halves, then doubles. reduce_scatter halves, all_gather doubles. reduce halves, then collects
/// at the root along a binomial tree; broadcast spreads along one, then doubles.
namespace tutti::plan::halving_doubling {

/// One rank's part in it.
struct Team {
  int rank;
  int size;
  int power;    ///< cores
  int extra;    ///< helpers: the pairs
  int root;     ///< speaks for its pair
  int core;     ///< the number of this rank's core
  bool helper;  ///< this rank is not the core itself
  bool paired;  ///< the core has a helper
  int rounds;   ///< log2 of the cores

  TUTTI_HOST_DEVICE constexpr int speaker(int which) const {
    return which >= extra ? which + extra : 2 * which + (root == 2 * which + 1 ? 1 : 0);
  }
  TUTTI_HOST_DEVICE constexpr Peers other_of_pair() const { return one(rank ^ 1); }
  TUTTI_HOST_DEVICE constexpr Peers partner(int distance) const { return one(speaker(core ^ distance)); }
};

TUTTI_HOST_DEVICE constexpr Team team(const Seat& seat) {
  const int power = floor_power(seat.size);
  const int extra = seat.size - power;
  const bool paired = seat.rank < 2 * extra;
  Team t{seat.rank, seat.size, power,          extra, seat.root, paired ? seat.rank / 2 : seat.rank - extra,
         false,     paired,    exponent(power)};
  t.helper = paired && t.speaker(t.core) != seat.rank;
  return t;
}

/// The blocks of the `distance` cores around `core`. all_reduce, reduce and broadcast have one block for each
/// core, the others one for each rank: two for the core of a pair.
TUTTI_HOST_DEVICE constexpr Blocks blocks_around(const Team& t, int core, int distance, bool block_per_rank) {
  const int begin = core & -distance;
  if (!block_per_rank) return {begin, distance};
  const int end = begin + distance;
  const int first = begin + (begin < t.extra ? begin : t.extra);
  return {first, end + (end < t.extra ? end : t.extra) - first};
}

/// Sends the partner's half (`turn` even), then combines the own one (odd).
TUTTI_HOST_DEVICE constexpr Step halve(const Team& t, int turn, Place work, bool block_per_rank) {
  const int distance = t.power >> (turn / 2 + 1);
  const Place own = turn < 2 && !t.paired ? Place::input : work;
  if (turn % 2 == 0) {
    return {
        .own = own, .blocks = blocks_around(t, t.core ^ distance, distance, block_per_rank), .to = t.partner(distance)};
  }
  return {.from = t.partner(distance),
          .own = own,
          .store = work,
          .combine = true,
          .finish = distance == 1,
          .blocks = blocks_around(t, t.core, distance, block_per_rank)};
}

/// Sends everything held (`turn` even), then takes as much (odd).
TUTTI_HOST_DEVICE constexpr Step double_up(const Team& t, int turn, bool block_per_rank) {
  const int distance = 1 << (turn / 2);
  if (turn % 2 == 0) {
    return {
        .own = Place::output, .blocks = blocks_around(t, t.core, distance, block_per_rank), .to = t.partner(distance)};
  }
  return {.from = t.partner(distance),
          .store = Place::output,
          .blocks = blocks_around(t, t.core ^ distance, distance, block_per_rank)};
}

/// The helper hands over `blocks` of its input; the speaker adds its own and works on.
TUTTI_HOST_DEVICE constexpr Step hand_over(const Team& t, Blocks blocks) {
  return {.own = Place::input, .blocks = blocks, .to = t.other_of_pair()};
}
TUTTI_HOST_DEVICE constexpr Step fold(const Team& t, Place work, Blocks blocks) {
  return {.from = t.other_of_pair(), .own = Place::input, .store = work, .combine = true, .blocks = blocks};
}
/// The speaker gives the helper its result.
TUTTI_HOST_DEVICE constexpr Step unfold(const Team& t, Place work, Blocks blocks) {
  return {.own = work, .blocks = blocks, .to = t.other_of_pair()};
}
TUTTI_HOST_DEVICE constexpr Step take_result(const Team& t, Blocks blocks) {
  return {.from = t.other_of_pair(), .store = Place::output, .blocks = blocks};
}

TUTTI_HOST_DEVICE constexpr Step all_reduce(const Team& t, int index) {
  const Blocks all{0, t.power};
  if (t.helper) return index == 0 ? hand_over(t, all) : take_result(t, all);
  if (t.paired && index-- == 0) return fold(t, Place::output, all);
  const int turns = 2 * t.rounds;
  if (index < turns) return halve(t, index, Place::output, false);
  if (index < 2 * turns) return double_up(t, index - turns, false);
  return unfold(t, Place::output, all);
}

/// Partial results lie in scratch: the output has room for one block only.
TUTTI_HOST_DEVICE constexpr Step reduce_scatter(const Team& t, int index) {
  const Blocks all{0, t.size};
  const Blocks helpers{t.rank ^ 1, 1};
  if (t.helper) return index == 0 ? hand_over(t, all) : take_result(t, {t.rank, 1});
  if (t.paired && index-- == 0) return fold(t, Place::scratch, all);
  if (index < 2 * t.rounds) {
    Step step = halve(t, index, Place::scratch, true);
    if (step.finish && !t.paired) step.store = Place::output;
    return step;
  }
  if (index == 2 * t.rounds) return {.own = Place::scratch, .store = Place::output, .blocks = {t.rank, 1}};
  return unfold(t, Place::scratch, helpers);
}

TUTTI_HOST_DEVICE constexpr Step all_gather(const Team& t, int index) {
  const Blocks all{0, t.size};
  if (t.helper) return index == 0 ? hand_over(t, {t.rank, 1}) : take_result(t, all);
  if (index-- == 0) return {.own = Place::input, .store = Place::output, .blocks = {t.rank, 1}};
  if (t.paired && index-- == 0) return take_result(t, {t.rank ^ 1, 1});
  return index < 2 * t.rounds ? double_up(t, index, true) : unfold(t, Place::output, all);
}

/// The binomial tree over the cores, seen from the root's core: how many levels hang under `t`'s core.
TUTTI_HOST_DEVICE constexpr int levels(const Team& t) {
  const int from_root = t.core ^ (t.root < 2 * t.extra ? t.root / 2 : t.root - t.extra);
  return from_root == 0 ? t.rounds : exponent(low_bit(from_root));
}

TUTTI_HOST_DEVICE constexpr Step reduce(const Team& t, int index) {
  const Place work = t.rank == t.root ? Place::output : Place::scratch;
  const Blocks all{0, t.power};
  if (t.helper) return hand_over(t, all);
  if (t.paired && index-- == 0) return fold(t, work, all);
  if (index < 2 * t.rounds) return halve(t, index, work, false);
  const int level = index - 2 * t.rounds;
  const int distance = 1 << level;
  if (level == levels(t)) {
    return {.own = work, .blocks = blocks_around(t, t.core, distance, false), .to = t.partner(distance)};
  }
  return {.from = t.partner(distance), .store = work, .blocks = blocks_around(t, t.core ^ distance, distance, false)};
}

TUTTI_HOST_DEVICE constexpr Step broadcast(const Team& t, int index) {
  const Blocks all{0, t.power};
  if (t.helper) return take_result(t, all);
  const int below = levels(t);
  if (index == 0) {
    if (t.rank == t.root) return {.own = Place::input, .store = Place::output, .blocks = all};
    const int distance = 1 << below;
    return {.from = t.partner(distance), .store = Place::output, .blocks = blocks_around(t, t.core, distance, false)};
  }
  if (index <= below) {
    const int distance = 1 << (below - index);
    return {.own = Place::output,
            .blocks = blocks_around(t, t.core ^ distance, distance, false),
            .to = t.partner(distance)};
  }
  const int turn = index - 1 - below;
  return turn < 2 * t.rounds ? double_up(t, turn, false) : unfold(t, Place::output, all);
}

TUTTI_HOST_DEVICE constexpr int steps(Collective collective, const Seat& seat) {
  const Team t = team(seat);
  const int pair = t.paired ? 1 : 0;
  switch (collective) {
    case Collective::all_reduce:
      return t.helper ? 2 : 4 * t.rounds + 2 * pair;
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_v:
      return t.helper ? 2 : 2 * t.rounds + 3 * pair;
    case Collective::all_gather:
    case Collective::all_gather_v:
      return t.helper ? 2 : 1 + 2 * t.rounds + 2 * pair;
    case Collective::reduce:
      return t.helper ? 1 : pair + 2 * t.rounds + levels(t) + (t.rank == t.root ? 0 : 1);
    case Collective::broadcast:
      return t.helper ? 1 : 1 + levels(t) + 2 * t.rounds + pair;
    default:
      return 0;
  }
}

TUTTI_HOST_DEVICE constexpr Step step(Collective collective, const Seat& seat, int index) {
  const Team t = team(seat);
  switch (collective) {
    case Collective::all_reduce:
      return all_reduce(t, index);
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_v:
      return reduce_scatter(t, index);
    case Collective::all_gather:
    case Collective::all_gather_v:
      return all_gather(t, index);
    case Collective::reduce:
      return reduce(t, index);
    case Collective::broadcast:
      return broadcast(t, index);
    default:
      return {};
  }
}

}  // namespace tutti::plan::halving_doubling
