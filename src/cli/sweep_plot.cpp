#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "cli/sweep_report.hpp"
#include "tutti/base/error.hpp"
#include "tutti/base/units.hpp"

namespace tutti::sweep {

namespace {

/// Distinguishable for most eyes (Okabe and Ito 2008).
constexpr const char* strokes[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                   "#e69f00", "#56b4e9", "#8c6d31", "#7570b3"};

std::string in_quotes(std::string text) {
  for (std::size_t at = 0; (at = text.find('\'', at)) != std::string::npos; at += 2) text.insert(at, 1, '\'');
  return "'" + text + "'";
}

/// The best of each algorithm and protocol, whatever its settings: [way][size].
std::map<std::string, std::vector<double>> best_of_ways(const SweepPlan& plan, const SweepResult& result) {
  std::map<std::string, std::vector<double>> ways;
  for (std::size_t c = 0; c < plan.combinations.size(); ++c) {
    if (!result.outcomes[c].excluded.empty()) continue;
    auto& times = ways[plan.combinations[c].algorithm + " " + plan.combinations[c].protocol];
    times.resize(plan.sizes.size(), INFINITY);
    for (std::size_t size = 0; size < plan.sizes.size(); ++size) {
      times[size] = std::min(times[size], result.outcomes[c].cells[size].median());
    }
  }
  return ways;
}

}  // namespace

std::string plot_script(const SweepPlan& plan, const SweepResult& result, const std::string& file) {
  const auto ways = best_of_ways(plan, result);
  const std::vector<Winner> best = winners(plan, result);
  std::string script = file.ends_with(".png")
                           ? "set terminal pngcairo size 1200,640 font 'Sans,11'\n"
                           : "set terminal svg size 1200,640 font 'Helvetica,14' background '#ffffff'\n";
  script += fmt::format("set output {}\n", in_quotes(file));
  std::size_t number = 0;
  for (const auto& [way, times] : ways) {
    script += fmt::format("$way{} << END\n", number++);
    for (std::size_t size = 0; size < times.size(); ++size) {
      if (std::isfinite(times[size])) script += fmt::format("{} {:.6g}\n", plan.sizes[size], times[size]);
    }
    script += "END\n";
  }
  script += "$winners << END\n";
  for (std::size_t size = 0; size < best.size(); ++size) {
    if (best[size].combination < 0) continue;
    const Combination& winner = plan.combinations[static_cast<std::size_t>(best[size].combination)];
    const std::string sure = best[size].sure < 0 ? "" : fmt::format(", {:.0f} %", 100 * best[size].sure);
    script += fmt::format("{} {:.6g} \"{} {}{}\"\n", plan.sizes[size], best[size].us, winner.algorithm, winner.protocol,
                          sure);
  }
  script += "END\n";
  const std::string title =
      plan.simulated ? fmt::format("all_reduce on {} GPUs of {}: SIMULATED, not measured", result.ranks, plan.where)
                     : fmt::format("all_reduce on {} processes by {}", result.ranks, plan.where);
  script += fmt::format("set title {} noenhanced font ',16'\n", in_quotes(title));
  std::string tics;
  for (const std::size_t size : plan.sizes) {
    tics += fmt::format("{}'{}' {}", tics.empty() ? "" : ", ", format_bytes(size), size);
  }
  script +=
      "set logscale x 2\nset logscale y 10\nset grid xtics ytics lc rgb '#dddddd' lt 1 lw 0.6\nset border 3 lc rgb "
      "'#666666'\nset tics nomirror textcolor rgb '#333333'\nset xlabel 'size'\nset ylabel 'best time of each way "
      "(µs)'\n"
      "set format y '%g'\nset offsets graph 0.05, graph 0.15, 0, graph 0.12\n"
      "set key outside right top noenhanced samplen 2\n";
  script += fmt::format("set xtics ({}) rotate by -35\nplot ", tics);
  number = 0;
  for (const auto& [way, times] : ways) {
    script +=
        fmt::format("$way{} using 1:2 title {} with linespoints lc rgb '{}' lw 1.8 dt {} pt 7 ps 0.4, \\\n     ",
                    number, in_quotes(way), strokes[number % std::size(strokes)], 1 + number / std::size(strokes));
    ++number;
  }
  script +=
      "$winners using 1:2 title 'winner, and how sure' with points pt 6 ps 1.4 lw 2 lc rgb '#000000', \\\n"
      "     $winners using 1:2:3 notitle with labels left rotate by -20 offset 0.6,-0.9 font ',10' noenhanced\n";
  return script;
}

void draw(const SweepPlan& plan, const SweepResult& result, const std::string& file) {
  std::FILE* gnuplot = ::popen("gnuplot", "we");
  if (gnuplot == nullptr) throw_errno(Code::resource, "gnuplot cannot be started");
  const std::string script = plot_script(plan, result, file);
  const bool written = std::fwrite(script.data(), 1, script.size(), gnuplot) == script.size();
  if (::pclose(gnuplot) != 0 || !written) {
    throw Error(Code::resource, fmt::format("gnuplot could not draw {}", file),
                {.operation = "bench sweep", .remedy = "its own words are above"});
  }
}

}  // namespace tutti::sweep
