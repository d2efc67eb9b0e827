#include "cli/bench_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "cli/gnuplot.hpp"
#include "tutti/base/units.hpp"

namespace tutti::bench {

namespace {

/// One line in both panels.
struct Curve {
  std::string title;
  bool is_peer = false;
  std::vector<const Row*> rows{};
};

std::vector<Curve> curves(const Report& report, bool in_place) {
  std::vector<Curve> result;
  for (const Row& row : report.rows) {
    if (row.in_place != in_place || row.size_bytes == 0) continue;
    if (row.type != report.rows.front().type || row.operation != report.rows.front().operation) continue;
    const std::string title = row.algorithm + (row.buffers == "shared" ? ", shared buffers" : "");
    auto curve = std::find_if(result.begin(), result.end(), [&](const Curve& c) { return c.title == title; });
    if (curve == result.end()) {
      result.push_back({.title = title, .is_peer = row.engine == row.algorithm});
      curve = result.end() - 1;
    }
    curve->rows.push_back(&row);
  }
  return result;
}

std::string tics(const std::vector<Curve>& all) {
  std::size_t least = SIZE_MAX;
  std::size_t most = 0;
  for (const Curve& curve : all) {
    for (const Row* row : curve.rows) {
      least = std::min(least, row->size_bytes);
      most = std::max(most, row->size_bytes);
    }
  }
  std::string text;
  for (std::size_t size = 1; size <= most; size *= 8) {
    if (size < least) continue;
    text += fmt::format("{}'{}' {}", text.empty() ? "" : ", ", format_bytes(size), size);
  }
  return text;
}

std::string lines(const std::vector<Curve>& all, int column) {
  std::string text = "plot ";
  std::size_t color = 0;
  for (std::size_t c = 0; c < all.size(); ++c) {
    const bool peer = all[c].is_peer;
    const std::string_view stroke = peer ? "#000000" : cli::plot_colors[color++ % cli::plot_colors.size()];
    text += fmt::format("{}$curve{} using 1:{} title {} with linespoints lc rgb '{}' lw {} dt {} pt {} ps 0.5",
                        c == 0 ? "" : ", \\\n     ", c, column, cli::gnuplot_text(all[c].title), stroke,
                        peer ? 2.5 : 1.8, peer ? 2 : 1, peer ? 5 : 7);
  }
  return text + "\n";
}

}  // namespace

std::string plot_script(const Report& report, const std::string& file) {
  const bool any_out =
      std::any_of(report.rows.begin(), report.rows.end(), [](const Row& row) { return !row.in_place; });
  const std::vector<Curve> all = curves(report, !any_out);
  const Row& any = report.rows.front();
  std::string script = cli::gnuplot_head(file, 1200, 560);
  for (std::size_t c = 0; c < all.size(); ++c) {
    script += fmt::format("$curve{} << END\n", c);
    for (const Row* row : all[c].rows) {
      script += fmt::format("{} {:.6g} {:.6g}\n", row->size_bytes, row->time_us, row->busbw_GBs);
    }
    script += "END\n";
  }
  const std::string title = fmt::format("{} of {}{}, {} ranks ({}), {}", any.collective, any.type,
                                        any.operation == "none" ? "" : " by " + any.operation, any.ranks,
                                        report.facts.launcher, any_out ? "out of place" : "in place");
  script +=
      fmt::format("set multiplot layout 1,2 title {} noenhanced font ',16' margins 0.07,0.955,0.14,0.80 spacing 0.1\n",
                  cli::gnuplot_text(title));
  script += "set logscale x 2\nset logscale y 10\nset xlabel 'size'\n";
  script += fmt::format("set xtics ({}) rotate by -35\n", tics(all));
  script += "set key at graph 0, graph 1.02 left bottom horizontal maxrows 2 samplen 2 noenhanced\n";
  script += "set ylabel 'time (µs)'\nset format y '%g'\n" + lines(all, 2);
  script += "unset key\nset ylabel 'bus bandwidth (GB/s)'\n" + lines(all, 3);
  script += "unset multiplot\n";
  return script;
}

void plot(const Report& report, const std::string& file) { cli::run_gnuplot(plot_script(report, file), file, "bench"); }

}  // namespace tutti::bench
