/// @file  Histogram: how many values lie below each of a few bounds.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tutti::metrics {

/// Steps of 1, 2 and 5: a quantile read from such buckets is off by a factor of 2.5 at most.
inline constexpr std::array seconds_bounds{1e-6, 2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3,
                                           5e-3, 1e-2, 2e-2, 5e-2, 0.1,  0.2,  0.5,  1.0,  2.0,  5.0,  10.0};
inline constexpr std::array bandwidth_bounds{1e6, 2e6, 5e6, 1e7,  2e7,  5e7,  1e8,  2e8,  5e8,
                                             1e9, 2e9, 5e9, 1e10, 2e10, 5e10, 1e11, 2e11, 5e11};  // bytes/s

/// A value. `bounds` are ascending, at most 24, and live longer than the histogram.
class Histogram {
 public:
  explicit Histogram(std::span<const double> bounds) : bounds_(bounds) {}

  /// A value on a bound is below it. Negative values and NaN count as 0: clocks are not perfect.
  void add(double value) {
    if (!(value > 0)) value = 0;
    const auto above = std::lower_bound(bounds_.begin(), bounds_.end(), value);
    ++counts_[static_cast<std::size_t>(above - bounds_.begin())];
    ++count_;
    sum_ += value;
  }

  std::span<const double> bounds() const { return bounds_; }
  /// Values in bucket i: above bound i - 1, up to bound i; the last bucket has no bound.
  std::uint64_t in_bucket(std::size_t i) const { return counts_[i]; }
  std::uint64_t count() const { return count_; }
  double sum() const { return sum_; }

 private:
  std::span<const double> bounds_;
  std::array<std::uint64_t, 25> counts_{};
  std::uint64_t count_ = 0;
  double sum_ = 0;
};

}  // namespace tutti::metrics
