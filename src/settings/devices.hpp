/// @file  Settings that name adapters, interfaces and files, compared with a machine.
#pragma once

#include <optional>

#include "base/finding.hpp"
#include "settings/database.hpp"
#include "settings/machine.hpp"
#include "settings/setting.hpp"

namespace tutti::settings {

/// Nothing when all that the setting names is there, or it names nothing of the kind.
std::optional<Finding> check_devices(const Variable& variable, const Setting& setting, const Machine& machine);

}  // namespace tutti::settings
