#include "topology/numa.hpp"

#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdint>
#include <vector>

#include "tutti/topology/host_facts.hpp"

namespace tutti {

namespace {
constexpr int max_node = 1023;
constexpr int word_bits = sizeof(unsigned long) * CHAR_BIT;

/// 0 means the calling thread.
int allowed_cpu_count_of(pid_t thread) noexcept {
  cpu_set_t set;
  if (sched_getaffinity(thread, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));  // more CPUs than a cpu_set_t holds
}
}  // namespace

void place_memory(void* data, std::size_t bytes, int numa_node) noexcept {
  static const bool several = this_host_facts().numa_nodes.size() > 1;
  if (!several || numa_node < 0 || numa_node > max_node) return;
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<std::uintptr_t>(data) + page - 1) / page * page;
  const auto end = (reinterpret_cast<std::uintptr_t>(data) + bytes) / page * page;
  if (end <= begin) return;
  std::array<unsigned long, (max_node + 1) / word_bits> mask{};
  mask[static_cast<std::size_t>(numa_node / word_bits)] = 1UL << (numa_node % word_bits);
  // Preferred, not bound: a full node must not end in an out-of-memory kill. A refusal is not an error.
  syscall(SYS_mbind, begin, end - begin, MPOL_PREFERRED, mask.data(), max_node + 2UL,
          static_cast<unsigned>(MPOL_MF_MOVE));
}

int current_numa_node() noexcept {
  unsigned cpu = 0;
  unsigned node = 0;
  return getcpu(&cpu, &node) == 0 ? static_cast<int>(node) : 0;
}

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

int allowed_cpu_count() noexcept { return allowed_cpu_count_of(0); }

int allowed_cpu_count_of_process() noexcept { return allowed_cpu_count_of(getpid()); }

}  // namespace tutti
