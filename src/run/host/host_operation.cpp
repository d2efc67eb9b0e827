#include "run/host/host_operation.hpp"

#include <fmt/format.h>

#include "run/shape.hpp"
#include "tutti/base/error.hpp"

namespace tutti::host {

void HostOperation::begin(const Decision& decision, const Request& request, HostEngine::Queue& queue) {
  decision_ = decision;
  request_ = request;
  queue_ = &queue;
  turn_ = queue.issued++;
  stage_ = Stage::queued;
  harmless_ = false;
  start(engine_.loop_, request.options.timeout.count() < 0 ? engine_.settings_.timeout : request.options.timeout);
}

bool HostOperation::advance() {
  if (stage_ == Stage::queued) {
    if (queue_->ended != turn_) return false;
    if (engine_.settings_.check_across_ranks && !is_pairwise(request_.collective) && engine_.team_.size() > 1) {
      begin_check();
    } else {
      begin_schedule();
    }
  }
  if (stage_ == Stage::checking) {
    if (run_.advance(engine_.team_) != ScheduleRun::Progress::finished) return false;
    harmless_ = true;
    expect_equal({signatures_.data() + 1, signatures_.size() - 1});
    harmless_ = false;
    begin_schedule();
  }
  for (;;) {
    switch (run_.advance(engine_.team_)) {
      case ScheduleRun::Progress::blocked:
        return false;
      case ScheduleRun::Progress::finished:
        ++queue_->ended;
        return true;
      case ScheduleRun::Progress::closed:
        decision_ = choose_without_window(request_, engine_.facts_);
        begin_schedule();
        break;
    }
  }
}

void HostOperation::begin_check() {
  stage_ = Stage::checking;
  const auto size = static_cast<std::size_t>(engine_.team_.size());
  signatures_.resize(1 + size);
  signatures_[0] = signature_of(request_, turn_);
  const plan::Schedule schedule{
      .collective = Collective::all_gather, .algorithm = Algorithm::one_shot, .size = engine_.team_.size()};
  const Operands operands{.in = reinterpret_cast<const std::byte*>(signatures_.data()),
                          .out = reinterpret_cast<std::byte*>(signatures_.data() + 1),
                          .in_bytes = sizeof(CallSignature),
                          .out_bytes = size * sizeof(CallSignature),
                          .element_size = 1};
  run_.begin(schedule, plan::Layout(schedule, engine_.team_.rank(), sizeof(CallSignature), 1), Protocol::packet,
             operands, engine_.team_);
}

void HostOperation::begin_schedule() {
  stage_ = Stage::playing;
  Team& team = engine_.team_;
  const plan::Schedule schedule{.collective = request_.collective,
                                .algorithm = decision_.algorithm,
                                .window = decision_.protocol == Protocol::window,
                                .size = team.size(),
                                .root = request_.root};
  const Shape shape = shape_of(request_, team.rank(), team.size());
  const bool reducing = reduces(request_.collective);
  const Operands operands{.in = static_cast<const std::byte*>(request_.in),
                          .out = static_cast<std::byte*>(request_.out),
                          .in_bytes = shape.in * request_.element_size,
                          .out_bytes = shape.out * request_.element_size,
                          .element_size = request_.element_size,
                          .loop = reducing ? loop_for(request_.type, request_.op) : nullptr,
                          .op = reducing ? &request_.op : nullptr};
  run_.begin(schedule,
             plan::Layout(schedule, team.rank(), request_.count, request_.element_size, request_.counts,
                          request_.receive_counts),
             decision_.protocol, operands, team);
}

Context HostOperation::context() const {
  return {.rank = engine_.team_.rank(), .operation = describe(request_), .engine = describe(decision_)};
}

void HostOperation::check_peers() {
  const int rank = engine_.team_.given_up_by();
  if (rank < 0) return;
  Context where = context();
  where.peer = rank;
  where.remedy = "look for that rank's own error; the communicator cannot be used any more";
  throw Error(Code::aborted, "it gave up", where);
}

std::exception_ptr HostOperation::timed_out() {
  Context where = context();
  where.remedy = "look at what that rank is doing, or allow more time (Options::timeout, TUTTI_CALL_TIMEOUT)";
  std::string what = "its turn after earlier calls";
  if (stage_ != Stage::queued) {
    const ScheduleRun::Awaited awaited = run_.awaited(engine_.team_);
    where.peer = awaited.peer;
    what = awaited.what;
  }
  const auto timeout = request_.options.timeout.count() < 0 ? engine_.settings_.timeout : request_.options.timeout;
  return std::make_exception_ptr(
      Error(Code::timeout, fmt::format("{} did not come within {} ms", what, timeout.count()), where));
}

void HostOperation::failed(const std::exception_ptr& error) noexcept {
  ++queue_->ended;
  if (harmless_) return;
  if (engine_.poison_ == nullptr) engine_.poison_ = error;
  engine_.team_.give_up();
}

void HostOperation::released(const std::exception_ptr& unseen) noexcept {
  if (unseen != nullptr && engine_.unseen_ == nullptr) engine_.unseen_ = unseen;
  engine_.idle_.push_back(this);
}

}  // namespace tutti::host
