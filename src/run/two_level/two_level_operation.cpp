#include "run/two_level/two_level_operation.hpp"

#include <fmt/format.h>

#include <utility>

namespace tutti::two_level {

void TwoLevelOperation::begin(const Decision& decision, const Request& request, std::unique_ptr<Recipe> recipe,
                              TwoLevelEngine::Queue& queue) {
  decision_ = decision;
  request_ = request;
  recipe_ = std::move(recipe);
  queue_ = &queue;
  turn_ = queue.issued++;
  stage_ = Stage::queued;
  harmless_ = false;
  engine_.alarm_.start_waiting();
  start(engine_.loop_, request.options.timeout.count() < 0 ? engine_.settings_.timeout : request.options.timeout);
}

bool TwoLevelOperation::advance() {
  try {
    return advance_stages();
  } catch (const Error& error) {
    throw error.with(context());
  }
}

bool TwoLevelOperation::advance_stages() {
  if (stage_ == Stage::queued) {
    if (queue_->ended != turn_) return false;
    if (engine_.settings_.check_across_ranks && !is_pairwise(request_.collective)) {
      begin_check();
    } else {
      stage_ = Stage::playing;
      pipeline_.begin(std::move(recipe_));
    }
  }
  if (stage_ == Stage::checking) {
    if (!check_->test()) return false;
    check_.reset();
    harmless_ = true;
    host::expect_equal({signatures_->data() + 1, signatures_->size() - 1});
    harmless_ = false;
    stage_ = Stage::playing;
    pipeline_.begin(std::move(recipe_));
  }
  if (!pipeline_.advance(engine_.team_)) return false;
  ++queue_->ended;
  return true;
}

void TwoLevelOperation::begin_check() {
  stage_ = Stage::checking;
  Network& whole = *engine_.hosts_.whole;
  signatures_ = std::make_shared<std::vector<host::CallSignature>>(1 + static_cast<std::size_t>(whole.size()));
  signatures_->front() = host::signature_of(request_, turn_);
  Request exchange;
  exchange.collective = Collective::all_gather;
  exchange.count = sizeof(host::CallSignature);
  exchange.in = signatures_->data();
  exchange.out = signatures_->data() + 1;
  check_ = whole.start(exchange, nullptr, signatures_);
}

Context TwoLevelOperation::context() const {
  return {.rank = engine_.hosts_.rank(),
          .operation = describe(request_),
          .engine = describe(decision_),
          .peer = is_pairwise(request_.collective) ? request_.root : -1};
}

void TwoLevelOperation::check_peers() {
  const int rank = engine_.given_up_by();
  if (rank < 0) return;
  Context where = context();
  where.peer = rank;
  where.remedy = "look for that rank's own error; the communicator cannot be used any more";
  throw Error(Code::aborted, "it gave up", where);
}

std::exception_ptr TwoLevelOperation::timed_out() {
  Context where = context();
  where.remedy = "look at what that rank is doing, or allow more time (Options::timeout, TUTTI_CALL_TIMEOUT)";
  std::string what = "its turn after earlier calls";
  if (stage_ == Stage::checking) what = "the other ranks' calls, to be compared with this one";
  if (stage_ == Stage::playing) {
    const host::ScheduleRun::Awaited awaited = pipeline_.awaited(engine_.team_);
    const auto here = engine_.hosts_.placement.on(engine_.hosts_.here());
    if (awaited.peer >= 0) where.peer = here[static_cast<std::size_t>(awaited.peer)];
    what = awaited.what;
  }
  const auto timeout = request_.options.timeout.count() < 0 ? engine_.settings_.timeout : request_.options.timeout;
  return std::make_exception_ptr(
      Error(Code::timeout, fmt::format("{} did not come within {} ms", what, timeout.count()), where));
}

void TwoLevelOperation::failed(const std::exception_ptr& error) noexcept {
  ++queue_->ended;
  recipe_.reset();
  check_.reset();
  pipeline_.drop();
  if (harmless_) return;
  if (engine_.poison_ == nullptr) engine_.poison_ = error;
  engine_.give_up();
}

void TwoLevelOperation::released(const std::exception_ptr& unseen) noexcept {
  if (unseen != nullptr && engine_.unseen_ == nullptr) engine_.unseen_ = unseen;
  engine_.idle_.push_back(this);
}

}  // namespace tutti::two_level
