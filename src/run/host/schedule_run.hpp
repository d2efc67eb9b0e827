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
  void begin(HostPreparation& plan, const void* in, void* out, const ReduceOp& op, Team& team);

  enum class Progress : std::uint8_t { blocked, finished, closed };
  /// `closed`: the window opened with a barrier, but not every buffer can be reached by all; nothing else has happened.
  Progress advance(Team& team);

  /// The one word that keeps it waiting, when there is only one.
  Operation::Watch watch(Team& team) const;

  /// What it waits for, for the error of a wait that took too long; and the peer, -1 when it is not one alone.
  struct Awaited {
    std::string what;
    int peer = -1;
  };
  Awaited awaited(const Team& team) const;
  /// The peer alone; cheap.
  int awaited_peer(const Team& team) const;

  const HostPreparation& plan() const { return *plan_; }
  /// Moves made so far.
  std::uint64_t moves() const { return moves_; }

 private:
  struct Lane {
    const Move* move;  ///< the next one
    const Move* first;
    const Move* end;
    std::size_t round;
    std::uint32_t ready;  ///< sources, then destinations of `move` that are known to be ready
    bool arrived;         ///< at the barrier that `move` is
  };

  Progress advance_straight(Wires& wires);
  void hop(const Move& move, Wires& wires);
  Progress attempt(Lane& lane, Team& team);
  Progress pass_barrier(Lane& lane, Team& team);
  bool everything_ready(Lane& lane, Wires& wires) const;
  void transfer(const Move& move, const Piece& piece, std::size_t begin, std::size_t elements, std::size_t in_slot,
                Team& team);
  std::byte* here(plan::Place place, std::size_t offset) const {
    switch (place) {
      case plan::Place::input:
        return const_cast<std::byte*>(in_) + offset;  // NOLINT: only read
      case plan::Place::output:
        return out_ + offset;
      default:
        return scratch_ + offset;
    }
  }
  std::byte* there(plan::Place place, int peer, int block, std::size_t begin, const Team& team) const;

  HostPreparation* plan_ = nullptr;
  const std::byte* in_ = nullptr;
  std::byte* out_ = nullptr;
  std::byte* scratch_ = nullptr;
  const ReduceOp* op_ = nullptr;
  Loop loop_ = nullptr;  ///< a user's is the call's own: a plan serves every operator of its kind
  std::uint64_t moves_ = 0;
  bool opened_ = false;
  bool streams_ = false;  ///< slots are written around the caches
  Lane lanes_[plan::max_lanes];
  std::vector<const void*> sources_;  ///< of the move at hand: at most every rank and the own block
  std::vector<void*> destinations_;
};

}  // namespace tutti::host
