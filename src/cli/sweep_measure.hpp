/// @file  One measurement of a sweep: a combination on the simulator, or in fresh processes.
#pragma once

#include <string>
#include <vector>

#include "cli/sweep_plan.hpp"
#include "cli/sweep_result.hpp"

namespace tutti::sweep {

/// All sizes of a combination on a described cluster. What cannot be is `excluded`, with the reason; what is wrong with
/// the description or the settings throws.
Outcome simulate_one(const SweepPlan& plan, const Combination& combination);

/// GPUs that a simulated sweep uses. Throws what reading the cluster throws.
std::int64_t simulated_ranks(const SweepPlan& plan);

/// The words of one launch: launcher, `env` with the variables that the combination means, and the program.
std::vector<std::string> launch_words(const SweepOptions& options, const SweepPlan& plan,
                                      const Combination& combination, const std::string& self, const std::string& json);

/// Runs a combination once, in fresh processes, and adds a time to each cell; or says in `excluded` why there is none.
/// Throws Error(resource) when nothing can be started.
void launch_one(const SweepOptions& options, const SweepPlan& plan, const Combination& combination, Outcome& outcome);

}  // namespace tutti::sweep
