/// @file  All-reduces of two ranks written by hand, each for one situation only: what a library can at best be compared with.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "floor/pair.hpp"

namespace tutti::floor_bench {

/// A vector and where the sum goes; of both ranks, where they can reach each other's.
struct Vectors {
  const float* in = nullptr;
  float* out = nullptr;
  const float* in_of[2] = {};
  float* out_of[2] = {};
  std::size_t count = 0;
};

struct Way {
  std::string name;
  std::size_t chunk = 0;  ///< bytes; 0: not in chunks
  bool streams = false;   ///< slots, or outputs where there are none, are written around the caches
  void (*all_reduce)(Pair&, const Vectors&, const Way&) = nullptr;
};

/// The ways worth trying for vectors of so many bytes that only their own rank can reach.
std::vector<Way> ways_through_slots(std::size_t bytes);
/// The same, for vectors that both ranks can reach.
std::vector<Way> ways_in_place(std::size_t bytes);

}  // namespace tutti::floor_bench
