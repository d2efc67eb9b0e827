/// @file  Page: everything that is known, as one page of metrics.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "run/metrics/call_tally.hpp"
#include "run/metrics/exposition.hpp"
#include "run/metrics/readings.hpp"

namespace tutti::metrics {

/// Who a rank is.
struct RankFacts {
  int rank = 0;  ///< in the first communicator
  int ranks = 1;
  std::string host{};
  std::string job{};
};

struct RankMetrics {
  RankFacts facts{};
  CallTally tally{};
};

/// How a rank came to calls, beside the others of its host.
struct Lateness {
  double seconds = 0;      ///< after the first one, summed over the calls compared
  std::uint64_t last = 0;  ///< calls that nobody entered later
};

/// Of the ranks of one process, and of the host when it is the process that tells of the host.
struct Snapshot {
  std::vector<RankMetrics> ranks{};
  std::map<int, Lateness> late{};  ///< by rank: of the whole host, told by its first rank
  std::vector<GpuReading> gpus{};
  std::vector<PortReading> ports{};
};

/// docs/metrics.md lists the families. The label "rank" tells ranks of a process apart; GPUs and ports carry "host".
/// `everywhere`: see Exposition.
std::string page_of(const Snapshot& snapshot, Style style, Labels everywhere = {});

}  // namespace tutti::metrics
