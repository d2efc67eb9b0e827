/// @file  How long an InfiniBand adapter waits for an acknowledgement, and until it gives a connection up.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace tutti {

/// Seconds until a packet that nobody acknowledged is sent again: 4.096 us x 2^exponent; infinity for 0. Adapters may take
/// up to four times as long (InfiniBand specification, volume 1, 9.7.6.1.3).
inline double acknowledge_seconds(std::int64_t exponent) {
  if (exponent <= 0) return std::numeric_limits<double>::infinity();
  return std::ldexp(4.096e-6, static_cast<int>(std::min<std::int64_t>(exponent, 31)));
}

/// How often a packet is sent at most: once, and again as often as `retries` says, a number of three bits.
inline std::int64_t most_sends(std::int64_t retries) { return 1 + std::clamp<std::int64_t>(retries, 0, 7); }

/// Seconds until the connection fails: that wait after each time the packet is sent, the first and all retries.
inline double give_up_seconds(std::int64_t exponent, std::int64_t retries) {
  return static_cast<double>(most_sends(retries)) * acknowledge_seconds(exponent);
}

}  // namespace tutti
