/// @file  Alarm: ranks of other hosts learn that one has given up, through the store.
#pragma once

#include <chrono>
#include <memory>
#include <utility>

#include "tutti/bootstrap/store.hpp"

namespace tutti::two_level {

/// Ranks of one host see it in their shared memory at once; across hosts nothing else is sure to arrive while MPI waits
/// for the one who has gone. Asking costs a round trip, so it is done seldom, and only by who has waited long.
class Alarm {
 public:
  Alarm(std::shared_ptr<Store> store, int rank) : store_(std::move(store)), rank_(rank) {}

  /// Says so to everybody, once. Any thread.
  void ring() noexcept;

  /// A new wait begins.
  void start_waiting() { next_ = {}; }
  /// The rank that rang; -1: none is known to have.
  int rung_by();

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds first{100};
  static constexpr std::chrono::milliseconds longest{1000};

  std::shared_ptr<Store> store_;
  int rank_;
  Clock::time_point next_{};
  std::chrono::milliseconds interval_{first};
};

}  // namespace tutti::two_level
