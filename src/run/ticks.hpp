/// @file  Ticks: the cheapest clock of the processor, and what its numbers mean in nanoseconds.
#pragma once

#include <chrono>
#include <cstdint>

namespace tutti {

/// Time as the processor counts it. Where its counter is not steady, nanoseconds of the monotonic clock.
class Ticks {
 public:
  static std::uint64_t now() noexcept {
#if defined(__x86_64__)
    if (steady) [[likely]]
      return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    std::uint64_t count;
    asm volatile("mrs %0, cntvct_el0" : "=r"(count));
    return count;
#endif
    return monotonic();
  }
  static std::uint64_t monotonic() noexcept {
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  }

 private:
  static const bool steady;  ///< the counter goes on at one rate whatever the processor does
};

/// Both clocks at one moment.
struct TickPair {
  std::uint64_t ticks = 0;
  std::uint64_t ns = 0;

  static TickPair now() noexcept { return {Ticks::now(), Ticks::monotonic()}; }
  /// Of this process, taken when it was first asked for; some 50 µs before the first call returns.
  static const TickPair& first() noexcept;
};

/// Nanoseconds of the monotonic clock for ticks, by two pairs that are apart. 0: not known, as of 0 ticks, or no time that
/// can be.
std::int64_t nanoseconds(std::uint64_t ticks, const TickPair& first, const TickPair& last) noexcept;

}  // namespace tutti
