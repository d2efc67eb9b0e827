/// @file  Statistics of samples that have a long tail.
#pragma once

#include <utility>
#include <vector>

namespace tutti::bench {

/// The value below which `share` (0 to 1) of the samples lie, interpolated between neighbours. At least one sample.
double quantile(std::vector<double> samples, double share);

/// Between which of the samples the true median lies with 95 % confidence, whatever their distribution: by their order. With
/// fewer than six, the least and the greatest. At least one sample.
std::pair<double, double> median_interval(std::vector<double> samples);

}  // namespace tutti::bench
