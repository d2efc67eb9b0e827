#include "cli/report_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "cli/report_canvas.hpp"
#include "cli/report_text.hpp"

namespace tutti::report {

namespace {

constexpr double width = 460;
constexpr double height = 320;
constexpr Box plot{54, 26, width - 54 - 12, height - 26 - 44};

bool drawable(const ChartPoint& point) {
  return std::isfinite(point.x) && std::isfinite(point.y) && point.x > 0 && point.y > 0;
}

/// A logarithmic axis whose ends are whole powers of its base.
struct Axis {
  double base = 10;
  double first = 0;  ///< exponents
  double last = 1;

  void hold(double low, double high) {
    first = std::floor(std::log(low) / std::log(base) + 1e-9);
    last = std::ceil(std::log(high) / std::log(base) - 1e-9);
    if (last - first < 1) last = first + 1;
  }
  double at(double value) const { return (std::log(value) / std::log(base) - first) / (last - first); }
};

/// The shape of curve number `i`, so that no colour is needed to tell it.
std::string mark(std::size_t i, double x, double y, double r) {
  const auto polygon = [&](auto... corners) {
    std::string points;
    for (const auto& [dx, dy] : std::array{corners...}) points += fmt::format("{:.1f},{:.1f} ", x + r * dx, y + r * dy);
    return fmt::format(R"(<polygon class="mark c{}" points="{}"/>)", i, points);
  };
  using P = std::pair<double, double>;
  switch (i % 4) {
    case 0:
      return fmt::format(R"(<circle class="mark c{}" cx="{:.1f}" cy="{:.1f}" r="{:.1f}"/>)", i, x, y, r * 0.95);
    case 1:
      return polygon(P{-0.85, -0.85}, P{0.85, -0.85}, P{0.85, 0.85}, P{-0.85, 0.85});
    case 2:
      return polygon(P{0, -1.2}, P{1.1, 0.8}, P{-1.1, 0.8});
    default:
      return polygon(P{0, -1.25}, P{1.25, 0}, P{0, 1.25}, P{-1.25, 0});
  }
}

/// Powers of ten that are long to write get an exponent: "10⁶".
std::string number(double value) {
  if (value < 1e6 && value > 1e-4) return fmt::format("{:g}", value);
  static constexpr std::array<const char*, 10> raised{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  const int exponent = static_cast<int>(std::floor(std::log10(value) + 1e-9));
  std::string text = exponent < 0 ? "10⁻" : "10";
  for (const char digit : fmt::format("{}", std::abs(exponent)))
    text += raised.at(static_cast<std::size_t>(digit - '0'));
  const double front = value / std::pow(10, exponent);
  return front < 1.5 ? text : fmt::format("{:.0f}·", front) + text;
}

struct Frame {
  Axis x{};
  Axis y{};

  double px(double value) const { return plot.x + plot.width * x.at(value); }
  double py(double value) const { return plot.y + plot.height * (1 - std::clamp(y.at(value), 0.0, 1.0)); }
};

void draw_axes(Canvas& canvas, const Frame& frame, const std::string& unit) {
  canvas.box(plot, "plot", 0);
  const double step_x = std::max(1.0, std::ceil((frame.x.last - frame.x.first) / 7));
  for (double e = frame.x.first; e <= frame.x.last + 1e-9; e += step_x) {
    const double x = frame.px(std::exp2(e));
    canvas.line(x, plot.y, x, plot.y + plot.height, "grid");
    canvas.text(x, plot.y + plot.height + 16, short_bytes(std::exp2(e)), "tick", Anchor::middle);
  }
  const double step_y = std::max(1.0, std::ceil((frame.y.last - frame.y.first) / 7));
  for (double e = frame.y.first; e <= frame.y.last + 1e-9; e += 1) {
    const double y = frame.py(std::pow(10, e));
    if (step_y <= 2 || std::fmod(e - frame.y.first, step_y) < 0.5)
      canvas.line(plot.x, y, plot.x + plot.width, y, "grid");
    if (std::fmod(e - frame.y.first, step_y) < 0.5)
      canvas.text(plot.x - 6, y + 4, number(std::pow(10, e)), "tick", Anchor::end);
    if (frame.y.last - frame.y.first > 2 || e >= frame.y.last) continue;
    for (const double part : {2.0, 5.0}) {
      const double between = frame.py(part * std::pow(10, e));
      canvas.line(plot.x, between, plot.x + plot.width, between, "grid fine");
      canvas.text(plot.x - 6, between + 4, number(part * std::pow(10, e)), "tick", Anchor::end);
    }
  }
  canvas.text(plot.x - 44, plot.y - 11, unit, "axis");
  canvas.text(plot.x + plot.width, plot.y + plot.height + 36, "size in bytes", "axis", Anchor::end);
}

void draw_curve(Canvas& canvas, const Frame& frame, const Curve& curve, std::size_t i) {
  std::string steps;
  std::string marks;
  for (const ChartPoint& point : curve.points) {
    if (!drawable(point)) continue;
    const double x = frame.px(point.x);
    const double y = frame.py(point.y);
    steps += fmt::format("{}{:.1f} {:.1f}", steps.empty() ? 'M' : 'L', x, y);
    if (point.low > 0 && point.high >= point.low && std::isfinite(point.high)) {
      canvas.line(x, frame.py(point.low), x, frame.py(point.high), fmt::format("spread c{}", i));
    }
    marks += mark(i, x, y, 3.4);
  }
  canvas.path(steps, fmt::format("curve c{}", i));
  canvas.add(marks);
}

}  // namespace

std::string short_bytes(double bytes) {
  static constexpr std::array<const char*, 6> units{"", "K", "M", "G", "T", "P"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < units.size()) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{:.4g}{}", bytes, units.at(unit));
}

std::string chart_svg(const Chart& chart) {
  double low_x = 0;
  double high_x = 0;
  double low_y = 0;
  double high_y = 0;
  std::size_t points = 0;
  const std::size_t count = std::min(chart.curves.size(), most_curves);
  for (std::size_t i = 0; i < count; ++i) {
    for (const ChartPoint& point : chart.curves[i].points) {
      if (!drawable(point)) continue;
      low_x = points == 0 ? point.x : std::min(low_x, point.x);
      high_x = points == 0 ? point.x : std::max(high_x, point.x);
      low_y = points == 0 ? point.y : std::min(low_y, point.y);
      high_y = points == 0 ? point.y : std::max(high_y, point.y);
      ++points;
    }
  }
  if (points == 0) return {};
  Frame frame;
  frame.x.base = 2;
  frame.x.hold(low_x, high_x);
  frame.y.hold(low_y, high_y);
  Canvas canvas;
  draw_axes(canvas, frame, chart.unit);
  for (std::size_t i = 0; i < count; ++i) draw_curve(canvas, frame, chart.curves[i], i);
  std::string curves;
  for (std::size_t i = 0; i < count; ++i) curves += (i == 0 ? "" : ", ") + chart.curves[i].name;
  return canvas.svg(
      width, height, 300, chart.id, chart.name,
      fmt::format("{} by size in bytes, from {} to {}, for {}. Both axes are logarithmic. The numbers are "
                  "in the table below.",
                  chart.unit, short_bytes(low_x), short_bytes(high_x), curves));
}

std::string legend_html(const std::vector<Curve>& curves) {
  std::string html = "<ul class=\"legend\">";
  for (std::size_t i = 0; i < std::min(curves.size(), most_curves); ++i) {
    html += fmt::format(
        R"(<li><svg class="key" aria-hidden="true" viewBox="0 0 34 14"><path class="curve c{0}" d="M1 7L33 7"/>{1}</svg>{2}</li>)",
        i, mark(i, 17, 7, 3.8), escaped(curves[i].name));
  }
  return html + "</ul>\n";
}

}  // namespace tutti::report
