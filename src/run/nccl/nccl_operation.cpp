#include "run/nccl/nccl_operation.hpp"

#include <algorithm>
#include <utility>

namespace tutti::nccl {

NcclOperation::NcclOperation(NcclEngine& engine)
    : Operation(true), engine_(engine), end_(engine.communicator_->device()) {}

void NcclOperation::begin(const Request& request) {
  request_ = request;
  stream_ = request.options.stream.value_or(engine_.own_stream_.stream());
  timeout_ = request.options.timeout.count() < 0 ? engine_.settings_.timeout : request.options.timeout;
  stage_ = Stage::recorded;
  left_ = false;
  start(engine_.loop_, timeout_);
}

Context NcclOperation::context() const {
  return {.rank = engine_.settings_.rank,
          .operation = describe(request_),
          .engine = "nccl",
          .peer = is_pairwise(request_.collective) ? request_.root : -1};
}

void NcclOperation::issued() {
  if (device::is_capturing(stream_)) {
    stage_ = Stage::in_graph;
  } else {
    end_.record(stream_);
    stage_ = Stage::in_stream;
  }
  scratch_.reset();  // given back in the order of the stream
}

bool NcclOperation::advance() {
  switch (stage_) {
    case Stage::recorded:
      if (engine_.communicator_->aborted()) throw Error(Code::aborted, "the calls of its group have failed", context());
      return false;
    case Stage::in_graph:
      return true;
    case Stage::in_stream:
      if (left_) return true;
      if (!end_.reached(context())) return false;
      // Work that NCCL gave up is over on the device, too: NCCL alone knows that it came to nothing.
      if (!engine_.communicator_->aborted()) engine_.communicator_->settled(context());
      return true;
  }
  return false;
}

bool NcclOperation::passed() const noexcept {
  if (stage_ != Stage::in_stream) return true;
  try {
    return end_.reached({});
  } catch (const Error&) {
    return true;
  }
}

void NcclOperation::check_peers() {
  engine_.settings_.look(context());
  if (engine_.communicator_->aborted()) {
    throw Error(Code::aborted, "another call of this communicator has failed", context());
  }
  engine_.communicator_->settled(context());
}

std::exception_ptr NcclOperation::timed_out() { return late("its end on the device", -1, timeout_, context()); }

void NcclOperation::before(Stream stream) const {
  if (stage_ != Stage::in_stream) {
    throw Error(Code::unsupported, "a call that is captured into a graph has no end yet",
                {.operation = describe(request_), .engine = "nccl", .remedy = "order the streams by the graph itself"});
  }
  const device::OnDevice here(engine_.communicator_->device());
  end_.before(stream);
}

/// On the caller's stream it is in order; the stream, or the communicator's end, will show what became of it.
void NcclOperation::leave() noexcept { left_ = request_.options.stream.has_value(); }

void NcclOperation::released(const std::exception_ptr& unseen) noexcept {
  if (unseen != nullptr) engine_.trouble_.remember_unseen(unseen);
  (passed() ? engine_.idle_ : engine_.left_).push_back(this);
}

}  // namespace tutti::nccl
