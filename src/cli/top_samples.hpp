/// @file  Samples: a page of metrics, read back.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::cli {

struct Sample {
  std::string name{};
  std::map<std::string, std::string> labels{};
  double value = 0;

  std::string label(const std::string& name) const {
    const auto found = labels.find(name);
    return found == labels.end() ? std::string() : found->second;
  }
};

/// The samples of a page in either format; comments are passed over. Throws Error(invalid_argument) naming `source` and
/// the line that is none.
std::vector<Sample> parse_samples(std::string_view page, const std::string& source);

/// A histogram put together from its samples, or the sum or difference of some.
struct Buckets {
  std::map<double, double> below{};  ///< bound (infinite for the last) → values up to it
  double sum = 0;

  double count() const { return below.empty() ? 0 : below.rbegin()->second; }
  void add(const Buckets& other, double sign = 1);
  /// The value below which the part `q` of all lies, between the bounds of its bucket; nothing without values.
  std::optional<double> quantile(double q) const;
};

}  // namespace tutti::cli
