#include "run/host/host_operation.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "tutti/base/error.hpp"

namespace tutti::host {

bool HostOperation::advance() {
  if (stage_ != Stage::playing) {
    if (stage_ == Stage::queued && line_->ended == turn_ && engine_.check_plan_ == nullptr) {
      play(*plan_);
    } else if (!comes_to_play()) {
      return false;
    }
  }
  for (;;) {
    switch (run_.advance(engine_.team_)) {
      case ScheduleRun::Progress::blocked:
        set_watch(run_.watch(engine_.team_));
        set_progress(run_.moves());
        return false;
      case ScheduleRun::Progress::finished:
        ++line_->ended;
        return true;
      case ScheduleRun::Progress::closed:
        play_without_window();
        break;
    }
  }
}

/// What comes before the schedule; true when that has begun.
bool HostOperation::comes_to_play() {
  if (stage_ == Stage::queued) {
    if (line_->ended != turn_) return false;
    if (engine_.check_plan_ != nullptr && !is_pairwise(plan_->schedule.collective)) {
      begin_check();
    } else {
      play(*plan_);
    }
  }
  if (stage_ == Stage::checking) {
    if (run_.advance(engine_.team_) != ScheduleRun::Progress::finished) return false;
    compare([&] { expect_equal({signatures_.data() + 1, signatures_.size() - 1}); });
    if (plan_->schedule.collective == Collective::all_to_all_v) {
      begin_table_check();
    } else {
      play(*plan_);
    }
  }
  if (stage_ == Stage::checking_tables) {
    if (run_.advance(engine_.team_) != ScheduleRun::Progress::finished) return false;
    const auto size = static_cast<std::size_t>(engine_.team_.size());
    compare([&] { expect_tables_agree({tables_.data() + 2 * size, 2 * size * size}, size); });
    play(*plan_);
  }
  return true;
}

void HostOperation::play_without_window() {
  if (plan_->without_window == nullptr) {
    const Decision decision = decide_without_window(plan_->request, engine_.facts_);
    plan_->without_window = std::make_unique<HostPreparation>(decision, request(), engine_.team_);
  }
  play(*plan_->without_window);
}

/// What does not match is found by all ranks at the same time, before anything has begun: so it does no harm.
template <class Check>
void HostOperation::compare(const Check& check) {
  harmless_ = true;
  try {
    check();
  } catch (const Error& error) {
    throw error.with({.rank = engine_.team_.rank()});
  }
  harmless_ = false;
}

void HostOperation::begin_check() {
  stage_ = Stage::checking;
  signatures_.resize(1 + static_cast<std::size_t>(engine_.team_.size()));
  signatures_[0] = signature_of(request(), turn_);
  run_.begin(*engine_.check_plan_, signatures_.data(), signatures_.data() + 1, *op_, engine_.team_);
}

void HostOperation::begin_table_check() {
  stage_ = Stage::checking_tables;
  const auto size = static_cast<std::size_t>(engine_.team_.size());
  if (engine_.table_check_plan_ == nullptr) {
    engine_.table_check_plan_ =
        std::make_unique<HostPreparation>(Collective::all_gather, 2 * size * sizeof(std::uint64_t), engine_.team_);
  }
  tables_.resize((1 + size) * 2 * size);
  const Request& asked = plan_->request;
  std::copy(asked.counts.begin(), asked.counts.end(), tables_.begin());
  std::copy(asked.receive_counts.begin(), asked.receive_counts.end(),
            tables_.begin() + static_cast<std::ptrdiff_t>(size));
  run_.begin(*engine_.table_check_plan_, tables_.data(), tables_.data() + 2 * size, *op_, engine_.team_);
}

Request HostOperation::request() const {
  Request request = plan_->request;
  request.in = in_;
  request.out = out_;
  request.op = *op_;
  request.options.timeout = timeout_;
  return request;
}

Context HostOperation::context() const {
  const HostPreparation& played = stage_ == Stage::playing ? run_.plan() : *plan_;
  return {.rank = engine_.team_.rank(), .operation = describe(request()), .engine = describe(played.decision)};
}

void HostOperation::check_peers() {
  if (const int rank = engine_.team_.given_up_by(); rank >= 0) throw_peer_gave_up(rank, context());
  if (const int rank = engine_.team_.given_up_above(); rank >= 0) throw_gave_up_above(rank, context());
  if (stage_ == Stage::queued) return;
  const int peer = run_.awaited_peer(engine_.team_);
  if (const std::string how = peer_watch_.gone(engine_.team_.presence(), peer); !how.empty()) {
    throw_peer_lost(peer, how, context());
  }
}

std::exception_ptr HostOperation::timed_out() {
  if (stage_ == Stage::queued) return late("its turn after earlier calls", -1, timeout_, context());
  const ScheduleRun::Awaited awaited = run_.awaited(engine_.team_);
  return late(awaited.what, awaited.peer, timeout_, context());
}

void HostOperation::failed(const std::exception_ptr& error) noexcept {
  ++line_->ended;
  if (harmless_) return;
  engine_.trouble_.poison(error);
  engine_.team_.give_up();
}

void HostOperation::released_rarely(const std::exception_ptr& unseen) noexcept {
  if (unseen != nullptr) engine_.trouble_.remember_unseen(unseen);
  own_plan_.reset();
}

void HostOperation::released(const std::exception_ptr& unseen) noexcept {
  --plan_->users;
  if (unseen != nullptr || own_plan_ != nullptr) [[unlikely]]
    released_rarely(unseen);
  next_idle_ = std::exchange(engine_.idle_, this);
}

}  // namespace tutti::host
