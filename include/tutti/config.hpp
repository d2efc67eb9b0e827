/// @file  Config: the settings of a communicator, as a value; and the one place that reads TUTTI_ variables into it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "tutti/base/environment.hpp"
#include "tutti/topology/topology.hpp"

namespace tutti {

/// The same on all ranks, except for `topology`.
struct Config {
  std::optional<Topology> topology{};          ///< none: the processors and memory of this machine are read
  std::chrono::milliseconds timeout{300'000};  ///< of a call that names none
  bool check_across_ranks = false;  ///< compare the ranks' calls before each: a mismatch is an error, not a hang
  bool progress_thread = false;     ///< calls move on while nobody waits; needs a processor to do so

  bool operator==(const Config&) const = default;
};

/// Reads TUTTI_CALL_TIMEOUT ("90s", "500ms"), TUTTI_CHECK_ACROSS_RANKS and TUTTI_PROGRESS_THREAD ("0" or "1").
/// Throws invalid_argument for a value that makes no sense, and for a TUTTI_ variable that does not exist, with the
/// nearest one that does: a setting that is misspelt must not be without effect.
/// `names` are the names of all variables there are.
Config config_from_environment(const Environment& environment = process_environment(),
                               const std::vector<std::string>& names = process_variable_names());

}  // namespace tutti
