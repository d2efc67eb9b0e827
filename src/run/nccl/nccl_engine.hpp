/// @file  NcclEngine: collectives on device memory through NCCL.
#pragma once

#include <memory>

#include "run/device/stream_engine.hpp"
#include "run/nccl/nccl_communicator.hpp"

namespace tutti::nccl {

class NcclEngine final : public device::StreamEngine {
 public:
  NcclEngine(std::unique_ptr<NcclCommunicator> communicator, ProgressLoop& loop, Settings settings);
  /// NCCL goes first: it ends what is still in the streams, whose marks the operations own.
  ~NcclEngine() override { communicator_.reset(); }

  NcclCommunicator& communicator() { return *communicator_; }

 private:
  void put(std::span<device::StreamOperation* const> operations) override;
  bool given_up() const override { return communicator_->aborted(); }
  void give_up() noexcept override { communicator_->abort(); }
  void expect_sound(const device::StreamOperation& operation) const override;
  void expect_done(const device::StreamOperation& operation) const override;

  void issue(device::StreamOperation& operation);

  std::unique_ptr<NcclCommunicator> communicator_;
};

}  // namespace tutti::nccl
