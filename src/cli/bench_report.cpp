#include "cli/bench_report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "cli/bench_collective.hpp"
#include "cli/bench_json.hpp"
#include "cli/bench_plot.hpp"
#include "cli/bench_table.hpp"
#include "cli/gnuplot.hpp"
#include "tutti/base/units.hpp"

namespace tutti::bench {

std::size_t wrong_in(const Report& report) {
  std::size_t wrong = 0;
  for (const Row& row : report.rows) wrong += row.wrong.value_or(0);
  return wrong;
}

}  // namespace tutti::bench

namespace tutti::cli {

BenchReport::BenchReport(const bench::BenchOptions& options)
    : options_(options), on_terminal_(::isatty(STDERR_FILENO) == 1) {
  if (!options.json.empty()) json_.emplace(options.json);
  if (!options.csv.empty()) csv_.emplace(options.csv);
  if (options.plot.empty()) return;
  expect_gnuplot();
  plot_.emplace(options.plot);
}

bench::Listener BenchReport::listener() {
  const bool with_ratio = options_.mpi_peer;
  bench::Listener listener;
  if (on_terminal_) {
    listener.progress = [this](std::size_t done, std::size_t all, std::size_t bytes) { progress(done, all, bytes); };
  }
  if (options_.quiet) return listener;
  listener.begins = [this, with_ratio](const bench::RunFacts& facts, bench::ProbeTime probe) {
    print(bench::table_head(facts, probe, with_ratio));
  };
  listener.note = [this](const std::string& note) { print("# " + note + "\n"); };
  listener.measured = [this, with_ratio](const std::vector<bench::Row>& rows) {
    print(bench::table_lines(rows, with_ratio));
  };
  return listener;
}

void BenchReport::finish(const bench::Report& report) {
  clear_progress();
  if (!options_.quiet) print(bench::table_foot(report) + bench::summary(report.rows));
  if (json_) {
    json_->write(bench::to_json(report));
    json_->publish();
  }
  if (csv_) {
    csv_->write(bench::to_csv(report));
    csv_->publish();
  }
  if (plot_) {
    bench::plot(report, plot_->temporary());
    plot_->publish();
  }
}

void BenchReport::progress(std::size_t done, std::size_t all, std::size_t bytes) {
  fmt::print(stderr, "\r\033[K{} of {}, {} of {}", bench::bench_name(options_.collective), format_bytes(bytes),
             done + 1, all);
  std::fflush(stderr);
}

void BenchReport::clear_progress() {
  if (!on_terminal_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

void BenchReport::print(const std::string& text) {
  clear_progress();
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

}  // namespace tutti::cli
