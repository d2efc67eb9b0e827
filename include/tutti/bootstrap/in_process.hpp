/// @file  worlds_in_process: many ranks in this process, for threads, tests and examples.
#pragma once

#include <vector>

#include "tutti/bootstrap/world.hpp"

namespace tutti {

/// `size` Worlds, rank by rank, that share one memory store. No sockets, no threads, no environment.
/// Throws Error(invalid_argument) unless size is at least 1.
std::vector<World> worlds_in_process(int size);

}  // namespace tutti
