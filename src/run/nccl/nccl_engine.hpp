/// @file  NcclEngine: collectives on device memory through NCCL.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "run/device/cuda_runtime.hpp"
#include "run/engine.hpp"
#include "run/nccl/nccl_communicator.hpp"
#include "run/progress_loop.hpp"
#include "run/trouble.hpp"

namespace tutti::nccl {

class NcclOperation;

/// Calls are put into their streams in the order they are submitted, which must be the same on all ranks; streams, not
/// this engine, make them wait for one another.
class NcclEngine final : public Engine {
 public:
  struct Settings {
    int rank = 0;
    int ranks = 1;
    std::chrono::milliseconds timeout{};
    std::function<void()> give_up{};      ///< tells the other ranks; never throws
    std::function<void(Context)> look{};  ///< throws when another rank has given up or is gone
  };
  NcclEngine(std::unique_ptr<NcclCommunicator> communicator, ProgressLoop& loop, Settings settings);
  ~NcclEngine() override;

  Operation& run(const Decision& decision, const Request& request, std::unique_ptr<Preparation>* memory) override;
  void group_begins() override;
  void group_ends() override;
  void abort() noexcept override { settings_.give_up(); }

  NcclCommunicator& communicator() { return *communicator_; }

 private:
  friend class NcclOperation;

  void issue(NcclOperation& operation);
  void end_group(std::chrono::milliseconds timeout, const Context& context);
  void failed(const std::exception_ptr& error) noexcept;
  void forget_those_who_left();

  std::unique_ptr<NcclCommunicator> communicator_;
  ProgressLoop& loop_;
  Settings settings_;
  device::OwnStream own_stream_;
  Trouble trouble_;
  bool grouping_ = false;
  std::vector<NcclOperation*> grouped_;
  std::vector<std::unique_ptr<NcclOperation>> operations_;
  std::vector<NcclOperation*> idle_;
  std::vector<NcclOperation*> left_;  ///< nobody waits for them, but their streams have not come so far yet
};

}  // namespace tutti::nccl
