/// @file  Teams for tests: all ranks of a host in one hand, to be moved by one thread or by several.
#pragma once

#include <memory>
#include <thread>
#include <vector>

#include "run/host/team.hpp"
#include "tutti/bootstrap/in_process.hpp"

namespace tutti::test {

/// Making a team is collective, so that takes threads; afterwards anybody may use them.
inline std::vector<std::unique_ptr<host::Team>> teams_of(int ranks) {
  const std::vector<World> worlds = worlds_in_process(ranks);
  std::vector<std::unique_ptr<host::Team>> teams(worlds.size());
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < worlds.size(); ++rank) {
    threads.emplace_back(
        [&, rank] { teams[rank] = std::make_unique<host::Team>(worlds[rank], -1, worlds[rank].deadline()); });
  }
  for (std::thread& thread : threads) thread.join();
  return teams;
}

/// An arena that nobody else has.
inline host::Arena arena_of(int ranks) {
  const World world = alone();
  const host::ArenaShape shape = host::ArenaShape::for_ranks(ranks);
  return {shape, host::SharedMemory::open(world, 0, "arena", shape.total_bytes(), world.deadline())};
}

}  // namespace tutti::test
