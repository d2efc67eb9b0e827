/// @file  Before and after a simulated run: what it will need, and what it came to.
#pragma once

#include <cstdint>
#include <string>

#include "run/simulated/run.hpp"

namespace tutti::simulated {

struct Needs {
  std::uint64_t bytes = 0;
  std::uint64_t messages = 0;
};

/// What the ranks of the first machine need, times the machines that are simulated.
Needs needs_of(const Plan& plan, const choose::Platform& at);

/// Throws Error(resource) when that is more than is allowed. `alike`: machines are simulated once for many.
void refuse_beyond(const Needs& needs, bool alike, std::uint64_t most_bytes);

/// Sets what is the run's own, not the links'. `result.ranks` is set already.
void tell(SimulatedRun& result, const Scenario& scenario, const Plan& plan, Run& run);

/// By `result.loads`.
std::string bottleneck_of(const SimulatedRun& run);

}  // namespace tutti::simulated
