/// @file  The command `bench`: its options, its ranks, and what it prints and writes.
#pragma once

#include "cli/bench_options.hpp"

namespace CLI {
class App;
}

namespace tutti::cli {

/// Adds `bench` to the program; when it is called, its exit status goes to `status`.
void add_bench_command(CLI::App& app, int& status);

/// Binds the options of `bench` to `text`, which outlives the parsing.
void add_bench_options(CLI::App& command, bench::BenchText& text);

/// Runs it, on all ranks of this process. The exit status: 0, or 3 when a result was wrong. Throws Error.
int bench_command(const bench::BenchText& text);

}  // namespace tutti::cli
