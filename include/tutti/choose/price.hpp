/// @file  Price: how long a collective takes on a platform, by pattern and protocol, and what the time is made of.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tutti/base/types.hpp"
#include "tutti/choose/price_coefficients.hpp"
#include "tutti/choose/price_platform.hpp"

namespace tutti::choose {

/// Ways that data can take. What NCCL and this library have in common, and what switches add.
enum class Pattern : std::uint8_t {
  ring,
  tree,      ///< a chain in each machine, a double binary tree between machines
  one_shot,  ///< all to all, once
  two_shot,  ///< reduce-scatter and all-gather, both all to all
  halving_doubling,
  pat,               ///< parallel aggregated trees: reduce-scatter and all-gather between machines of one rank each
  two_level,         ///< scatter in the machine, halving and doubling between machines, gather in the machine
  multicast,         ///< the switch inside the machine reduces and multicasts
  multicast_tree,    ///< the same, with a double binary tree between machines
  switch_reduction,  ///< the switches between machines reduce
};
inline constexpr int pattern_count = 10;
std::string_view name(Pattern pattern) noexcept;

/// One part of a price.
struct Term {
  std::string what{};  ///< "14 hops inside", "1.75 × 64 MiB over NVLink"
  double us = 0;
};

struct Price {
  Pattern pattern = Pattern::ring;
  GpuProtocol protocol = GpuProtocol::simple;
  double us = 0;
  double uncertainty = 0.2;  ///< standard deviation of the logarithm of measured over predicted, for such predictions
  std::string bottleneck{};  ///< "NVLink", "8 rails InfiniBand", "latency of 14 hops", "launch"
  std::vector<Term> terms{};
  std::string excluded{};  ///< why there is no such thing here; empty: it is a candidate

  bool possible() const { return excluded.empty(); }
};

/// What a caller fixes. Nothing: the cheapest.
struct Wanted {
  std::vector<Pattern> patterns{};  ///< empty: all
  std::vector<GpuProtocol> protocols{};
};

/// The time of one pattern and protocol. `bytes` is what nccl-tests calls size: the vector for all_reduce, broadcast
/// and reduce, all ranks' parts together for the others. Never throws; what is not possible says why.
Price price(Collective collective, std::size_t bytes, Pattern pattern, GpuProtocol protocol, const Platform& platform,
            const Coefficients& coefficients = shipped_coefficients());

/// All candidates, cheapest first; those that are excluded last.
std::vector<Price> prices(Collective collective, std::size_t bytes, const Platform& platform, const Wanted& wanted = {},
                          const Coefficients& coefficients = shipped_coefficients());

/// The microseconds of the cheapest candidate, without the words; infinite when there is none.
double least_us(Collective collective, std::size_t bytes, const Platform& platform, const Wanted& wanted = {},
                const Coefficients& coefficients = shipped_coefficients());

/// Bus bandwidth over algorithm bandwidth, as nccl-tests counts it: the share of the size that each link has to carry when
/// nothing is wasted.
double bus_factor(Collective collective, int ranks);

}  // namespace tutti::choose
