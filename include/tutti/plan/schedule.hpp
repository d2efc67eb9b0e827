/// @file  Schedule: which pattern, for which collective, among how many ranks; and its steps, one pure
/// function.
#pragma once

#include "tutti/base/types.hpp"
#include "tutti/plan/binomial.hpp"
#include "tutti/plan/bruck.hpp"
#include "tutti/plan/halving_doubling.hpp"
#include "tutti/plan/one_shot.hpp"
#include "tutti/plan/pairwise.hpp"
#include "tutti/plan/ring.hpp"
#include "tutti/plan/seat.hpp"
#include "tutti/plan/step.hpp"
#include "tutti/plan/tree.hpp"
#include "tutti/plan/two_shot.hpp"
#include "tutti/plan/window.hpp"

namespace tutti::plan {

/// Names a schedule. Its steps are functions of this and the rank alone.
struct Schedule {
  Collective collective = Collective::all_reduce;
  Algorithm algorithm = Algorithm::ring;  ///< never automatic or direct
  bool window = false;                    ///< steps reach into peers' buffers instead of sending messages
  int size = 1;                           ///< ranks
  int root = 0;                           ///< rooted collectives: the root; send and recv: the peer
};

/// The algorithms that are patterns of steps; the others are questions, or an engine's own.
inline constexpr Algorithm patterns[] = {
    Algorithm::ring, Algorithm::tree, Algorithm::one_shot, Algorithm::two_shot, Algorithm::halving_doubling,
    Algorithm::bruck};

/// Lanes run concurrently on a rank; steps of one lane run in order, and the whole lane is repeated for every
/// chunk.
inline constexpr int max_lanes = 4;
/// Parallel wires between two ranks that a schedule may use; one more is kept for send and recv.
inline constexpr int max_wires = 2;
inline constexpr int pairwise_wire = max_wires;

/// Why there is no such schedule, in a few words that outlive the call; nullptr when there is one.
/// The functions below are meant for schedules that there are.
const char* unsupported(const Schedule& schedule);

TUTTI_HOST_DEVICE constexpr Seat seat_of(const Schedule& schedule, int rank) {
  return {rank, schedule.size, has_root(schedule.collective) ? schedule.root : 0};
}

TUTTI_HOST_DEVICE constexpr int lanes(const Schedule& schedule) {
  if (schedule.size == 1 || schedule.window) return 1;
  switch (schedule.algorithm) {
    case Algorithm::tree: {
      const bool bundles = schedule.collective == Collective::gather || schedule.collective == Collective::scatter;
      return bundles ? 1 : tree::lanes(schedule.collective);
    }
    case Algorithm::one_shot:
      return one_shot::lanes(schedule.collective);
    case Algorithm::two_shot:
      return two_shot::lanes(schedule.collective);
    default:
      return 1;
  }
}

/// Steps in `lane` of `rank`, for one chunk.
TUTTI_HOST_DEVICE constexpr int steps(const Schedule& schedule, int rank, int lane) {
  const Collective collective = schedule.collective;
  if (is_pairwise(collective)) return 1;
  if (schedule.size == 1) return collective == Collective::barrier ? 0 : 1;
  const Seat seat = seat_of(schedule, rank);
  if (schedule.window) return window::steps(collective, schedule.algorithm, seat);
  switch (schedule.algorithm) {
    case Algorithm::ring:
      return ring::steps(collective, seat);
    case Algorithm::tree:
      if (collective == Collective::gather || collective == Collective::scatter) return binomial::steps(seat);
      return tree::steps(collective, seat, lane);
    case Algorithm::one_shot:
      return one_shot::steps(collective, seat, lane);
    case Algorithm::two_shot:
      return two_shot::steps(collective, seat, lane);
    case Algorithm::halving_doubling:
      return halving_doubling::steps(collective, seat);
    case Algorithm::bruck:
      return bruck::steps(collective, seat);
    default:
      return 0;
  }
}

/// Blocks the data is divided into.
TUTTI_HOST_DEVICE constexpr int blocks(const Schedule& schedule) {
  const int size = schedule.size;
  switch (schedule.collective) {
    case Collective::all_reduce:
    case Collective::reduce:
    case Collective::broadcast:
      break;
    case Collective::barrier:
    case Collective::send:
    case Collective::recv:
      return 1;
    default:
      return size;
  }
  switch (schedule.algorithm) {
    case Algorithm::ring:
      return schedule.collective == Collective::all_reduce ? size : 1;
    case Algorithm::tree:
      return size == 1 ? 1 : 2;
    case Algorithm::two_shot:
      return schedule.collective == Collective::broadcast && size > 1 ? size - 1 : size;
    case Algorithm::halving_doubling:
      return floor_power(size);
    default:
      return 1;
  }
}

/// `index` in 0 … steps - 1.
TUTTI_HOST_DEVICE constexpr Step step(const Schedule& schedule, int rank, int lane, int index) {
  const Collective collective = schedule.collective;
  if (is_pairwise(collective)) return pairwise::step(collective, schedule.root, pairwise_wire);
  if (schedule.size == 1) {
    return {
        .own = Place::input, .store = Place::output, .finish = reduces(collective), .blocks = {0, blocks(schedule)}};
  }
  const Seat seat = seat_of(schedule, rank);
  if (schedule.window) return window::step(collective, schedule.algorithm, seat, index);
  switch (schedule.algorithm) {
    case Algorithm::ring:
      return ring::step(collective, seat, index);
    case Algorithm::tree:
      if (collective == Collective::gather) return binomial::gather(seat, index);
      if (collective == Collective::scatter) return binomial::scatter(seat, index);
      return tree::step(collective, seat, lane);
    case Algorithm::one_shot:
      return one_shot::step(collective, seat, lane, index);
    case Algorithm::two_shot:
      return two_shot::step(collective, seat, lane, index);
    case Algorithm::halving_doubling:
      return halving_doubling::step(collective, seat, index);
    case Algorithm::bruck:
      return bruck::step(collective, seat, index);
    default:
      return {};
  }
}

/// The most blocks any message carries at once: what a slot must hold per chunk. At least 1.
TUTTI_HOST_DEVICE constexpr int blocks_per_step(const Schedule& schedule) {
  const int size = schedule.size;
  if (size == 1 || schedule.window || is_pairwise(schedule.collective) || schedule.collective == Collective::barrier) {
    return 1;
  }
  const int power = floor_power(size);
  const int rest = size - power;
  const int bundle = power / 2 > rest ? power / 2 : rest;
  switch (schedule.algorithm) {
    case Algorithm::halving_doubling:
      return power == size ? size / 2 : blocks(schedule);
    case Algorithm::bruck:
      return schedule.collective == Collective::all_to_all ? size / 2 : bundle;
    case Algorithm::tree:
      return schedule.collective == Collective::gather || schedule.collective == Collective::scatter ? bundle : 1;
    default:
      return 1;
  }
}

/// Slots that a wire needs, for no step to wait for itself around a circle. Every wire works with more.
TUTTI_HOST_DEVICE constexpr int least_slots(const Schedule& schedule) {
  const bool circle = schedule.algorithm == Algorithm::ring && schedule.collective != Collective::broadcast &&
                      schedule.collective != Collective::reduce && schedule.collective != Collective::barrier;
  return circle && schedule.size > 1 ? 2 : 1;
}

/// Does it combine in ascending rank order, rounding once, whatever the chunks: bitwise reproducible, fit for
/// operators that do not commute? True where nothing is combined.
TUTTI_HOST_DEVICE constexpr bool in_rank_order(const Schedule& schedule) {
  return schedule.algorithm == Algorithm::one_shot || schedule.algorithm == Algorithm::two_shot ||
         !reduces(schedule.collective);
}

/// May input and output be the same memory, or the one a part of the other? Where false, not on any rank.
TUTTI_HOST_DEVICE constexpr bool works_in_place(const Schedule& schedule) {
  return schedule.collective != Collective::all_to_all_v &&
         (schedule.collective != Collective::all_to_all || !schedule.window || schedule.size == 1);
}

/// Does any step use Place::scratch?
TUTTI_HOST_DEVICE constexpr bool needs_scratch(const Schedule& schedule) {
  if (schedule.size == 1) return false;
  const Collective collective = schedule.collective;
  switch (schedule.algorithm) {
    case Algorithm::one_shot:
      return schedule.window && collective == Collective::all_reduce;
    case Algorithm::tree:
      return schedule.size > 3 && (collective == Collective::gather || collective == Collective::scatter);
    case Algorithm::halving_doubling:
      return collective == Collective::reduce || (schedule.size > 2 && (collective == Collective::reduce_scatter ||
                                                                        collective == Collective::reduce_scatter_v));
    case Algorithm::bruck:
      return collective == Collective::all_to_all || (collective == Collective::barrier && schedule.size > 2);
    default:
      return false;
  }
}

}  // namespace tutti::plan
