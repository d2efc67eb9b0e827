#include "run/ticks.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace tutti {

namespace {

bool counter_is_steady() noexcept {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x80000007U, &a, &b, &c, &d) != 0 && (d & (1U << 8)) != 0;  // "invariant TSC"
#else
  return true;
#endif
}

TickPair first_pair() noexcept {
  const TickPair first = TickPair::now();
  while (Ticks::monotonic() - first.ns < 50'000) {  // so that any later pair gives a rate
  }
  return first;
}

}  // namespace

const bool Ticks::steady = counter_is_steady();

std::int64_t nanoseconds(std::uint64_t ticks, const TickPair& first, const TickPair& last) noexcept {
  constexpr std::uint64_t most = std::uint64_t{1} << 62;
  if (ticks == 0 || first.ns > most || last.ns < first.ns || last.ns > most) return 0;
  const double rate = last.ticks > first.ticks
                          ? static_cast<double>(last.ns - first.ns) / static_cast<double>(last.ticks - first.ticks)
                          : 1.0;
  const double since = static_cast<double>(static_cast<std::int64_t>(ticks - first.ticks)) * rate;
  if (!(since > -static_cast<double>(first.ns)) || !(since < static_cast<double>(most))) return 0;
  return static_cast<std::int64_t>(first.ns) + static_cast<std::int64_t>(since);
}

const TickPair& TickPair::first() noexcept {
  static const TickPair pair = first_pair();
  return pair;
}

}  // namespace tutti
