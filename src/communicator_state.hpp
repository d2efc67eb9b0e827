/// @file  CommunicatorState: what a communicator is made of, in the order it is made.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "call_watch.hpp"
#include "choose/choose.hpp"
#include "device_engines.hpp"
#include "run/call_memory.hpp"
#include "run/engine.hpp"
#include "run/flight_recorder.hpp"
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
    int device_turn =
        0;  ///< this rank among those of its host, in the first communicator: they take its devices in turn
    std::shared_ptr<Network> network{};  ///< of this communicator's own; null when all ranks are on one host
    std::shared_ptr<ProgressLoop> loop{};
    std::shared_ptr<FlightRecorder> recorder{};
    std::shared_ptr<std::size_t> mapped = std::make_shared<std::size_t>(0);  ///< shared memory of the family's arenas
    std::shared_ptr<CallWatch> watch{};                                      ///< null: nothing watches
    std::uint64_t id = 0;      ///< of this communicator: the same on its ranks, and no other's
    std::uint64_t parent = 0;  ///< of the one that it was made from; 0: it is the first
    std::vector<std::shared_ptr<Store>> stores_above{};  ///< of the communicators that this one was split from
  };

  /// A part of the shared memory that a family may have.
  class Room {
   public:
    /// Throws resource when there is none for the ranks of `local`. `most`: 0 means no limit.
    Room(std::shared_ptr<std::size_t> mapped, const World& local, std::size_t most);
    ~Room() { *mapped_ -= bytes_; }
    Room(const Room&) = delete;
    Room& operator=(const Room&) = delete;

   private:
    std::shared_ptr<std::size_t> mapped_;
    std::size_t bytes_;
  };

  /// Collective: a member of `family`, or the first of a new one.
  CommunicatorState(World world, const Config& config, std::optional<Family> family = {});
  ~CommunicatorState() override;

  /// A communicator of some of the ranks, collective over them. `store_name` is for their keys, not used before.
  std::shared_ptr<CommunicatorState> part(std::span<const int> members, const std::string& store_name) const;
  /// The same with a World whose store is theirs; its rank and size are still those here. Not told when this one is given
  /// up. `name` is new.
  std::shared_ptr<CommunicatorState> among(std::span<const int> members, World smaller, const std::string& name) const;

  /// Checks, chooses and runs; what a call like this one has been through before is not done again.
  Operation& begin(const Request& request);
  Operation& begin_anew(const Request& request);
  /// Collective, the first time: which engines for device memory the ranks have. Throws where there is none.
  void find_devices(const Request& request);

  World world;
  Config config;
  Family family;
  Room room;
  host::Team team;  ///< of this host's ranks
  Facts facts;
  std::uint16_t recorded_as;  ///< FlightRecorder::join
  std::unique_ptr<Engine> engine;
  DeviceEngines device_engines;
  CallMemory memory;
  bool shrunk = false;       ///< it was asked for
  std::uint64_t splits = 0;  ///< splits made so far: the same number on all ranks
};

/// Handles share it; calls in progress may outlive them.
inline std::shared_ptr<CommunicatorState> kept(CommunicatorState* state) {
  return {state, [](CommunicatorState* orphan) { orphan->orphan(); }};
}

}  // namespace tutti
