/// @file  lint: everything that can be said about the settings of one rank or several.
#pragma once

#include <span>
#include <vector>

#include "base/finding.hpp"
#include "settings/machine.hpp"
#include "settings/setting.hpp"
#include "settings/version.hpp"

namespace tutti::settings {

struct LintOptions {
  Version nccl = newest_nccl;        ///< that will read them
  const Machine* machine = nullptr;  ///< null: names of devices and files are not looked at
};

/// The worst first. The ids are listed in docs/env.md.
std::vector<Finding> lint(std::span<const Settings> ranks, const LintOptions& options);

}  // namespace tutti::settings
