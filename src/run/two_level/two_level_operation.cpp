#include "run/two_level/two_level_operation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tutti::two_level {

namespace {

/// Of so many bytes of every rank.
Request gather(std::size_t bytes, const void* mine, void* all) {
  Request request;
  request.collective = Collective::all_gather;
  request.count = bytes;
  request.in = mine;
  request.out = all;
  return request;
}

}  // namespace

void TwoLevelOperation::begin(const Decision& decision, const Request& request, Recipe& recipe,
                              std::unique_ptr<Recipe> own, CallLine& line) {
  recipe_ = &recipe;
  stage_ = Stage::queued;
  engine_.alarm_.start_waiting();
  peer_watch_.start();
  decision_ = decision;
  request_ = request;
  if (own != nullptr) own_ = std::move(own);
  ++recipe.users;
  line_ = &line;
  turn_ = line.issued++;
  harmless_ = false;
  queued_long_ = false;
  timeout_ = request.options.timeout.count() < 0 ? engine_.settings_.timeout : request.options.timeout;
  start(engine_.loop_, timeout_, engine_.settings_.recorder,
        engine_.settings_.recorder->enter(request, decision_, turn_, engine_.settings_.recorded_as));
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
    if (line_->ended != turn_) {
      queued_long_ = true;
      return false;
    }
    if (queued_long_) note_start();
    if (engine_.settings_.check_across_ranks && !is_pairwise(request_.collective)) {
      begin_check();
    } else {
      play();
    }
  }
  if (stage_ == Stage::checking) {
    if (!check_->test()) return false;
    compare([&] { host::expect_equal({signatures_->data() + 1, signatures_->size() - 1}); });
    if (request_.collective == Collective::all_to_all_v) {
      begin_table_check();
    } else {
      play();
    }
  }
  if (stage_ == Stage::checking_tables) {
    if (!check_->test()) return false;
    const auto size = static_cast<std::size_t>(engine_.hosts_.placement.ranks());
    compare([&] { host::expect_tables_agree({tables_->data() + 2 * size, 2 * size * size}, size); });
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

/// What does not match is found by all ranks, before anything has begun: so it does no harm.
template <class Check>
void TwoLevelOperation::compare(const Check& check) {
  check_.reset();
  harmless_ = true;
  check();
  harmless_ = false;
}

void TwoLevelOperation::begin_check() {
  stage_ = Stage::checking;
  Network& whole = *engine_.hosts_.whole;
  if (signatures_ == nullptr || signatures_.use_count() > 1) {  // a check that was given up may still write to them
    signatures_ = std::make_shared<std::vector<host::CallSignature>>(1 + static_cast<std::size_t>(whole.size()));
  }
  signatures_->front() = host::signature_of(request_, turn_);
  check_ = whole.start(gather(sizeof(host::CallSignature), signatures_->data(), signatures_->data() + 1), nullptr,
                       signatures_);
}

void TwoLevelOperation::begin_table_check() {
  stage_ = Stage::checking_tables;
  Network& whole = *engine_.hosts_.whole;
  const auto size = static_cast<std::size_t>(whole.size());
  if (tables_ == nullptr || tables_.use_count() > 1) {
    tables_ = std::make_shared<std::vector<std::uint64_t>>((1 + size) * 2 * size);
  }
  const auto rest = std::copy(request_.counts.begin(), request_.counts.end(), tables_->begin());
  std::copy(request_.receive_counts.begin(), request_.receive_counts.end(), rest);
  check_ = whole.start(gather(2 * size * sizeof(std::uint64_t), tables_->data(), tables_->data() + 2 * size), nullptr,
                       tables_);
}

Context TwoLevelOperation::context() const {
  return {.rank = engine_.hosts_.rank(),
          .operation = describe(request_),
          .engine = describe(decision_),
          .peer = is_pairwise(request_.collective) ? request_.root : -1};
}

Waiting TwoLevelOperation::waiting() const {
  switch (stage_) {
    case Stage::queued:
      return {.queued = true};
    case Stage::playing: {
      Waiting waiting = pipeline_.waiting(engine_.team_);
      if (waiting.awaited >= 0) waiting.awaited = engine_.rank_here(waiting.awaited);
      return waiting;
    }
    default:
      return {.flags = flight::comparing | flight::with_network};
  }
}

void TwoLevelOperation::check_peers() {
  if (const Alarm::Rung rung = engine_.given_up(); rung.by >= 0) {
    if (rung.above) throw_gave_up_above(rung.by, context());
    throw_peer_gave_up(rung.by, context());
  }
  if (stage_ != Stage::playing) return;
  const int peer = pipeline_.awaited_peer(engine_.team_);
  if (const std::string how = peer_watch_.gone(engine_.team_.presence(), peer, engine_.team_.local().host);
      !how.empty()) {
    throw_peer_lost(engine_.rank_here(peer), fmt::format("{}; it was call {} here", how, turn_ + 1), context());
  }
}

std::exception_ptr TwoLevelOperation::timed_out() {
  std::string what = "its turn after earlier calls";
  int peer = -1;
  if (stage_ == Stage::checking || stage_ == Stage::checking_tables)
    what = "the other ranks' calls, to be compared with this one";
  if (stage_ == Stage::playing) {
    const host::ScheduleRun::Awaited awaited = pipeline_.awaited(engine_.team_);
    what = awaited.what;
    if (awaited.peer >= 0) peer = engine_.rank_here(awaited.peer);
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
