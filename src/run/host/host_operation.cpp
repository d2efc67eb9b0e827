#include "run/host/host_operation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "tutti/base/error.hpp"

namespace tutti::host {

void HostOperation::begin(const Decision& decision, const Request& request, HostPreparation& plan,
                          std::unique_ptr<HostPreparation> own, HostEngine::Queue& queue) {
  decision_ = decision;
  request_ = request;
  plan_ = &plan;
  if (own != nullptr) own_plan_ = std::move(own);
  ++plan.users;
  queue_ = &queue;
  turn_ = queue.issued++;
  stage_ = Stage::queued;
  harmless_ = false;
  suspect_ = -1;
  start(engine_.loop_, request.options.timeout.count() < 0 ? engine_.settings_.timeout : request.options.timeout);
}

bool HostOperation::advance() {
  if (stage_ == Stage::queued) {
    if (queue_->ended != turn_) return false;
    if (engine_.check_plan_ != nullptr && !is_pairwise(request_.collective)) {
      begin_check();
    } else {
      begin_schedule(*plan_);
    }
  }
  if (stage_ == Stage::checking) {
    if (run_.advance(engine_.team_) != ScheduleRun::Progress::finished) return false;
    compare([&] { expect_equal({signatures_.data() + 1, signatures_.size() - 1}); });
    if (request_.collective == Collective::all_to_all_v) {
      begin_table_check();
    } else {
      begin_schedule(*plan_);
    }
  }
  if (stage_ == Stage::checking_tables) {
    if (run_.advance(engine_.team_) != ScheduleRun::Progress::finished) return false;
    const auto size = static_cast<std::size_t>(engine_.team_.size());
    compare([&] { expect_tables_agree({tables_.data() + 2 * size, 2 * size * size}, size); });
    begin_schedule(*plan_);
  }
  for (;;) {
    switch (run_.advance(engine_.team_)) {
      case ScheduleRun::Progress::blocked:
        set_watch(run_.watch(engine_.team_));
        return false;
      case ScheduleRun::Progress::finished:
        ++queue_->ended;
        return true;
      case ScheduleRun::Progress::closed:
        decision_ = choose_without_window(request_, engine_.facts_);
        if (plan_->without_window == nullptr) {
          plan_->without_window = std::make_unique<HostPreparation>(decision_, request_, engine_.team_);
        }
        begin_schedule(*plan_->without_window);
        break;
    }
  }
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
  signatures_[0] = signature_of(request_, turn_);
  run_.begin(*engine_.check_plan_, signatures_.data(), signatures_.data() + 1, request_.op, engine_.team_);
}

void HostOperation::begin_table_check() {
  stage_ = Stage::checking_tables;
  const auto size = static_cast<std::size_t>(engine_.team_.size());
  if (engine_.table_check_plan_ == nullptr) {
    engine_.table_check_plan_ =
        std::make_unique<HostPreparation>(Collective::all_gather, 2 * size * sizeof(std::uint64_t), engine_.team_);
  }
  tables_.resize((1 + size) * 2 * size);
  std::copy(request_.counts.begin(), request_.counts.end(), tables_.begin());
  std::copy(request_.receive_counts.begin(), request_.receive_counts.end(),
            tables_.begin() + static_cast<std::ptrdiff_t>(size));
  run_.begin(*engine_.table_check_plan_, tables_.data(), tables_.data() + 2 * size, request_.op, engine_.team_);
}

void HostOperation::begin_schedule(HostPreparation& plan) {
  stage_ = Stage::playing;
  run_.begin(plan, request_.in, request_.out, request_.op, engine_.team_);
}

Context HostOperation::context() const {
  return {.rank = engine_.team_.rank(), .operation = describe(request_), .engine = describe(decision_)};
}

void HostOperation::check_peers() {
  Context where;
  where.remedy = "look for that rank's own error; the communicator cannot be used any more";
  if (const int rank = engine_.team_.given_up_by(); rank >= 0) {
    where.peer = rank;
    throw Error(Code::aborted, "it gave up", where).with(context());
  }
  if (const int rank = engine_.team_.given_up_above(); rank >= 0) {
    throw Error(Code::aborted, fmt::format("rank {} of a communicator that this one was split from gave up", rank),
                where)
        .with(context());
  }
  if (stage_ != Stage::queued) check_presence();
}

/// Nobody waits for a rank that has gone. What it did before may still have to be looked at: so it takes two looks, and
/// between them the loop moves everything on.
void HostOperation::check_presence() {
  const int peer = run_.awaited_peer(engine_.team_);
  if (peer < 0) return;
  const auto now = std::chrono::steady_clock::now();
  const bool ask = suspect_ >= 0 || now >= next_ask_;
  if (ask) next_ask_ = now + std::chrono::milliseconds(20);
  const Presence& presence = engine_.team_.presence();
  const Presence::Of found = presence.of(peer, ask);
  if (std::exchange(suspect_, found == Presence::Of::here ? -1 : peer) != peer || found == Presence::Of::here) return;
  Context where = context();
  where.peer = peer;
  where.remedy = "look at how that rank ended; the communicator cannot be used any more";
  throw Error(Code::peer_lost,
              found == Presence::Of::left
                  ? "it has left the communicator without making this call"
                  : fmt::format("its process {} is gone", static_cast<long>(presence.process(peer))),
              where);
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
  engine_.troubled_ = true;
  engine_.team_.give_up();
}

void HostOperation::released(const std::exception_ptr& unseen) noexcept {
  if (unseen != nullptr) {
    if (engine_.unseen_ == nullptr) engine_.unseen_ = unseen;
    engine_.troubled_ = true;
  }
  --plan_->users;
  if (own_plan_ != nullptr) own_plan_.reset();
  engine_.idle_.push_back(this);
}

}  // namespace tutti::host
