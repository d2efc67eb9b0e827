/// @file  Step: what one rank does with one block at one moment; the only thing a schedule is made of.
#pragma once

#include <cstdint>

#include "tutti/base/host_device.hpp"

namespace tutti::plan {

/// Ranks a step names: first, first + stride, … on the circle of `size` ranks.
/// No rank, any one, any two, and all others each fit in this one form.
struct Peers {
  int first = 0;
  int count = 0;
  int stride = 0;
  int size = 1;

  /// first + index * stride stays below 2 * size: no division is needed.
  TUTTI_HOST_DEVICE constexpr int operator[](int index) const {
    const int peer = first + index * stride;
    return peer < size ? peer : peer - size;
  }
};

TUTTI_HOST_DEVICE constexpr Peers one(int peer) { return {peer, 1, 0, peer + 1}; }
TUTTI_HOST_DEVICE constexpr Peers two(int a, int b, int size) { return {a, 2, b < a ? b - a + size : b - a, size}; }
/// Everybody but `rank`, beginning with its right neighbour, so that not all ranks begin with the same peer.
TUTTI_HOST_DEVICE constexpr Peers others(int rank, int size) {
  return {rank + 1 < size ? rank + 1 : 0, size - 1, 1, size};
}

/// `count` blocks from `first` on. A block is a piece of the data with one name on all ranks: see layout.hpp.
/// Walk them as `for (int i = 0, b = blocks.first; i < blocks.count; ++i, b = blocks.after(b))`.
struct Blocks {
  int first = 0;
  int count = 0;
  int circle = 0;  ///< the names run on a circle of so many: 0 follows circle - 1; 0: no circle
  int bit = 0;     ///< only names that have this bit take part; 0: all

  TUTTI_HOST_DEVICE constexpr int after(int block) const {
    const int next = (block + 1) | bit;
    return next == circle ? 0 : next;
  }
};

/// Where a block lies on a rank.
enum class Place : std::uint8_t {
  none,
  input,    ///< the caller's input; never written
  output,   ///< the caller's output; may be the same memory as the input
  scratch,  ///< the communicator's own; holds partial results between steps
};

/// The fused verb: take the sources, combine or copy them, put the result into every destination.
///
/// Sources are the messages (or buffers) of `from` and, unless `own` is none, this rank's own block.
/// Destinations are this rank's `store` and the messages to (or buffers of) `to`.
/// A step waits until every source is there and every destination has room; then it happens at once.
/// Several sources are combined in ascending order of the ranks they come from, the own one among them.
/// A collective that reduces applies the operator's preparation to whatever a step reads from an input, be it
/// the own one or a peer's. A copy of a block onto itself (in place) does nothing.
struct Step {
  Peers from{};
  Place from_place = Place::none;  ///< none: a message; else straight out of that place of the peer
  std::uint8_t from_wire = 0;      ///< which of the parallel wires from each peer
  std::uint8_t to_wire = 0;
  Place to_place = Place::none;  ///< none: a message; else straight into that place of the peer
  Place own = Place::none;
  Place store = Place::none;
  bool combine = false;  ///< reduce the sources; otherwise there is exactly one and it is copied
  bool finish = false;   ///< the result holds every rank's part: the operator's last touch (average divides) is due
  bool barrier = false;  ///< nothing but this: no rank passes before all ranks have come
  Blocks blocks{};
  Peers to{};
};

}  // namespace tutti::plan
