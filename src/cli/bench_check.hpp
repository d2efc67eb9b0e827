/// @file  Check: input for a call, and how much of its output is not what the definition says.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cli/bench_call.hpp"

namespace tutti::bench {

/// Who is asking.
struct Place {
  int rank = 0;
  int ranks = 1;
};

/// Overwrites the output with nonsense, then writes this rank's input.
void prepare(const Call& call, Place place, std::uint64_t seed);

/// Writes the input again and reads the output, as a program does between two operations.
void touch(const Call& call, Place place);

/// Elements of this rank's output that differ from the definition, given `prepare` with this seed on all ranks.
std::size_t wrong_elements(const Call& call, Place place, std::uint64_t seed);

}  // namespace tutti::bench
