#include "tutti/bootstrap/in_process.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>

#include "tutti/base/error.hpp"

namespace tutti {

World alone() {
  World world = worlds_in_process(1).front();
  world.launcher = "alone";
  return world;
}

std::vector<World> worlds_in_process(int size) {
  if (size < 1) {
    throw Error(Code::invalid_argument, fmt::format("{} ranks; there is at least 1", size),
                {.operation = "worlds_in_process"});
  }
  static std::atomic<unsigned> made{0};
  World world;
  world.size = size;
  world.store = memory_store();
  world.job = fmt::format("process-{}-{}", ::getpid(), made++);
  world.host = this_host();
  world.host_id = this_host_id();
  world.launcher = "in process";
  world.one_process = true;
  std::vector<World> worlds(static_cast<std::size_t>(size), world);
  for (int rank = 0; rank < size; ++rank) worlds[static_cast<std::size_t>(rank)].rank = rank;
  return worlds;
}

}  // namespace tutti
