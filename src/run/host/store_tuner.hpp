/// @file  StoreTuner: finds by trying which stores fill slots faster, and tries again, as that may change.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace tutti::host {

/// How large messages are written into slots.
enum class SlotStores : std::uint8_t {
  cached,     ///< cheaper while both cores share a cache nearby
  streaming,  ///< around the caches: cheaper when each line would have to be fetched from afar first
};

/// Which is cheaper depends on how near the ranks' cores are, and on virtual machines cores move. So the two kinds compete:
/// some calls by one kind, then as many by the other. After a warm-up there are three contests in a row, and from then on one
/// in a while, so rarely that the slower kind gets one call in 64. Every other call uses the winner: the kind with the lesser
/// median over the last three contests, so that one disturbed contest decides nothing.
///
/// Turns are counted in calls alone. Ranks make the same calls, so they always try the same kind at the same time; each would
/// else measure what the other's choice costs. They need not agree on the winner.
///
/// What a kind costs shows only when all slots have been filled by it, and, where data goes one way only, when a sender that
/// ran ahead has filled them: so each kind's first calls, `settling` of them, are not timed. The `timed` ones after them
/// count together.
///
/// It is a choice of speed only: results and messages are the same either way.
class StoreTuner {
 public:
  explicit StoreTuner(int settling = 1, int timed = 3)
      : settling_(static_cast<unsigned>(settling)),
        entry_(settling_ + static_cast<unsigned>(timed)),
        wait_(2 * entry_) {}

  SlotStores next() {
    current_ = competes() ? (turn_ / entry_ == 0 ? SlotStores::streaming : SlotStores::cached) : best_;
    if (competes() && turn_ % entry_ == settling_) begun_ = Clock::now();
    return current_;
  }

  /// The call that `next` was asked for is done.
  void done() {
    if (wait_ != 0) {
      --wait_;
      return;
    }
    if (++turn_ % entry_ != 0) return;
    std::array<Clock::duration, kept>& times = times_[static_cast<std::size_t>(current_)];
    times[contests_ % kept] = Clock::now() - begun_;
    if (contests_ == 0) times.fill(times[0]);
    if (turn_ < 2 * entry_) return;
    turn_ = 0;
    if (++contests_ >= kept) wait_ = (calls_for_one - 2) * entry_;
    best_ = middle(SlotStores::cached) < middle(SlotStores::streaming) ? SlotStores::cached : SlotStores::streaming;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kept = 3;         ///< contests that count
  static constexpr unsigned calls_for_one = 64;  ///< for one of the slower kind

  bool competes() const { return wait_ == 0; }
  Clock::duration middle(SlotStores kind) const {
    const auto [a, b, c] = times_[static_cast<std::size_t>(kind)];
    return std::max(std::min(a, b), std::min(std::max(a, b), c));
  }

  unsigned settling_;
  unsigned entry_;     ///< calls of one kind in a contest
  unsigned wait_;      ///< calls before the next contest; the first ones touch memory that was never touched
  unsigned turn_ = 0;  ///< calls of this contest so far
  std::size_t contests_ = 0;
  SlotStores best_ = SlotStores::streaming;
  SlotStores current_ = SlotStores::streaming;
  Clock::time_point begun_{};
  std::array<std::array<Clock::duration, kept>, 2> times_{};
};

}  // namespace tutti::host
