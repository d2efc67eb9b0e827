/// @file  ScheduleRun: plays the steps of a schedule on host memory, as far as they can go without waiting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "run/host/host_preparation.hpp"
#include "run/host/team.hpp"
#include "tutti/base/reduce_op.hpp"

namespace tutti::host {

/// A cursor for every lane of one rank's schedule. It owns no schedule: the preparation has the steps, from plan/.
///
/// `advance` may be called again and again; between calls nothing is held but the cursors, so that several runs
/// interleave on one thread.
class ScheduleRun {
 public:
  explicit ScheduleRun(int ranks)
      : sources_(static_cast<std::size_t>(ranks) + 1), destinations_(static_cast<std::size_t>(ranks) + 1) {}

  /// `plan` and `op` live as long as the run; `op` is not looked at when the collective does not reduce.
  void begin(HostPreparation& plan, const void* in, void* out, const ReduceOp& op, Team& team) {
    plan_ = &plan;
    place(plan::Place::input) = static_cast<std::byte*>(const_cast<void*>(in));  // NOLINT: only read
    place(plan::Place::output) = static_cast<std::byte*>(out);
    if (plan.scratch_bytes != 0) place(plan::Place::scratch) = team.scratch(plan.scratch_bytes);
    op_ = &op;
    loop_ = plan.own_loop ? op.loop : plan.loop;
    for (int l = 0; l < plan.lane_count; ++l) {
      const auto [first, end] = plan.lanes[l];
      lanes_[l] = {first, first, end, first == end ? plan.rounds : 0, 0};
    }
    opened_ = false;
    streams_ = plan.tunes_stores && plan.tuner.next() == SlotStores::streaming;
  }

  using Progress = host::Progress;
  Progress advance(Team& team) { return plan_->straight ? advance_straight(team) : advance_rounds(team); }

  /// The form of a straight plan's move that is quickest.
  static Hop hop_for(const Move& move);

  /// The one word that keeps it waiting, when there is only one.
  Operation::Watch watch(Team& team) const;

  // What it waits for is told of the lane that is furthest behind. Whom that one waits for is at least as far behind, and so
  // on: whoever follows the ranks from one to the next comes to the one that has stopped, and does not go in a circle.
  // (A lane further ahead may wait for room at a rank that in turn waits for this one.)

  /// For the error of a wait that took too long; and the peer, -1 when it is not one alone.
  struct Awaited {
    std::string what;
    int peer = -1;
  };
  Awaited awaited(const Team& team) const;
  /// The peer alone; cheap.
  int awaited_peer(const Team& team) const;
  /// The same in numbers, cheap too, for the flight recorder.
  Waiting waiting(const Team& team) const;

  const HostPreparation& plan() const { return *plan_; }
  /// Moves made so far.
  std::uint64_t moves() const { return moves_; }

 private:
  struct Lane {
    const Move* move;  ///< the next one
    const Move* first;
    const Move* end;
    std::size_t round;
    std::uint32_t ready;  ///< sources, then destinations of `move` that are known to be ready; 1: arrived at a barrier
  };

  template <bool Combines, int Takes, int Sends>
  static Progress hop(ScheduleRun& run, const Move& move, std::uint32_t& ready, Team& team);
  static Progress hop_through_window(ScheduleRun& run, const Move& move, std::uint32_t& ready, Team& team);
  static Progress hop_over_barrier(ScheduleRun& run, const Move& move, std::uint32_t& ready, Team& team);
  /// The lane that is furthest behind, the first of equals; null: all are through.
  const Lane* behind() const;
  Progress advance_straight(Team& team);
  Progress advance_lane(Lane& lane, Team& team);
  Progress advance_rounds(Team& team);
  Progress attempt(Lane& lane, Team& team);
  Progress pass_barrier(std::uint32_t& arrived, Team& team);
  static bool everything_ready(const Move& move, std::uint32_t& ready, Wires& wires) {
    for (; ready < move.awaited; ++ready) {
      if (!wires.can_receive(move.from[ready].wire)) return false;
    }
    for (; ready < move.awaited + move.filled; ++ready) {
      if (!wires.can_send(move.to[ready - move.awaited].wire)) return false;
    }
    return true;
  }
  void transfer(const Move& move, const Piece& piece, std::size_t begin, std::size_t elements, std::size_t in_slot,
                Team& team);
  std::byte*& place(plan::Place which) { return places_[static_cast<std::size_t>(which)]; }
  std::byte* here(plan::Place which, std::size_t offset) const {
    return places_[static_cast<std::size_t>(which)] + offset;
  }
  std::byte* there(plan::Place place, int peer, int block, std::size_t begin, const Team& team) const;

  HostPreparation* plan_ = nullptr;
  std::byte* places_[4] = {};  ///< by plan::Place: where they begin on this rank; the input is only read
  const ReduceOp* op_ = nullptr;
  Loop loop_ = nullptr;  ///< a user's is the call's own: a plan serves every operator of its kind
  std::uint64_t moves_ = 0;
  bool opened_ = false;
  bool streams_ = false;  ///< slots are written around the caches
  Lane lanes_[plan::max_lanes];
  std::vector<const void*> sources_;  ///< of the move at hand: at most every rank and the own block
  std::vector<void*> destinations_;
};

/// Fewer questions, which is what small calls spend their time with.
inline ScheduleRun::Progress ScheduleRun::advance_straight(Team& team) {
  if (plan_->lane_count == 1) return advance_lane(lanes_[0], team);
  for (;;) {
    const std::uint64_t before = moves_;
    Progress all = Progress::finished;
    for (int l = 0; l < plan_->lane_count; ++l) {
      const Progress progress = advance_lane(lanes_[l], team);
      if (progress != Progress::finished) all = progress;
    }
    // What one lane has done may be what another waits for only by way of other ranks; so look at most once more.
    if (all != Progress::blocked || moves_ == before) return all;
  }
}

/// One lane of a straight plan.
inline ScheduleRun::Progress ScheduleRun::advance_lane(Lane& lane, Team& team) {
  if (lane.round != 0) return Progress::finished;
  do {
    const Progress progress = lane.move->hop(*this, *lane.move, lane.ready, team);
    if (progress != Progress::finished) return progress;
    ++moves_;
  } while (++lane.move != lane.end);
  lane.move = lane.first;
  lane.round = 1;
  return Progress::finished;
}

}  // namespace tutti::host
