#include "cli/bench_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace tutti::bench {

double quantile(std::vector<double> samples, double share) {
  std::sort(samples.begin(), samples.end());
  const double place = share * static_cast<double>(samples.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const std::size_t above = std::min(below + 1, samples.size() - 1);
  return samples[below] + (place - static_cast<double>(below)) * (samples[above] - samples[below]);
}

std::pair<double, double> median_interval(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const auto count = static_cast<double>(samples.size());
  // How many of them lie below the median is binomial; 0.98 deviations of 1/2 each way, rounded outwards.
  const double below = std::max(0.0, std::floor(count / 2 - 0.98 * std::sqrt(count)));
  const auto first = static_cast<std::size_t>(below);
  return {samples[first], samples[samples.size() - 1 - first]};
}

}  // namespace tutti::bench
