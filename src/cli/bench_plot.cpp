#include "cli/bench_plot.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tutti/base/error.hpp"
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

/// Distinguishable for most eyes (Okabe and Ito 2008); the peer is black.
constexpr std::string_view colors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                       "#e69f00", "#56b4e9", "#8c6d31", "#7570b3"};

std::string quoted(std::string text) {
  for (std::size_t at = 0; (at = text.find('\'', at)) != std::string::npos; at += 2) text.insert(at, 1, '\'');
  return "'" + text + "'";
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
    const std::string_view stroke = peer ? "#000000" : colors[color++ % std::size(colors)];
    text += fmt::format("{}$curve{} using 1:{} title {} with linespoints lc rgb '{}' lw {} dt {} pt {} ps 0.5",
                        c == 0 ? "" : ", \\\n     ", c, column, quoted(all[c].title), stroke, peer ? 2.5 : 1.8,
                        peer ? 2 : 1, peer ? 5 : 7);
  }
  return text + "\n";
}

}  // namespace

void expect_gnuplot() {
  if (std::system("command -v gnuplot >/dev/null 2>&1") == 0) return;  // NOLINT: a fixed text
  throw Error(Code::unsupported, "--plot needs gnuplot, and there is none",
              {.operation = "bench", .remedy = "install it (Debian: gnuplot-nox), or leave --plot out"});
}

std::string plot_script(const Report& report, const std::string& file) {
  const bool any_out =
      std::any_of(report.rows.begin(), report.rows.end(), [](const Row& row) { return !row.in_place; });
  const std::vector<Curve> all = curves(report, !any_out);
  const Row& any = report.rows.front();
  std::string script = file.ends_with(".png")
                           ? "set terminal pngcairo size 1200,560 font 'Sans,11'\n"
                           : "set terminal svg size 1200,560 font 'Helvetica,14' background '#ffffff'\n";
  script += fmt::format("set output {}\n", quoted(file));
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
                  quoted(title));
  script +=
      "set logscale x 2\nset logscale y 10\nset grid xtics ytics lc rgb '#dddddd' lt 1 lw 0.6\n"
      "set border 3 lc rgb '#666666'\nset tics nomirror textcolor rgb '#333333'\nset xlabel 'size'\n";
  script += fmt::format("set xtics ({}) rotate by -35\n", tics(all));
  script += "set key at graph 0, graph 1.02 left bottom horizontal maxrows 2 samplen 2 noenhanced\n";
  script += "set ylabel 'time (µs)'\nset format y '%g'\n" + lines(all, 2);
  script += "unset key\nset ylabel 'bus bandwidth (GB/s)'\n" + lines(all, 3);
  script += "unset multiplot\n";
  return script;
}

void plot(const Report& report, const std::string& file) {
  std::FILE* gnuplot = ::popen("gnuplot", "we");
  if (gnuplot == nullptr) throw_errno(Code::resource, "gnuplot cannot be started");
  const std::string script = plot_script(report, file);
  const bool written = std::fwrite(script.data(), 1, script.size(), gnuplot) == script.size();
  if (::pclose(gnuplot) != 0 || !written) {
    throw Error(Code::resource, fmt::format("gnuplot could not draw {}", file),
                {.operation = "bench", .remedy = "its own words are above"});
  }
}

}  // namespace tutti::bench
