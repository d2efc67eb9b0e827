/// @file  Binding of the threads that play ranks in micro-benchmarks: two that share a processor would measure the system.
#pragma once

#include <sched.h>

#include <cstddef>
#include <vector>

#include "topology/numa.hpp"

namespace tutti {

/// The calling thread, to the `rank`th of the processors in `cpus`; nowhere when ranks outnumber them.
inline void bind_rank(const std::vector<int>& cpus, int rank, int ranks) {
  if (static_cast<std::size_t>(ranks) > cpus.size()) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(cpus[static_cast<std::size_t>(rank)]), &one);
  ::sched_setaffinity(0, sizeof one, &one);
}

}  // namespace tutti
