/// @file  DeviceEngines: a communicator's engines for device memory, made when they are first needed.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "choose/choose.hpp"
#include "run/device/stream_engine.hpp"
#include "run/engine.hpp"

namespace tutti {

struct CommunicatorState;
namespace cuda {
class CudaEngine;
}

class DeviceEngines {
 public:
  explicit DeviceEngines(CommunicatorState& state);
  ~DeviceEngines();
  DeviceEngines(const DeviceEngines&) = delete;
  DeviceEngines& operator=(const DeviceEngines&) = delete;

  /// Collective: the ranks tell one another what they have. Throws unsupported on all ranks alike when one of them
  /// cannot use its device, naming it and why. A missing engine is a fact, and no error.
  DeviceFacts find(const std::string& operation);

  /// Collective where the decision's engine does not exist yet: makes it. Gives why there can be none, on all ranks alike;
  /// empty: there is one. Throws when that could not be found out. Under the loop's guard, like the others.
  std::string start(const Decision& decision, const Request& request);
  /// After `start`.
  Operation& run(const Decision& decision, const Request& request);
  /// Calls of tutti's kernels end on this rank, also those that nobody waits for. Any thread, without the guard.
  void abort() noexcept;
  void group_begins();
  void group_ends();

  /// What a communicator of some of the ranks takes over. Collective over all ranks; null when there is nothing.
  class Part;
  std::shared_ptr<Part> split(int color, int key) const;
  void take(std::shared_ptr<Part> part);

 private:
  std::unique_ptr<Engine> nccl();
  std::unique_ptr<Engine> cuda();
  device::StreamEngine::Settings settings(const char* name) const;

  CommunicatorState& state_;
  std::shared_ptr<Part> part_;
  std::unique_ptr<Engine> nccl_;  ///< null before its first call
  std::unique_ptr<Engine> cuda_;
  std::atomic<cuda::CudaEngine*> kernels_{nullptr};  ///< the same, for other threads
  int blocks_ = 0;                                   ///< of our kernels, that every rank's device holds at once
  bool grouping_ = false;
};

}  // namespace tutti
