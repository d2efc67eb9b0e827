/// @file  Files a command line names, read whole.
#pragma once

#include <iosfwd>
#include <string>

namespace tutti::cli {

/// "-" is `in`. Throws Error(invalid_argument) naming a file that cannot be read.
std::string contents_of(const std::string& file, std::istream& in);

}  // namespace tutti::cli
