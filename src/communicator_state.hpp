/// @file  CommunicatorState: what a communicator is made of, in the order it is made.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "choose/choose.hpp"
#include "run/call_memory.hpp"
#include "run/engine.hpp"
#include "run/host/team.hpp"
#include "run/keeper.hpp"
#include "run/progress_loop.hpp"
#include "run/roll_call.hpp"
#include "tutti/bootstrap/world.hpp"
#include "tutti/communicator.hpp"
#include "tutti/config.hpp"
#include "tutti/topology/topology.hpp"

namespace tutti {

struct CommunicatorState final : Keeper {
  /// What the first communicator of a family finds out, and what those split from it take over.
  struct Family {
    RollCall roll{};
    Topology topology{};  ///< of all hosts
    int numa_node = -1;
    std::shared_ptr<Network> network{};  ///< of this communicator's own; null when all ranks are on one host
    std::shared_ptr<ProgressLoop> loop{};
    std::vector<std::shared_ptr<Store>> stores_above{};  ///< of the communicators that this one was split from
  };

  /// Collective: a member of `family`, or the first of a new one.
  CommunicatorState(World world, const Config& config, std::optional<Family> family = {});

  /// A communicator of some of the ranks, collective over them. `store_name` is for their keys, not used before.
  std::shared_ptr<CommunicatorState> part(std::span<const int> members, const std::string& store_name) const;

  /// Checks, chooses and runs; what a call like this one has been through before is not done again.
  Operation& begin(const Request& request);
  Operation& begin_anew(const Request& request);

  World world;
  Config config;
  Family family;
  host::Team team;  ///< of this host's ranks
  Facts facts;
  std::unique_ptr<Engine> engine;
  CallMemory memory;
  std::uint64_t splits = 0;  ///< splits made so far: the same number on all ranks
};

/// Handles share it; calls in progress may outlive them.
inline std::shared_ptr<CommunicatorState> kept(CommunicatorState* state) {
  return {state, [](CommunicatorState* orphan) { orphan->orphan(); }};
}

}  // namespace tutti
