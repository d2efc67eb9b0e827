/// @file  Settings that have no effect because of another, and settings that contradict one another.
#pragma once

#include <vector>

#include "base/finding.hpp"
#include "settings/setting.hpp"

namespace tutti::settings {

/// A finding for each; place and line are left to the caller, `subject` is the setting's name.
std::vector<Finding> find_without_effect(const Settings& settings);
std::vector<Finding> find_contradictions(const Settings& settings);

}  // namespace tutti::settings
