/// @file  nearest: which name somebody meant.
#pragma once

#include <span>
#include <string_view>

namespace tutti {

/// The candidate that takes the fewest single-letter changes to become `name`; the first of several. Empty without any.
std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace tutti
