#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "cli/gnuplot.hpp"
#include "cli/sweep_report.hpp"
#include "tutti/base/units.hpp"

namespace tutti::sweep {

namespace {

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
  std::string script = cli::gnuplot_head(file, 1200, 640);
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
  script += fmt::format("set title {} noenhanced font ',16'\n", cli::gnuplot_text(title));
  std::string tics;
  for (const std::size_t size : plan.sizes) {
    tics += fmt::format("{}'{}' {}", tics.empty() ? "" : ", ", format_bytes(size), size);
  }
  script +=
      "set logscale x 2\nset logscale y 10\nset xlabel 'size'\nset ylabel 'best time of each way "
      "(µs)'\n"
      "set format y '%g'\nset offsets graph 0.05, graph 0.15, 0, graph 0.12\n"
      "set key outside right top noenhanced samplen 2\n";
  script += fmt::format("set xtics ({}) rotate by -35\nplot ", tics);
  number = 0;
  for (const auto& [way, times] : ways) {
    script += fmt::format("$way{} using 1:2 title {} with linespoints lc rgb '{}' lw 1.8 dt {} pt 7 ps 0.4, \\\n     ",
                          number, cli::gnuplot_text(way), cli::plot_colors[number % cli::plot_colors.size()],
                          1 + number / cli::plot_colors.size());
    ++number;
  }
  script +=
      "$winners using 1:2 title 'winner, and how sure' with points pt 6 ps 1.4 lw 2 lc rgb '#000000', \\\n"
      "     $winners using 1:2:3 notitle with labels left rotate by -20 offset 0.6,-0.9 font ',10' noenhanced\n";
  return script;
}

void draw(const SweepPlan& plan, const SweepResult& result, const std::string& file) {
  cli::run_gnuplot(plot_script(plan, result, file), file, "bench sweep");
}

}  // namespace tutti::sweep
