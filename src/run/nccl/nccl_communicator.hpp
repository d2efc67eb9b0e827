/// @file  NcclCommunicator: NCCL's own communicator, made without blocking, with a deadline, and taken down in bounded time.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>

#include "run/nccl/nccl_library.hpp"
#include "tutti/bootstrap/world.hpp"
#include "tutti/run/nccl_settings.hpp"

namespace tutti::nccl {

class NcclCommunicator {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  /// Collective over the World: rank 0's id goes through its store, under "nccl/". `given_up` throws when the others will
  /// not come. Throws what NCCL says, and timeout.
  NcclCommunicator(const Library& library, const World& world, int device, const NcclSettings& settings,
                   Deadline deadline, const std::function<void()>& given_up);
  /// Finished work is waited for, for some seconds; then it is aborted.
  ~NcclCommunicator();
  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;

  const Library& library() const { return library_; }
  Comm handle() const { return comm_; }
  int device() const { return device_; }
  bool aborted() const { return comm_ == nullptr; }

  /// Is everything said so far taken in, so that the next call may be made? Throws what went wrong, also elsewhere.
  bool settled(const Context& context = {}) const;
  /// Waits until it is. `look` is called meanwhile, and may throw.
  void settle(Deadline deadline, const Context& context = {}, const std::function<void()>& look = {}) const;

  /// Collective over its ranks: those of one color, ordered by key, have a communicator of their own. Null for a
  /// negative color.
  std::unique_ptr<NcclCommunicator> split(int color, int key, const NcclSettings& settings, Deadline deadline) const;
  /// Collective over the ranks that are left; `abort`: what is in progress is given up first.
  std::unique_ptr<NcclCommunicator> shrink(std::span<const int> without, bool abort, const NcclSettings& settings,
                                           Deadline deadline) const;

  /// Ends everything in progress on this rank. May be called again.
  void abort() noexcept;

 private:
  NcclCommunicator(const Library& library, int device) : library_(library), device_(device) {}

  const Library& library_;
  int device_;
  Comm comm_ = nullptr;
};

}  // namespace tutti::nccl
