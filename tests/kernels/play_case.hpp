/// @file  play_case: plays one case of the conformance suite with the kernels, on host threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/case.hpp"
#include "kernels/virtual_devices.hpp"

namespace tutti::kernels::test {

struct PlayOptions {
  int channels = 1;
  std::uint32_t threads = 1;  ///< of a block
  int repeats = 1;            ///< launches one after the other, on the same memory
};

/// Why the kernels have no such case; nullptr: they have. Functions of a user's own are tested apart.
const char* not_played(const conformance::Case& c);

/// What is wrong, on any rank; nothing when all is right.
std::optional<std::string> play_case(VirtualDevices& devices, const conformance::Case& c, std::uint64_t seed,
                                     const PlayOptions& options);

}  // namespace tutti::kernels::test
