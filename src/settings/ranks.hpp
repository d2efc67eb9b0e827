/// @file  Settings that are different between ranks, or given twice.
#pragma once

#include <span>
#include <vector>

#include "base/finding.hpp"
#include "settings/setting.hpp"

namespace tutti::settings {

/// A finding for each setting that is not the same everywhere and should be.
std::vector<Finding> find_differences(std::span<const Settings> ranks);

/// A finding for each setting that one rank is given twice, with different values.
std::vector<Finding> find_repetitions(const Settings& settings);

/// The value as it may be printed: secrets may not.
std::string shown_value(std::string_view name, const std::string& value);

}  // namespace tutti::settings
