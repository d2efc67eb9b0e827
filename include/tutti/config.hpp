/// @file  Config: the settings of a communicator, as a value; and the one place that reads TUTTI_ variables into it.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tutti/base/environment.hpp"
#include "tutti/choose/tuning.hpp"
#include "tutti/run/cuda_settings.hpp"
#include "tutti/run/nccl_settings.hpp"
#include "tutti/topology/topology.hpp"

namespace tutti {

/// The same on all ranks, except for `topology` and `device`.
struct Config {
  std::optional<Topology> topology{};          ///< none: the processors and memory of this machine are read
  std::chrono::milliseconds timeout{300'000};  ///< of a call that names none
  bool check_across_ranks = false;  ///< compare the ranks' calls before each: a mismatch is an error, not a hang
  bool progress_thread = false;     ///< calls move on while nobody waits; needs a processor to do so
  /// The directory in which each rank keeps a file of its last calls, for `tutti autopsy`; it stays after the end. Empty:
  /// /tmp/tutti-UID, where the file goes when all ended well, and no file for ranks that are threads of one process.
  /// "memory": no file at all.
  std::string flight_recorder{};
  /// Bytes that a communicator and those made from it may map together on a host; 0: no limit. One more is then an error
  /// (resource) on all ranks, before anything is made. budget_of says what they take.
  std::size_t most_shared_memory = 0;
  /// What `tutti tune` measured on this machine; null: crossovers that fit most machines. Ranks whose tables
  /// differ, or are another machine's, are refused when a communicator is made.
  std::shared_ptr<const Tuning> tuning{};
  /// Where this process lets its metrics be read: "9400" (a port, for this machine only), "0.0.0.0:9400" (for everybody),
  /// "file:/some/folder", or one of each with a comma. Each rank of a host has the port after that of the one before.
  /// Empty: nowhere. See docs/metrics.md.
  std::string metrics{};
  /// The folder in which each rank writes a trace of all its calls, for `tutti trace`. Empty: none. See docs/trace.md.
  std::string trace{};

  std::optional<int> device{};  ///< for device memory; none: the rank's number on its host, modulo visible devices
  NcclSettings nccl{};          ///< for the engine nccl
  CudaSettings cuda{};          ///< for the engine cuda

  bool operator==(const Config&) const = default;
};

/// Reads TUTTI_CALL_TIMEOUT ("90s", "500ms"), TUTTI_CHECK_ACROSS_RANKS and TUTTI_PROGRESS_THREAD ("0" or "1"), and
/// TUTTI_FLIGHT_RECORDER, TUTTI_MOST_SHARED_MEMORY ("64M"), TUTTI_TUNING (a file that `tutti tune` wrote), TUTTI_METRICS and
/// TUTTI_TRACE.
/// Throws invalid_argument for a value that makes no sense, and for a TUTTI_ variable that does not exist, with the
/// nearest one that does: a setting that is misspelt must not be without effect.
/// `names` are the names of all variables there are.
Config config_from_environment(const Environment& environment = process_environment(),
                               const std::vector<std::string>& names = process_variable_names());

}  // namespace tutti
