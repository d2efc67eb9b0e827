/// @file  Gnuplot: what every plot of ours has in common.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace tutti::cli {

/// Distinguishable for most eyes (Okabe and Ito 2008).
inline constexpr std::array<std::string_view, 8> plot_colors{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                             "#e69f00", "#56b4e9", "#8c6d31", "#7570b3"};

/// Throws Error(unsupported) when there is no gnuplot to run.
void expect_gnuplot();

/// Throws Error(invalid_argument) unless the name ends in .svg or .png.
void expect_picture(const std::string& file);

/// As gnuplot's texts are written.
std::string gnuplot_text(std::string text);

/// The first lines of a script: an .svg or a .png of this size, and a quiet grid.
std::string gnuplot_head(const std::string& file, int width, int height);

/// Runs a script that draws `file`. Throws Error(resource) when that fails; gnuplot's own words go to standard error.
void run_gnuplot(const std::string& script, const std::string& file, const char* operation);

}  // namespace tutti::cli
