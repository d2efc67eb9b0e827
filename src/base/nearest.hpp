/// @file  nearest: which name somebody meant.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace tutti {

/// How many single letters must be put in, left out or replaced to make one of the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate that takes the fewest single-letter changes to become `name`; the first of several. Empty without any.
std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace tutti
