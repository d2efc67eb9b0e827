#include "run/two_level/two_level_operation.hpp"

#include <utility>

namespace tutti::two_level {

void TwoLevelOperation::begin(const Decision& decision, const Request& request, Recipe& recipe,
                              std::unique_ptr<Recipe> own, CallLine& line) {
  recipe_ = &recipe;
  stage_ = Stage::queued;
  engine_.alarm_.start_waiting();
  decision_ = decision;
  request_ = request;
  if (own != nullptr) own_ = std::move(own);
  ++recipe.users;
  line_ = &line;
  turn_ = line.issued++;
  harmless_ = false;
  timeout_ = request.options.timeout.count() < 0 ? engine_.settings_.timeout : request.options.timeout;
  start(engine_.loop_, timeout_);
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
    if (line_->ended != turn_) return false;
    if (engine_.settings_.check_across_ranks && !is_pairwise(request_.collective)) {
      begin_check();
    } else {
      play();
    }
  }
  if (stage_ == Stage::checking) {
    if (!check_->test()) return false;
    check_.reset();
    harmless_ = true;
    host::expect_equal({signatures_->data() + 1, signatures_->size() - 1});
    harmless_ = false;
    play();
  }
  if (!pipeline_.advance(engine_.team_)) return false;
  ++line_->ended;
  return true;
}

void TwoLevelOperation::play() {
  stage_ = Stage::playing;
  recipe_->begin(request_, engine_.staging_);
  pipeline_.begin(*recipe_);
}

void TwoLevelOperation::begin_check() {
  stage_ = Stage::checking;
  Network& whole = *engine_.hosts_.whole;
  if (signatures_ == nullptr || signatures_.use_count() > 1) {  // a check that was given up may still write to them
    signatures_ = std::make_shared<std::vector<host::CallSignature>>(1 + static_cast<std::size_t>(whole.size()));
  }
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

std::exception_ptr TwoLevelOperation::timed_out() {
  std::string what = "its turn after earlier calls";
  int peer = -1;
  if (stage_ == Stage::checking) what = "the other ranks' calls, to be compared with this one";
  if (stage_ == Stage::playing) {
    const host::ScheduleRun::Awaited awaited = pipeline_.awaited(engine_.team_);
    what = awaited.what;
    if (awaited.peer >= 0) {
      peer = engine_.hosts_.placement.on(engine_.hosts_.here())[static_cast<std::size_t>(awaited.peer)];
    }
  }
  return late(what, peer, timeout_, context());
}

void TwoLevelOperation::failed(const std::exception_ptr& error) noexcept {
  ++line_->ended;
  check_.reset();
  pipeline_.drop();
  if (harmless_) return;
  engine_.trouble_.poison(error);
  engine_.give_up();
}

void TwoLevelOperation::released(const std::exception_ptr& unseen) noexcept {
  if (unseen != nullptr) engine_.trouble_.remember_unseen(unseen);
  --recipe_->users;
  if (own_ != nullptr) own_.reset();
  engine_.idle_.push_back(this);
}

}  // namespace tutti::two_level
