/// @file  Statistics of samples that have a long tail.
#pragma once

#include <vector>

namespace tutti::bench {

/// The value below which `share` (0 to 1) of the samples lie, interpolated between neighbours. At least one sample.
double quantile(std::vector<double> samples, double share);

}  // namespace tutti::bench
