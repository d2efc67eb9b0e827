/// @file  ScheduleRun: plays the steps of a schedule on host memory, as far as they can go without waiting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "run/host/reduce.hpp"
#include "run/host/team.hpp"
#include "tutti/base/reduce_op.hpp"
#include "tutti/plan/layout.hpp"
#include "tutti/plan/schedule.hpp"

namespace tutti::host {

/// The buffers of a call, and what its elements are.
struct Operands {
  const std::byte* in = nullptr;
  std::byte* out = nullptr;
  std::size_t in_bytes = 0;
  std::size_t out_bytes = 0;
  std::size_t element_size = 1;
  Loop loop = nullptr;           ///< null when the collective does not reduce
  const ReduceOp* op = nullptr;  ///< lives as long as the run
};

/// A cursor for every lane of one rank's schedule. It owns no schedule: what to do next is asked of plan/ at
/// each step.
///
/// `advance` may be called again and again; between calls nothing is held but the cursors, so that several
/// runs interleave on one thread.
class ScheduleRun {
 public:
  void begin(const plan::Schedule& schedule, const plan::Layout& layout, Protocol protocol, const Operands& operands,
             Team& team);

  enum class Progress { blocked, finished, closed };
  /// `closed`: the window opened with a barrier, but not every buffer can be reached by all; nothing else has
  /// happened.
  Progress advance(Team& team);

  /// What it waits for, for the error of a wait that took too long; and the peer, -1 when it is not one
  /// alone.
  struct Awaited {
    std::string what;
    int peer = -1;
  };
  Awaited awaited(const Team& team) const;

 private:
  struct Lane {
    int index = 0;
    int steps = 0;
    std::size_t round = 0;
    bool loaded = false;   ///< `step` is the one at `index`
    bool arrived = false;  ///< at the barrier that `step` is
    int from_ready = 0;    ///< sources of `step` that are there
    int to_ready = 0;      ///< destinations of `step` that have room
    plan::Step step{};
  };
  enum class Outcome { blocked, done, closed };

  Outcome attempt(Lane& lane, Team& team);
  Outcome pass_barrier(Lane& lane, Team& team);
  bool everything_ready(Lane& lane, Team& team);
  void transfer(const Lane& lane, Team& team);
  void transfer_piece(const Lane& lane, Team& team, int block, std::size_t elements, std::size_t in_slot);
  std::size_t piece_length(const Lane& lane, int block) const;
  std::size_t step_length(const Lane& lane) const;

  plan::Schedule schedule_{};
  plan::Layout layout_{};
  Protocol protocol_ = Protocol::packet;
  Operands operands_{};
  std::byte* scratch_ = nullptr;
  std::size_t chunk_ = 1;  ///< elements
  std::size_t rounds_ = 0;
  int lane_count_ = 0;
  bool opened_ = false;
  Lane lanes_[plan::max_lanes];
  std::vector<const void*> sources_;  ///< of the step at hand; kept for their room
  std::vector<void*> destinations_;
};

}  // namespace tutti::host
