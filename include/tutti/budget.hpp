/// @file  Budget: what communicators will take of a machine, before they are made.
#pragma once

#include <cstddef>

#include "tutti/config.hpp"

namespace tutti {

/// What is asked for. One host's ranks that are processes and meet at a unix socket, as under mpirun on one host or by
/// TUTTI_* variables; or threads of one process.
struct BudgetQuestion {
  int ranks = 1;
  bool threads = false;   ///< of one process; else processes
  int communicators = 1;  ///< of all these ranks at once: the first, and those split from it
  Config config{};
};

/// Beyond what the process has without tutti, when the communicators are there and nothing is under way.
struct Budget {
  /// Memory that all ranks map together, in bytes: address space; pages that no call touches cost nothing.
  std::size_t shared_memory = 0;
  /// Of flight recorders, in bytes for each rank; all of it is held.
  std::size_t recorder_memory = 0;
  int descriptors_of_rank_0 = 0;  ///< it serves the store
  int descriptors = 0;            ///< of any other process
  int sockets_of_rank_0 = 0;      ///< of these
  int sockets = 0;
  int threads_of_rank_0 = 0;
  int threads = 0;  ///< of any other rank
};

/// Counted from what the engine makes, within 10 % of what a test measures. Time and private memory are not predicted.
Budget budget_of(const BudgetQuestion& question);

}  // namespace tutti
