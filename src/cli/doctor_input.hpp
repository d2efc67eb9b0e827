/// @file  Files a command line names, read whole.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>

namespace tutti::cli {

/// Longer files are refused: a log of 2 GiB is cut sooner than read, and a device may never end.
inline constexpr std::size_t longest_input = std::size_t{2} << 30;

/// "-" is `in`. Throws Error(invalid_argument) naming a file that cannot be read, is a folder, or has more than `most` bytes.
std::string contents_of(const std::string& file, std::istream& in, std::size_t most = longest_input);

}  // namespace tutti::cli
