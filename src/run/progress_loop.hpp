/// @file  ProgressLoop: whoever waits for one call moves all calls of its family on.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "run/operation.hpp"

namespace tutti {

/// How to wait for other ranks: spin while they are likely to run beside us, give the core away when they
/// cannot.
struct WaitPolicy {
  int spins_before_yield = 1 << 13;

  /// `waiting` threads of this host's ranks on `cpus` processors that these may use, all together. When they are bound
  /// `apart`, to give one's own away would help no other rank, and would cost a slice of the system's time: it is kept for
  /// longer than such a slice, some milliseconds.
  static WaitPolicy for_host(int waiting, int cpus, bool apart) {
    return {waiting > cpus ? 32 : apart ? 1 << 18 : 1 << 13};
  }
};

/// The calls in progress of one rank's communicators: a root and all that were split from it.
///
/// Without a thread of its own it is used by one thread at a time and takes no lock. With one, callers and
/// that thread take turns under a mutex.
class ProgressLoop {
 public:
  ProgressLoop(WaitPolicy policy, bool with_thread);
  ~ProgressLoop();  ///< precondition: no operation is in progress
  ProgressLoop(const ProgressLoop&) = delete;
  ProgressLoop& operator=(const ProgressLoop&) = delete;

  /// Takes its first steps and, unless they were all, takes part in the loop until it is finished. Under the guard.
  void add(Operation& operation) noexcept;
  enum class Ending : bool { seen, dropped };
  /// Returns when `operation` is finished, and lets go of it. Returns its error; `seen`: somebody will be told of it.
  std::exception_ptr finish(Operation& operation, Ending ending) noexcept;
  /// The short form of it. False: it has failed, and `finish` tells how.
  bool finished_well(Operation& operation) noexcept {
    if (threaded_) return false;
    if (!operation.finished()) drive(operation);
    if (operation.failed_) [[unlikely]]
      return false;
    operation.released(operation.error_);  // none
    return true;
  }
  /// One round over everything; no waiting. Is `operation` finished?
  bool poll(const Operation& operation) noexcept;
  /// For engines: held while they touch what operations touch. Empty without a thread.
  std::unique_lock<std::mutex> guard() { return threaded_ ? std::unique_lock(mutex_) : std::unique_lock<std::mutex>(); }

 private:
  void round() noexcept;
  bool attempt(Operation& operation) noexcept;
  void drive(Operation& operation) noexcept;
  void check_clocks() noexcept;
  void end(Operation& operation, std::exception_ptr error) noexcept;
  void serve();

  WaitPolicy policy_;
  std::vector<Operation*> active_;
  bool threaded_;
  bool stop_ = false;                ///< guarded by mutex_
  std::mutex mutex_;                 ///< used only when threaded_
  std::condition_variable arrived_;  ///< something to do, or stop_
  std::thread thread_;
};

}  // namespace tutti
