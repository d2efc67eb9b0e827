#include "run/device/stream_operation.hpp"

#include <utility>

namespace tutti::device {

StreamOperation::StreamOperation(StreamEngine& engine, std::size_t index)
    : Operation(true), engine_(engine), index_(index), end_(engine.settings_.device) {}

void StreamOperation::begin(const Decision& decision, const Request& request) {
  decision_ = decision;
  request_ = request;
  stream_ = request.options.stream.value_or(engine_.own_stream_.stream());
  timeout_ = request.options.timeout.count() < 0 ? engine_.settings_.timeout : request.options.timeout;
  stage_ = Stage::recorded;
  left_ = false;
  start(engine_.loop_, timeout_);
}

Context StreamOperation::context() const {
  return {.rank = engine_.settings_.rank,
          .operation = describe(request_),
          .engine = engine_.settings_.name,
          .peer = is_pairwise(request_.collective) ? request_.root : -1};
}

void StreamOperation::issued() {
  if (is_capturing(stream_)) {
    stage_ = Stage::in_graph;
  } else {
    end_.record(stream_);
    stage_ = Stage::in_stream;
  }
  scratch_.clear();
}

bool StreamOperation::advance() {
  switch (stage_) {
    case Stage::recorded:
      if (engine_.given_up()) throw Error(Code::aborted, "the calls of its group have failed", context());
      return false;
    case Stage::in_graph:
      return true;
    case Stage::in_stream:
      if (left_) return true;
      if (!end_.reached(context())) return false;
      engine_.expect_done(*this);
      return true;
  }
  return false;
}

bool StreamOperation::passed() const noexcept {
  if (stage_ != Stage::in_stream) return true;
  try {
    return end_.reached({});
  } catch (const Error&) {
    return true;
  }
}

void StreamOperation::check_peers() {
  engine_.settings_.look(context());
  if (engine_.given_up()) throw Error(Code::aborted, "another call of this communicator has failed", context());
  engine_.expect_sound(*this);
}

std::exception_ptr StreamOperation::timed_out() { return late("its end on the device", -1, timeout_, context()); }

void StreamOperation::before(Stream stream) const {
  if (stage_ != Stage::in_stream) {
    throw Error(Code::unsupported, "a call that is captured into a graph has no end yet",
                {.operation = describe(request_),
                 .engine = engine_.settings_.name,
                 .remedy = "order the streams by the graph itself"});
  }
  const OnDevice here(engine_.settings_.device);
  end_.before(stream);
}

/// On the caller's stream it is in order; the stream, or the communicator's end, will show what became of it.
void StreamOperation::leave() noexcept { left_ = request_.options.stream.has_value(); }

void StreamOperation::released(const std::exception_ptr& unseen) noexcept {
  if (unseen != nullptr) engine_.trouble_.remember_unseen(unseen);
  (passed() ? engine_.idle_ : engine_.left_).push_back(this);
}

}  // namespace tutti::device
