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
/// calls like this one, some are trials, first by one kind and then by the other, and the rest use the winner. Ranks make
/// the same calls and the period never changes, so they always try the same kind at the same time: each would else measure
/// what the other's choice costs. They need not agree on the winner.
///
/// Where data goes one way only, a sender may run ahead until the slots are full, and its first calls tell nothing of what
/// the receiver pays: `untimed` calls of each kind are left out, and those after them count together, as room for new
/// messages comes for several at a time.
///
/// It is a choice of speed only: results and messages are the same either way.
class StoreTuner {
 public:
  explicit StoreTuner(int untimed = 0) : untimed_(untimed) {}

  SlotStores next() {
    const int turn = static_cast<int>(calls_ % period);
    current_ = turn >= 2 * trials() ? best_ : turn < trials() ? SlotStores::streaming : SlotStores::cached;
    begun_ = Clock::now();
    return current_;
  }

  /// The call that `next` was asked for is done.
  void done() {
    const int turn = static_cast<int>(calls_++ % period);
    if (turn >= 2 * trials() || turn % trials() < untimed_) return;
    const Clock::duration time = Clock::now() - begun_;
    Clock::duration& of_kind = times_[static_cast<std::size_t>(current_)];
    const bool first = turn % trials() == untimed_;
    of_kind = first ? time : untimed_ > 0 ? of_kind + time : std::min(of_kind, time);
    if (turn + 1 < 2 * trials()) return;
    const auto [cached, streaming] = times_;
    best_ = cached < streaming ? SlotStores::cached : SlotStores::streaming;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int timed = 3;  ///< trials of each kind; the quickest counts, or all together
  static constexpr unsigned period = 256;
  int trials() const { return untimed_ + timed; }

  int untimed_;
  unsigned calls_ = period - 8;  ///< the first calls touch memory that was never touched, and tell nothing
  SlotStores best_ = SlotStores::streaming;
  SlotStores current_ = SlotStores::streaming;
  Clock::time_point begun_{};
  std::array<Clock::duration, 2> times_{};
};

}  // namespace tutti::host
