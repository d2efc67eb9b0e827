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
  enum class By : std::uint8_t {
    plan,        ///< the steps of plan/
    pat,         ///< parallel aggregated trees
    the_switch,  ///< that reduces and multicasts; it is one rank more
  };
  plan::Schedule schedule{};  ///< its algorithm counts for steps of plan/ only
  Among among = Among::all;
  std::uint64_t block = 0;  ///< bytes of a block in one chunk of one channel
  By by = By::plan;
  int present = 0;  ///< the_switch: ranks that it talks to, the others being like them

  /// Of a rank, or of the switch, whose rank is the schedule's size.
  int lanes(int rank = 0) const;
  int steps(int rank, int lane) const;
  plan::Step step(int rank, int lane, int index) const;

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

/// The scenario with an answer where it asks for the automatic algorithm: the cheapest by price of those that can be
/// simulated, at its protocol. Throws Error(unsupported) when nothing has a price.
Scenario with_choice(const Scenario& scenario, const choose::Platform& platform);

/// Throws Error(invalid_argument) that names the value: shares out of range, ranks or rails that are not there, …
void check(const Scenario& scenario, const choose::Platform& platform);

}  // namespace tutti::simulated
