/// @file  World: who this process is among the ranks of its job, and the store they share.
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "tutti/base/environment.hpp"
#include "tutti/bootstrap/network.hpp"
#include "tutti/bootstrap/store.hpp"

namespace tutti {

/// Told what a start is waiting for, in one line without a line break; called from the thread that waits.
struct Progress {
  std::function<void(const std::string& line)> say;  ///< none: silence
  std::chrono::milliseconds first{5'000};            ///< after so much waiting
  std::chrono::milliseconds every{10'000};           ///< and then so often
};

/// One line on standard error.
Progress progress_on_stderr();

/// A value; copies share the store. A World of several ranks serves one communicator, once: whoever wants another, also
/// after a failure, makes a new World on all ranks, or splits the communicator.
struct World {
  int rank = 0;                               ///< 0 .. size-1
  int size = 1;                               ///< the same on every rank
  std::shared_ptr<Store> store;               ///< never null in a World made by the functions of this floor; fresh keys
  std::string job;                            ///< names this job; no other one running has this name
  std::string secret;                         ///< known to the ranks of the job only; may be empty
  std::string host;                           ///< this machine's name, for people
  std::string host_id;                        ///< equal exactly for ranks that can share memory and unix sockets
  std::string launcher;                       ///< what told us: "torchrun", "Open MPI", "alone", …; for people
  bool one_process = false;                   ///< every rank is a thread of this process
  std::chrono::milliseconds timeout{60'000};  ///< for meeting the other ranks
  Progress progress = progress_on_stderr();
  std::shared_ptr<Network> network;  ///< among the same ranks, for those on other hosts; null: there is none
  std::shared_ptr<void> keep_alive;  ///< whatever must live as long as this World, opaque here

  Store::Deadline deadline() const { return std::chrono::steady_clock::now() + timeout; }
};

/// One rank, no sockets.
World alone();

/// The World that the launcher describes, after all ranks have met (see gather_ranks): torchrun, mpirun,
/// srun, or TUTTI_* by hand; `alone()` when nothing does. docs/bootstrap.md lists the variables and the order
/// of detection.
///
/// Collective over the job, and a process may call it again: each call makes a World with keys of its own, so
/// all ranks must make their calls in the same order. With one rank it touches no socket. Errors:
/// invalid_argument for a variable that makes no sense (named, with its value and what to do), bootstrap when
/// rank 0 refuses or cannot listen, mismatch when the ranks do not belong together, timeout with the list of
/// missing ranks.
World from_environment(const Environment& environment = process_environment());

/// The TUTTI_ variables that `from_environment` reads; all others belong to the configuration.
inline constexpr std::array<std::string_view, 8> world_variables = {
    "TUTTI_RANK",        // this rank, 0 ..
    "TUTTI_WORLD_SIZE",  // how many ranks
    "TUTTI_STORE",       // tcp://host:port or unix:name, served by rank 0
    "TUTTI_LISTEN",      // the address or interface that rank 0 listens on, instead of the store's host
    "TUTTI_JOB",         // a name that no other job has
    "TUTTI_SECRET",      // shared by the ranks, unknown to others
    "TUTTI_TIMEOUT",     // for meeting the other ranks: "90s", "500ms", "5min"
    "TUTTI_HOST_ID",     // ranks with different ones behave as on different machines
};

/// Identifies this machine as far as shared memory and unix sockets reach: boot, host name, network and IPC
/// namespace.
std::string this_host_id();

/// This machine's name.
std::string this_host();

}  // namespace tutti
