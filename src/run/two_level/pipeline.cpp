#include "run/two_level/pipeline.hpp"

#include <fmt/format.h>

#include <utility>

namespace tutti::two_level {

void Pipeline::begin(Recipe& recipe) {
  recipe_ = &recipe;
  asked_ = {};
  tick_ = 0;
  stage_ = 0;
  running_ = false;
  transfers_.clear();
  transfers_.resize(static_cast<std::size_t>(recipe_->stages()) * static_cast<std::size_t>(recipe_->depth()));
}

void Pipeline::drop() {
  transfers_.clear();
  if (recipe_ != nullptr) recipe_->end();
  recipe_ = nullptr;
  running_ = false;
}

bool Pipeline::advance(host::Team& team) {
  const int ticks = recipe_->rounds() + recipe_->depth() - 1;
  while (tick_ < ticks) {
    const int round = tick_ - recipe_->lag(stage_);
    if (round >= 0 && round < recipe_->rounds() && !stage_is_over(round, team)) {
      // Whoever waits lends the network a hand: some libraries move nothing on unless they are called.
      for (auto& pending : transfers_) arrived(pending);
      return false;
    }
    if (++stage_ == recipe_->stages()) {
      stage_ = 0;
      ++tick_;
    }
  }
  drop();
  return true;
}

bool Pipeline::arrived(std::unique_ptr<Transfer>& transfer) {
  if (transfer == nullptr) return true;
  bool done = true;
  try {
    done = transfer->test();
  } catch (...) {
    transfer.reset();
    throw;
  }
  if (done) transfer.reset();
  return done;
}

bool Pipeline::stage_is_over(int round, host::Team& team) {
  if (!running_) {
    if (stage_ > 0 && !arrived(transfer(stage_ - 1, round))) return false;
    const Action action = recipe_->act(round, stage_);
    if (const auto* remote = std::get_if<Remote>(&action)) {
      asked_ = *remote;
      transfer(stage_, round) = remote->network->start(remote->request, remote->loop, recipe_->staging());
      return true;
    }
    const auto* local = std::get_if<Local>(&action);
    if (local == nullptr) return true;
    run_.begin(*local->plan, local->in, local->out, *local->op, team);
    running_ = true;
  }
  if (run_.advance(team) != host::ScheduleRun::Progress::finished) return false;
  running_ = false;
  return true;
}

host::ScheduleRun::Awaited Pipeline::awaited(const host::Team& team) const {
  if (recipe_ == nullptr) return {"its end", -1};
  if (running_) return run_.awaited(team);
  if (asked_.network == nullptr) return {"its turn", -1};
  const int round = tick_ - recipe_->lag(stage_);
  return {fmt::format("{} by the network ({}, {} ranks; round {} of {})", name(asked_.request.collective),
                      asked_.network->name(), asked_.network->size(), round + 1, recipe_->rounds()),
          -1};
}

}  // namespace tutti::two_level
