/// @file  Exposition: metrics as text, as OpenMetrics or as Prometheus has it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "run/metrics/histogram.hpp"

namespace tutti::metrics {

/// Names and values; a value may be any text.
using Labels = std::vector<std::pair<std::string_view, std::string>>;

enum class Style {
  openmetrics,  ///< 1.0, application/openmetrics-text
  prometheus,   ///< text format 0.0.4: what older readers and node_exporter's text files know
};

enum class Kind { gauge, counter, histogram, info };

/// Family after family, each followed by its samples.
class Exposition {
 public:
  /// Every sample has the labels `everywhere`, besides its own.
  explicit Exposition(Style style, Labels everywhere = {}) : style_(style), everywhere_(std::move(everywhere)) {}

  /// Samples that follow belong to it. The name is without _total or _info; it ends with the unit, if there is one.
  void family(std::string_view name, Kind kind, std::string_view unit, std::string_view help);

  void sample(const Labels& labels, std::uint64_t value);
  void sample(const Labels& labels, double value);
  void sample(const Labels& labels, const Histogram& histogram);

  /// The text; nothing may be added afterwards.
  std::string finish() &&;

  static std::string_view content_type(Style style);

 private:
  void line(std::string_view suffix, const Labels& labels, std::string_view value);

  Style style_;
  Labels everywhere_;
  std::string name_;
  Kind kind_ = Kind::gauge;
  std::string text_;
};

}  // namespace tutti::metrics
