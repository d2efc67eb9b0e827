/// @file  What `tutti top` shows: two looks at the metrics of a job, as lines of text.
#pragma once

#include <string>
#include <vector>

#include "cli/top_samples.hpp"

namespace tutti::cli {

/// What all sources said at one time. Counters of one are since the job began.
struct Look {
  std::vector<Sample> samples{};
  double seconds = 0;  ///< on any clock
};

/// Lines of at most `width` characters, at most `height` of them (0: as many as there are). `before` makes rates and recent
/// quantiles of counters; null: totals since the job began.
std::vector<std::string> top_lines(const Look* before, const Look& now, std::size_t width, std::size_t height);

}  // namespace tutti::cli
