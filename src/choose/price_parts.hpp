/// @file  Parts of a price: the numbers alone, without words, as fast as fits need them.
#pragma once

#include "tutti/choose/price.hpp"

namespace tutti::choose {

/// Microseconds of switches that the times of hops between machines hold already: an adapter and one switch.
inline constexpr double counted_us = 1.0;

/// Hops, bytes and rates of one candidate. Latency and transfer follow.
struct Parts {
  const char* excluded = nullptr;
  double hops_inside = 0;
  double hops_between = 0;
  double hop_inside_us = 0;
  double hop_between_us = 0;
  double fixed_us = 0;  ///< what hops do not count: a multicast's way, a switch's reduction, messages sent one by one
  const char* fixed_for = "";
  double share_inside = 0;   ///< bytes out of a GPU to its peers in the machine, over the size
  double share_between = 0;  ///< bytes out of a machine, over the size
  double inside_gbs = 0;
  double between_gbs = 0;
  double start_us = 0;
  double launch_us = 0;  ///< the processor's; the whole takes no less
  double overlap = 0;

  double latency_us() const { return hops_inside * hop_inside_us + hops_between * hop_between_us + fixed_us; }
  double transfer_inside_us(double bytes) const;
  double transfer_between_us(double bytes) const;
  double total_us(double bytes) const;
};

Parts parts(Collective collective, Pattern pattern, GpuProtocol protocol, const Platform& platform,
            const Coefficients& coefficients);

}  // namespace tutti::choose
