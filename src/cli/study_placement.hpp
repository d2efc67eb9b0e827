/// @file  Placement: what the order of ranks over the switches costs a ring, as a range over seeds.
#pragma once

#include <cstdint>
#include <vector>

namespace tutti::cli {

/// A ring over `nodes` machines, `leaf` of them below each leaf switch, whose uplinks carry 1/oversubscription of what comes from
/// below.
struct RingPlacement {
  std::int64_t nodes = 128;
  std::int64_t leaf = 32;
  double oversubscription = 1;
  double transfer_us = 1000;  ///< of the ring when nothing is narrow
  double hop_us = 15.2;       ///< between machines below one leaf
  double spine_us = 0.8;      ///< more, through the spine
};

/// Microseconds of an all-reduce when machines follow one another in this order: the hops of two times around, and the
/// transfer, slowed down by the leaf that sends most up.
double ring_us(const RingPlacement& ring, const std::vector<std::int64_t>& order);

struct PlacementStudy {
  double ordered_us = 0;                   ///< machine by machine, leaf by leaf
  double least = 0, median = 0, most = 0;  ///< share of the time that order saves over a random order
};

/// Over so many random orders; deterministic for the first seed.
PlacementStudy study_placement(const RingPlacement& ring, int orders, std::uint64_t seed);

}  // namespace tutti::cli
