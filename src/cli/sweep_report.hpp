/// @file  What a sweep prints and draws: the table, the winners, a plot in letters, a plot by gnuplot.
#pragma once

#include <ostream>
#include <string>

#include "cli/sweep_plan.hpp"
#include "cli/sweep_result.hpp"

namespace tutti::sweep {

/// All combinations, the winner of each size with what is known of its lead, and its bus bandwidth in letters.
void print(const SweepPlan& plan, const SweepResult& result, std::ostream& out);

/// gnuplot's words: the best time of each algorithm and protocol by size, and the winners by name and confidence.
std::string plot_script(const SweepPlan& plan, const SweepResult& result, const std::string& file);

/// Draws `file`. Throws Error(resource) when gnuplot does not.
void draw(const SweepPlan& plan, const SweepResult& result, const std::string& file);

}  // namespace tutti::sweep
