/// @file  Measure: several candidates interleaved, in rounds, so that whatever disturbs the machine disturbs them all.
#pragma once

#include <cstddef>
#include <vector>

#include "cli/bench_call.hpp"

namespace tutti::bench {

struct Method {
  double seconds = 0.2;  ///< for one candidate
  bool bounded = true;   ///< when that is used up do no more, whatever was planned; but something of each candidate
  int iterations = 0;    ///< of one candidate; 0: as many as the time allows
  int warm_up = 5;
  bool dirty = false;
};

struct Candidate {
  Call call{};
  Runner run{};
};

/// All times in microseconds.
struct Timing {
  double median = 0;  ///< of the rounds' mean times of one operation
  double low = 0;     ///< between low and high the median lies, with 95 % confidence
  double high = 0;
  double p25 = 0;
  double p75 = 0;
  double p99 = 0;              ///< of single operations
  std::size_t iterations = 0;  ///< of the batches that the first three come from
  bool cut_short = false;      ///< these were fewer than planned, or too few to be sure of
};

/// Collective. After the warm-up, every round runs a batch of operations of each candidate, beginning with another one
/// each time, after a barrier. The time of a batch is that of the slowest rank. Batches are so long that neither the
/// clock nor the barrier counts; p99 comes from further batches, in which every operation is timed by itself. When
/// `dirty`, all are: input and output are touched and a barrier passed before each, outside the timed part.
std::vector<Timing> measure(Communicator& communicator, const std::vector<Candidate>& candidates, const Method& method);

/// Collective: entry by entry the largest of all ranks.
void largest_of_ranks(Communicator& communicator, std::vector<double>& values);

}  // namespace tutti::bench
