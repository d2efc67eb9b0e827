/// @file  The file of a sweep: its JSON, which is also what an interrupted sweep goes on from.
#pragma once

#include <string>

#include "cli/sweep_plan.hpp"
#include "cli/sweep_result.hpp"

namespace tutti::sweep {

/// docs/schema/sweep.schema.json
std::string to_json(const SweepPlan& plan, const SweepResult& result);

/// Takes over what a file has already. Throws Error(invalid_argument), with the place, for a file that is no sweep, and when
/// it is of another sweep, saying what differs.
void resume(const std::string& text, const std::string& name, const SweepPlan& plan, SweepResult& result);

}  // namespace tutti::sweep
