/// @file  Vectors on the ranks' devices, and what tests ask of them.
#pragma once

#include <string>
#include <vector>

#include "emulated_cuda/checks.hpp"
#include "tutti/base/error.hpp"
#include "tutti/communicator.hpp"

namespace tutti::emulated {

/// One vector for each rank's device, which becomes the current one, filled with its rank + 1.
inline std::vector<float> own_values(const Communicator& comm, std::size_t count = 100) {
  ok(cudaSetDevice(comm.rank()));
  return std::vector<float>(count, static_cast<float>(comm.rank() + 1));
}

inline bool all_are(const DeviceArray<float>& array, float value) {
  for (const float each : array.values()) {
    if (each != value) return false;
  }
  return true;
}

inline bool says(const Error& error, const std::string& words) {
  return std::string(error.what()).find(words) != std::string::npos;
}

}  // namespace tutti::emulated
