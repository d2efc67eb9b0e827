/// @file  CommunicatorState: what a communicator is made of, in the order it is made.
#pragma once

#include <atomic>
#include <memory>

#include "choose/choose.hpp"
#include "run/call_memory.hpp"
#include "run/host/host_engine.hpp"
#include "run/host/team.hpp"
#include "run/keeper.hpp"
#include "run/progress_loop.hpp"
#include "tutti/bootstrap/world.hpp"
#include "tutti/communicator.hpp"
#include "tutti/config.hpp"
#include "tutti/topology/topology.hpp"

namespace tutti {

struct CommunicatorState final : Keeper {
  /// Collective. `shared_loop`: that of the communicator this one is split from; null for a new family.
  CommunicatorState(World world, const Config& config, std::shared_ptr<ProgressLoop> shared_loop);

  Engine& engine(const Decision&) { return host_engine; }

  /// Checks, chooses and runs; what a call like this one has been through before is not done again.
  Operation& begin(const Request& request);

  World world;
  Config config;
  Topology topology;
  Store::Deadline deadline;  ///< of making it
  host::Team team;
  std::shared_ptr<ProgressLoop> loop;
  Facts facts;
  host::HostEngine host_engine;
  CallMemory memory;
  std::uint64_t splits = 0;  ///< splits made so far: the same number on all ranks
};

}  // namespace tutti
