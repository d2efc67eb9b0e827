/// @file  tutti simulate: how long a collective takes on a cluster that is described, and what limits it.
#pragma once

#include <ostream>

#include "cli/simulate_options.hpp"

namespace CLI {
class App;
}

namespace tutti::cli {

/// Runs it, writes the trace if one is asked for, and prints the result to `out`, with the time and memory that the
/// simulation itself took. Throws Error.
int simulate_command(const SimulateOptions& options, std::ostream& out);

void add_simulate_command(CLI::App& app, int& status);

}  // namespace tutti::cli
