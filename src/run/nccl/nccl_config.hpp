/// @file  What NcclSettings are to NCCL: a configuration of the size that its version knows, and variables.
#pragma once

#include <chrono>
#include <map>
#include <string>

#include "run/nccl/nccl_library.hpp"
#include "tutti/run/nccl_settings.hpp"

namespace tutti::nccl {

/// Non-blocking. Throws unsupported for a setting that this version does not have, invalid_argument for a value out of
/// range. Strings belong to `settings`.
Config config_for(const NcclSettings& settings, int version);

/// Variables that NCCL reads each time a communicator is made.
std::map<std::string, std::string> variables_of_communicator(const NcclSettings& settings);

/// Sets the variables of the fabric, which NCCL reads once. Throws invalid_argument when this process has used NCCL
/// with others before.
void apply_to_process(const NetworkSettings& fabric);

/// Holds variables set while communicators are made. Threads that want the same ones hold them together, others wait:
/// throws timeout when they do so beyond the deadline.
class WithVariables {
 public:
  using Variables = std::map<std::string, std::string>;
  WithVariables(const Variables& variables, std::chrono::steady_clock::time_point deadline);
  ~WithVariables();
  WithVariables(const WithVariables&) = delete;
  WithVariables& operator=(const WithVariables&) = delete;
};

}  // namespace tutti::nccl
