/// @file  Whole numbers as C programs read them from settings: decimal, 0x… or octal with a leading 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tutti {

/// As strtol with base 0, but the whole text must be a number, without blanks.
std::optional<std::int64_t> whole_number_of(std::string_view text);

}  // namespace tutti
