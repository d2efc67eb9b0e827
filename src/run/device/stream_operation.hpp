/// @file  StreamOperation: one call on its way through a stream.
#pragma once

#include <memory>

#include "run/device/stream_engine.hpp"
#include "run/device/stream_scratch.hpp"
#include "run/operation.hpp"

namespace tutti::device {

class StreamOperation final : public Operation {
 public:
  /// `index`: its number among those of the engine.
  StreamOperation(StreamEngine& engine, std::size_t index);

  /// A new use.
  void begin(const Decision& decision, const Request& request);
  const Decision& decision() const { return decision_; }
  const Request& request() const { return request_; }
  Stream stream() const { return stream_; }
  std::size_t index() const { return index_; }
  std::chrono::milliseconds timeout() const { return timeout_; }
  Context context() const;

  /// The engine has put it into the stream.
  void issued();
  /// Until then; given back in the order of the stream.
  void keep(std::unique_ptr<StreamScratch> scratch) { scratch_.push_back(std::move(scratch)); }
  /// Marks this place of the stream: `before` waits for it until `issued` says where the call ends.
  void mark(Stream stream) { end_.record(stream); }
  void after_mark(Stream stream) const { end_.before(stream); }
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

  StreamEngine& engine_;
  std::size_t index_;
  Stage stage_ = Stage::recorded;
  bool left_ = false;
  Decision decision_;
  Request request_;
  Stream stream_;
  std::chrono::milliseconds timeout_{};
  Event end_;
  std::vector<std::unique_ptr<StreamScratch>> scratch_;
};

}  // namespace tutti::device
