/// @file  StoreTuner: finds by trying which stores fill slots faster, and tries again when that may have changed.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>

namespace tutti::host {

/// How large messages are written into slots.
enum class SlotStores : std::uint8_t {
  cached,     ///< cheaper while both cores share a cache nearby
  streaming,  ///< around the caches: cheaper when each line would have to be fetched from afar first
};

/// Which is cheaper depends on how near the ranks' cores are, and on virtual machines cores move. So of every `period`
/// calls like this one, four are trials, two of each kind, and the others use the winner. Ranks make the same calls, so
/// they try at the same time; they need not agree. A clear difference is looked at less often.
///
/// It is a choice of speed only: results and messages are the same either way.
class StoreTuner {
 public:
  SlotStores next() {
    const int turn = calls_ % period_;
    if (turn == 0) best_time_ = {Clock::duration::max(), Clock::duration::max()};
    current_ = turn < trials ? (turn < trials / 2 ? SlotStores::streaming : SlotStores::cached) : best_;
    begun_ = Clock::now();
    return current_;
  }

  /// The call that `next` was asked for is done.
  void done() {
    const int turn = calls_++ % period_;
    if (turn >= trials) return;
    Clock::duration& best = best_time_[static_cast<std::size_t>(current_)];
    best = std::min(best, Clock::now() - begun_);
    if (turn + 1 < trials) return;
    const auto [cached, streaming] = best_time_;
    best_ = cached < streaming ? SlotStores::cached : SlotStores::streaming;
    const bool clear = std::max(cached, streaming) > std::min(cached, streaming) * 3 / 2;
    period_ = clear ? std::min(period_ * 2, longest_period) : shortest_period;
    calls_ = trials;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int trials = 4;
  static constexpr int shortest_period = 64;
  static constexpr int longest_period = 512;

  int calls_ = 0;
  int period_ = shortest_period;
  SlotStores best_ = SlotStores::streaming;
  SlotStores current_ = SlotStores::streaming;
  Clock::time_point begun_{};
  std::array<Clock::duration, 2> best_time_{};
};

}  // namespace tutti::host
