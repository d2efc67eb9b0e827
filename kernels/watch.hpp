/// @file  Watch: waiting, with an end: an abort word and a deadline.
#pragma once

#include <cstdint>

#include "kernels/lane_memory.hpp"

namespace tutti::kernels {

/// Every wait of a kernel goes through here. What a thread finds out, the crew votes on.
template <class Crew>
class Watch {
  using Machine = typename Crew::Machine;
  static constexpr std::uint32_t patience =
      1024;  ///< looks between two at the abort word, which is in the host's memory

 public:
  /// Calls `ready` until it is true. False: given up, and the outcome says so.
  template <class Ready>
  TUTTI_HOST_DEVICE static bool wait(const LaneMemory& memory, int peer, int step, Ready ready) {
    for (std::uint32_t looks = 1; !ready(); ++looks) {
      Crew::relax(looks);
      if (looks % patience == 0 && given_up(memory, peer, step)) return false;
    }
    return true;
  }

  [[gnu::noinline]] TUTTI_HOST_DEVICE static void report(const LaneMemory& memory, Failure failure, int peer,
                                                         int step) {
    Outcome* const outcome = memory.call.outcome;
    if (outcome == nullptr) return;
    Machine::store_relaxed(&outcome->peer, static_cast<std::uint32_t>(peer));
    Machine::store_relaxed(&outcome->lane, static_cast<std::uint32_t>(memory.lane));
    Machine::store_relaxed(&outcome->step, static_cast<std::uint32_t>(step));
    Machine::store_relaxed(&outcome->failure, static_cast<std::uint32_t>(failure));
  }

 private:
  [[gnu::noinline]] TUTTI_HOST_DEVICE static bool given_up(const LaneMemory& memory, int peer, int step) {
    const std::uint32_t* const abort = memory.call.abort;
    if (abort != nullptr && Machine::load_relaxed(abort) != 0) {
      report(memory, Failure::aborted, peer, step);
      return true;
    }
    if (memory.deadline != 0 && Machine::now() > memory.deadline) {
      report(memory, Failure::timeout, peer, step);
      return true;
    }
    return false;
  }
};

}  // namespace tutti::kernels
