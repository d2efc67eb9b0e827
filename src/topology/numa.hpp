/// @file  NUMA placement: memory bound to a node, and where this thread is, by system calls alone.
#pragma once

#include <cstddef>
#include <vector>

namespace tutti {

/// Asks that the pages of [data, data+bytes) come from a node when they are first touched; pages already
/// there are moved if that can be done. `data` need not be aligned: the pages wholly inside are bound. It is
/// a wish: on machines with one node, for numa_node < 0, and where the system refuses, nothing happens. Any
/// thread.
void place_memory(void* data, std::size_t bytes, int numa_node) noexcept;

/// The operating system's number of the node that this thread runs on right now; 0 when it is not known.
int current_numa_node() noexcept;

/// The operating system's numbers of the CPUs that this thread may use now; empty when they are not known.
std::vector<int> allowed_cpus();

/// How many CPUs this thread may use now; at least 1. Read at each call.
int allowed_cpu_count() noexcept;

/// The same for the process: what its main thread may run on. All threads are told the same number.
int allowed_cpu_count_of_process() noexcept;

}  // namespace tutti
