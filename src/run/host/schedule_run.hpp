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
  /// `plan` and `op` live as long as the run; `op` is not looked at when the collective does not reduce.
  void begin(const HostPreparation& plan, const void* in, void* out, const ReduceOp& op, Team& team);

  enum class Progress : std::uint8_t { blocked, finished, closed };
  /// `closed`: the window opened with a barrier, but not every buffer can be reached by all; nothing else has happened.
  Progress advance(Team& team);

  /// What it waits for, for the error of a wait that took too long; and the peer, -1 when it is not one alone.
  struct Awaited {
    std::string what;
    int peer = -1;
  };
  Awaited awaited(const Team& team) const;

 private:
  struct Lane {
    const plan::Step* step;  ///< the next one
    const plan::Step* first;
    const plan::Step* end;
    std::size_t round;
    int from_ready;  ///< sources of `step` that are there
    int to_ready;    ///< destinations of `step` that have room
    bool arrived;    ///< at the barrier that `step` is
  };

  Progress attempt(Lane& lane, Team& team);
  Progress pass_barrier(Lane& lane, Team& team);
  bool everything_ready(Lane& lane, Team& team);
  void transfer(const Lane& lane, Team& team);
  void transfer_piece(const Lane& lane, Team& team, int block, std::size_t elements, std::size_t in_slot);
  std::size_t piece_length(const Lane& lane, int block) const;
  std::size_t step_length(const Lane& lane) const;

  const HostPreparation* plan_ = nullptr;
  const std::byte* in_ = nullptr;
  std::byte* out_ = nullptr;
  std::byte* scratch_ = nullptr;
  const ReduceOp* op_ = nullptr;
  bool opened_ = false;
  Lane lanes_[plan::max_lanes];
  std::vector<const void*> sources_;  ///< of the step at hand; kept for their room
  std::vector<void*> destinations_;
};

}  // namespace tutti::host
