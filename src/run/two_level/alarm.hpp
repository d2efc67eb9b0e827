/// @file  Alarm: ranks of other hosts learn that one has given up, through the store.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "tutti/bootstrap/store.hpp"

namespace tutti::two_level {

/// Ranks of one host see it in their shared memory at once; across hosts nothing else is sure to arrive while MPI waits
/// for the one who has gone. Asking costs a round trip, so it is done seldom, and only by who has waited long.
///
/// The store may be as dead as whoever is waited for, so a short-lived thread does the asking: whoever waits for a call
/// never waits for the store.
class Alarm {
 public:
  /// `stores`: that of the communicator, then those of the ones it was split from. `rank` in the first.
  Alarm(std::vector<std::shared_ptr<Store>> stores, int rank);
  ~Alarm();
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  /// Says so to everybody, unless somebody has. Takes a second at most, even if the store does not answer; only the
  /// first time, as once is enough.
  void ring() noexcept;

  /// A new wait begins.
  void start_waiting() { next_ = {}; }
  struct Rung {
    int by = -1;         ///< the rank that rang; -1: none is known to have
    bool above = false;  ///< in a communicator that this one was split from
  };
  Rung rung() noexcept;

 private:
  using Clock = std::chrono::steady_clock;
  struct Shared;

  static constexpr std::chrono::milliseconds first{100};
  static constexpr std::chrono::milliseconds longest{1000};

  /// In a thread of its own.
  void ask(std::function<void(Shared&)> question);

  std::shared_ptr<Shared> shared_;
  bool has_rung_ = false;
  Clock::time_point next_{};
  std::chrono::milliseconds interval_{first};
};

}  // namespace tutti::two_level
