/// @file  The program `dot` of Graphviz, run on a text.
#pragma once

#include <string>

namespace tutti {

/// The SVG that `dot -Tsvg` makes of a graph. Throws Error(unsupported) where there is no such program, and
/// Error(internal) when it fails.
std::string svg_of(const std::string& dot);

}  // namespace tutti
