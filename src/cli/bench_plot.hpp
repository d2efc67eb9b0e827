/// @file  Plot: time and bus bandwidth by size, drawn by gnuplot.
#pragma once

#include <string>
#include <vector>

#include "cli/bench_row.hpp"

namespace tutti::bench {

/// The gnuplot script, data included, that draws `rows` to `file`, an .svg or a .png. Pure.
std::string plot_script(const Report& report, const std::string& file);

/// Draws. Throws Error(resource) with what gnuplot said when it fails.
void plot(const Report& report, const std::string& file);

}  // namespace tutti::bench
