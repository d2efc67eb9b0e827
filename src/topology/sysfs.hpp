/// @file  Small files of /sys and /proc, under a root that tests may replace; what is missing is nothing.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tutti {

/// The first `limit` bytes of a file, without blanks at the end; nothing when it cannot be read.
std::optional<std::string> read_small_file(const std::filesystem::path& path, std::size_t limit = 65'536);

/// A file that holds one number, decimal or 0x…; nothing when it does not.
std::optional<long> read_number(const std::filesystem::path& path);

/// "512K", "32768K", "1G", "48" → bytes; nothing when it is no size.
std::optional<std::size_t> parse_kernel_size(std::string_view text);

/// The names in a folder, sorted; none when it cannot be read.
std::vector<std::string> names_in(const std::filesystem::path& folder);

}  // namespace tutti
