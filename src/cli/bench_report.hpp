/// @file  BenchReport: what rank 0 prints while a benchmark runs, and the files it leaves.
#pragma once

#include <cstddef>
#include <optional>

#include "cli/bench_options.hpp"
#include "cli/bench_run.hpp"
#include "cli/output_file.hpp"

namespace tutti::bench {

/// Elements that were wrong, in all rows.
std::size_t wrong_in(const Report& report);

}  // namespace tutti::bench

namespace tutti::cli {

class BenchReport {
 public:
  /// Throws Error(resource) for a file that cannot be written and Error(unsupported) for a plot without gnuplot.
  explicit BenchReport(const bench::BenchOptions& options);

  /// Prints the table line by line on standard output, and a progress line on standard error when that is a terminal.
  bench::Listener listener();

  /// Prints what comes last and writes the files.
  void finish(const bench::Report& report);

 private:
  void progress(std::size_t done, std::size_t all, std::size_t bytes);
  void clear_progress();
  void print(const std::string& text);

  const bench::BenchOptions& options_;
  bool on_terminal_;
  std::optional<OutputFile> json_, csv_, plot_;
};

}  // namespace tutti::cli
