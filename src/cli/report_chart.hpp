/// @file  Chart: curves over sizes with both axes logarithmic, told apart by colour, dash and mark.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tutti::report {

struct ChartPoint {
  double x = 0;
  double y = 0;
  double low = 0;  ///< where the spread begins and ends; 0: not known
  double high = 0;
};

struct Curve {
  std::string name{};
  std::vector<ChartPoint> points{};  ///< by x, which ascends; those that are not above 0 are not drawn
};

struct Chart {
  std::string id{};  ///< unique in the page, plain
  std::string name{};
  std::string unit{};  ///< of y, as the axis says it: "µs"
  std::vector<Curve> curves{};
};

/// So many curves can be told apart; more are not drawn.
inline constexpr std::size_t most_curves = 8;

/// An SVG; empty when no point can be drawn. x is bytes.
std::string chart_svg(const Chart& chart);

/// The marks and names of the curves, for all charts that have the same ones.
std::string legend_html(const std::vector<Curve>& curves);

/// 64 KiB as "64K", by powers of 1024; other numbers with three digits.
std::string short_bytes(double bytes);

}  // namespace tutti::report
