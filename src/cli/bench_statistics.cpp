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

}  // namespace tutti::bench
