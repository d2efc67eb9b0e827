/// @file  `tutti trace`: the traces of a job's ranks as one timeline.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

namespace CLI {
class App;
}

namespace tutti::cli {

struct TraceArguments {
  std::string folder{};  ///< that Config::trace named
  std::string output{};  ///< the timeline; empty: only the table
  std::string run{};     ///< of several jobs in the folder; empty: the newest
  double late_us = 10;
};

/// Writes the timeline, and to `out` who was late. Throws Error(invalid_argument) for a folder without traces, or with
/// broken ones, Error(resource) for an output that cannot be written.
void trace_command(const TraceArguments& arguments, std::ostream& out);

/// Adds `trace` to the program.
void add_trace_command(CLI::App& app);

}  // namespace tutti::cli
