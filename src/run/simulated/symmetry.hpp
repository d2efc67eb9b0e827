/// @file  Symmetry: which machines behave alike, so that one of them can stand for all.
#pragma once

#include <cstdint>

#include "tutti/plan/schedule.hpp"

namespace tutti::simulated {

/// A group of moves that take every machine to every other and change nothing: not who talks to whom, not over what.
/// `node` as seen from machine `from`: where it lies when the move takes `from` to 0.
struct Symmetry {
  enum class Kind : std::uint8_t {
    none,
    rotation,      ///< node + k, around the circle: rings, all to all, Bruck
    exclusive_or,  ///< node xor k: halving and doubling among a power of two
  };
  Kind kind = Kind::none;
  std::int64_t nodes = 1;
  bool channels = false;  ///< a turn of a machine's GPUs takes one channel to the next: only channel 0 is simulated

  bool any() const { return kind != Kind::none; }
  std::int64_t seen_from(std::int64_t from, std::int64_t node) const {
    switch (kind) {
      case Kind::none:
        return node;
      case Kind::rotation:
        return node >= from ? node - from : node - from + nodes;
      case Kind::exclusive_or:
        return node ^ from;
    }
    return node;
  }
};

/// The moves under which a schedule stays the same when all its ranks move; none where a rank plays a part of its own.
Symmetry::Kind symmetry_of(const plan::Schedule& schedule);

}  // namespace tutti::simulated
