#include "run/host/host_operation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "tutti/base/error.hpp"

namespace tutti::host {

bool HostOperation::advance() {
  if (stage_ == Stage::queued) {
    if (line_->ended != turn_) {
      queued_long_ = true;
      return false;
    }
    if (queued_long_) [[unlikely]]
      note_start();
    if (show()) [[unlikely]] {
      begin_check();
    } else {
      play(*plan_);
    }
  }
  if (stage_ != Stage::playing && !comes_to_play()) return false;
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

/// What comes between its turn and the schedule; true when that has begun.
bool HostOperation::comes_to_play() {
  if (stage_ == Stage::checking) {
    if (run_.advance(engine_.team_) != ScheduleRun::Progress::finished) return false;
    compare([&] { expect_equal({signatures_.data() + 1, signatures_.size() - 1}); });
    if (plan_->schedule.collective == Collective::all_to_all_v && engine_.settings_.check_across_ranks) {
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

bool HostOperation::show() {
  if (is_pairwise(plan_->schedule.collective) || engine_.team_.size() == 1) return false;
  engine_.team_.arena().shown_call(engine_.team_.rank()).show(plan_->signature, turn_);
  engine_.history_ = history_after(plan_->signature_hash, engine_.history_);
  return engine_.compares(turn_);
}

/// Whoever has waited for long looks at what the others are in. Throws mismatch.
void HostOperation::compare_shown() const {
  if (stage_ != Stage::playing || is_pairwise(plan_->schedule.collective)) return;
  const Team& team = engine_.team_;
  CallSignature mine = plan_->signature;
  mine.sequence = turn_;
  for (int peer = 0; peer < team.size(); ++peer) {
    if (peer == team.rank()) continue;
    const auto theirs = team.arena().shown_call(peer).of(turn_);
    if (theirs && !(*theirs == mine)) throw_mismatch(team.rank(), mine, peer, *theirs);
  }
}

/// What does not match in this call is found by all ranks at the same time, before anything has begun: so it does no harm.
/// Where only some calls are compared, the others may have done some.
template <class Check>
void HostOperation::compare(const Check& check) {
  harmless_ = engine_.settings_.check_across_ranks;
  known_to_all_ = true;
  try {
    check();
  } catch (const Error& error) {
    throw error.with({.rank = engine_.team_.rank()});
  }
  harmless_ = known_to_all_ = false;
}

void HostOperation::begin_check() {
  stage_ = Stage::checking;
  signatures_.resize(1 + static_cast<std::size_t>(engine_.team_.size()));
  signatures_[0] = plan_->signature;
  signatures_[0].sequence = turn_;
  // Where each call is compared, none before this one is in doubt: those that were not alike have failed everywhere.
  signatures_[0].history = engine_.settings_.check_across_ranks ? 0 : engine_.history_;
  if (engine_.check_plan_ == nullptr) [[unlikely]] {
    engine_.check_plan_ =
        std::make_unique<HostPreparation>(Collective::all_gather, sizeof(CallSignature), engine_.team_);
  }
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

Waiting HostOperation::waiting() const {
  if (stage_ == Stage::queued) return {.queued = true};
  Waiting waiting = run_.waiting(engine_.team_);
  if (stage_ != Stage::playing) waiting.flags |= flight::comparing;
  return waiting;
}

void HostOperation::check_peers() {
  try {
    compare_shown();
  } catch (const Error& error) {
    throw error.with(context());
  }
  if (const int rank = engine_.team_.given_up_by(); rank >= 0) {
    engine_.throw_if_lost(fmt::format("; it was call {} here", turn_ + 1), context());
    throw_peer_gave_up(rank, context());
  }
  if (const int rank = engine_.team_.given_up_above(); rank >= 0) throw_gave_up_above(rank, context());
  if (stage_ == Stage::queued) return;
  const int peer = run_.awaited_peer(engine_.team_);
  if (const std::string how = peer_watch_.gone(engine_.team_.presence(), peer, engine_.team_.local().host);
      !how.empty()) {
    throw_peer_lost(peer, fmt::format("{}; it was call {} here", how, turn_ + 1), context());
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
  if (!known_to_all_) engine_.team_.give_up(lost_in(error));
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
