/// @file  NcclOperation: one call on its way through a stream.
#pragma once

#include <memory>

#include "run/nccl/nccl_calls.hpp"
#include "run/nccl/nccl_engine.hpp"
#include "run/operation.hpp"

namespace tutti::nccl {

class NcclOperation final : public Operation {
 public:
  explicit NcclOperation(NcclEngine& engine);

  /// A new use.
  void begin(const Request& request);
  const Request& request() const { return request_; }
  Stream stream() const { return stream_; }
  /// NCCL has put it into the stream.
  void issued();
  std::chrono::milliseconds timeout() const { return timeout_; }
  void keep(std::unique_ptr<StreamScratch> scratch) { scratch_ = std::move(scratch); }
  Context context() const;
  /// Has the stream come past it?
  bool passed() const noexcept;

  bool advance() override;
  void check_peers() override;
  std::exception_ptr timed_out() override;
  void failed(const std::exception_ptr& error) noexcept override { engine_.failed(error); }
  void before(Stream stream) const override;
  void leave() noexcept override;
  void released(const std::exception_ptr& unseen) noexcept override;

 private:
  enum class Stage : std::uint8_t {
    recorded,   ///< in a group that has not ended
    in_stream,  ///< its end is marked
    in_graph,   ///< the stream is being captured: nothing happens until the graph is launched
  };

  NcclEngine& engine_;
  Stage stage_ = Stage::recorded;
  bool left_ = false;
  Request request_;
  Stream stream_;
  std::chrono::milliseconds timeout_{};
  device::Event end_;
  std::unique_ptr<StreamScratch> scratch_;
};

}  // namespace tutti::nccl
