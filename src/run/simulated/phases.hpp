/// @file  Phases: the schedules that a simulated collective is made of, one after the other on each rank.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "run/simulated/machine.hpp"
#include "run/simulated/symmetry.hpp"
#include "tutti/plan/schedule.hpp"
#include "tutti/run/simulated.hpp"

namespace tutti::simulated {

struct Phase {
  enum class Among : std::uint8_t { all, inside, between };
  plan::Schedule schedule{};
  Among among = Among::all;
  std::uint64_t block = 0;  ///< bytes of a block in one chunk of one channel

  /// The rank of a GPU in the schedule, and the GPU of a rank, seen from one that takes part. `shift` turns the GPUs of a
  /// machine, for channels.
  int rank_of(const Gpu& gpu, int gpus, int shift) const;
  Gpu gpu_of(int rank, const Gpu& from, int gpus, int shift) const;
};

struct Plan {
  std::vector<Phase> phases{};
  Symmetry symmetry{};
  int channels = 1;
  int shift = 1;  ///< GPUs from channel to channel
  int chunks = 1;
  std::vector<std::string> notes{};
};

/// What a scenario asks of a platform; throws Error(unsupported) for collectives and algorithms that do not go together.
Plan plan_of(const Scenario& scenario, const choose::Platform& platform, const Fabric& fabric);

/// Throws Error(invalid_argument) that names the value: shares out of range, ranks or rails that are not there, …
void check(const Scenario& scenario, const choose::Platform& platform);

}  // namespace tutti::simulated
