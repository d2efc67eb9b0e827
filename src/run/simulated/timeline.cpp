#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <tuple>

#include "tutti/base/units.hpp"
#include "tutti/run/simulated.hpp"

namespace tutti {

namespace {

constexpr double left = 150;  // pixels for names
constexpr double width = 1000;
constexpr double row = 14;
constexpr double top = 40;
constexpr std::array colours{"#3b6ea5", "#c26b2d", "#4f8a4c", "#8a5a9e"};

/// 1, 2 or 5 times a power of ten, so that about eight fit.
double tick_of(double us) {
  const double rough = us / 8;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (step * power >= rough) return step * power;
  }
  return 10 * power;
}

}  // namespace

std::string svg_timeline(const SimulatedRun& run) {
  using Lane = std::tuple<std::int64_t, int, int, int>;  // rank, channel, phase, lane
  std::map<Lane, int> rows;
  for (const TracedStep& step : run.trace) rows.emplace(Lane{step.rank, step.channel, step.phase, step.lane}, 0);
  int at = 0;
  for (auto& [lane, number] : rows) number = at++;
  const double end = std::max(run.us, 1e-6);
  const double height = top + row * static_cast<double>(rows.size()) + 30;

  std::string text;
  auto out = std::back_inserter(text);
  fmt::format_to(
      out,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"10\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      left + width + 20, height);
  double x = 10;
  for (std::size_t p = 0; p < run.phases.size(); ++p) {
    fmt::format_to(
        out,
        "<rect x=\"{:.0f}\" y=\"8\" width=\"10\" height=\"10\" fill=\"{}\"/><text x=\"{:.0f}\" y=\"17\">{}</text>\n", x,
        colours[p % colours.size()], x + 14, run.phases[p]);
    x += 30 + 6 * static_cast<double>(run.phases[p].size());
  }
  const double tick = tick_of(end);
  for (double us = 0; us <= end; us += tick) {
    const double place = left + width * us / end;
    fmt::format_to(out,
                   "<line x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2:.0f}\" stroke=\"#ddd\"/><text x=\"{0:.1f}\" "
                   "y=\"{3:.0f}\">{4:g} us</text>\n",
                   place, top - 6, height - 22, height - 10, us);
  }
  for (const auto& [lane, number] : rows) {
    fmt::format_to(out, "<text x=\"4\" y=\"{:.1f}\">rank {} lane {}{}</text>\n", top + row * number + row - 4,
                   std::get<0>(lane), std::get<3>(lane),
                   run.channels > 1 ? fmt::format(" channel {}", std::get<1>(lane)) : "");
  }
  for (const TracedStep& step : run.trace) {
    const int number = rows.at(Lane{step.rank, step.channel, step.phase, step.lane});
    const double begin = static_cast<double>(step.begin_ps) / 1e6;
    const double took = static_cast<double>(step.end_ps - step.begin_ps) / 1e6;
    fmt::format_to(out,
                   "<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{}\" fill=\"{}\" "
                   "opacity=\"{}\"><title>step {}, chunk {}, {}</title></rect>\n",
                   left + width * begin / end, top + row * number + 1, std::max(0.5, width * took / end), row - 2,
                   colours[static_cast<std::size_t>(step.phase) % colours.size()], step.sources > 1 ? "1" : "0.6",
                   step.step, step.chunk, format_bytes(step.bytes));
  }
  text += "</svg>\n";
  return text;
}

}  // namespace tutti
