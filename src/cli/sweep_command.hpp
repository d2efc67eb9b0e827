/// @file  tutti bench sweep: combinations of algorithm, protocol, channels and settings of the network, one table.
#pragma once

#include <ostream>

#include "cli/sweep_plan.hpp"

namespace CLI {
class App;
}

namespace tutti::cli {

/// The exit status: 0. Throws Error. An interrupted sweep with --json goes on where it was.
int sweep_command(const sweep::SweepOptions& options, std::ostream& out);

/// Adds `sweep` below `bench`.
void add_sweep_command(CLI::App& bench, int& status);

}  // namespace tutti::cli
