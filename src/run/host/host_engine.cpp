#include "run/host/host_engine.hpp"

#include <fmt/format.h>

#include <cassert>
#include <utility>

#include "run/host/host_operation.hpp"
#include "run/host/peer_watch.hpp"

namespace tutti::host {

HostEngine::HostEngine(Team& team, ProgressLoop& loop, Facts facts, Settings settings)
    : team_(team), loop_(loop), facts_(facts), settings_(settings), lines_(team.size()) {}

HostEngine::~HostEngine() = default;

void HostEngine::throw_trouble() {
  trouble_.rethrow(team_.rank());
  throw_if_lost("", {.rank = team_.rank()});
  throw_given_up(team_.given_up_by(), team_.rank());
}

void HostEngine::throw_if_lost(const std::string& more, const Context& where) const {
  const int lost = team_.given_up_over();
  if (lost < 0 || lost == team_.rank()) return;
  const std::string how = how_gone(team_.presence(), lost, true, team_.local().host);
  if (!how.empty())
    throw_peer_lost(lost, fmt::format("{}, as rank {} has found{}", how, team_.given_up_by(), more), where);
}

Operation& HostEngine::run(const Decision& decision, const Request& request, std::unique_ptr<Preparation>* memory) {
  if (trouble_.any() || team_.is_given_up()) [[unlikely]]
    throw_trouble();
  assert(memory == nullptr || *memory == nullptr || dynamic_cast<HostPreparation*>(memory->get()) != nullptr);
  if (idle_ == nullptr) [[unlikely]]
    add_operation();
  HostPreparation& plan = memory != nullptr && *memory != nullptr ? static_cast<HostPreparation&>(**memory)
                                                                  : prepare(decision, request, memory);
  HostOperation& operation = *idle_;
  idle_ = operation.next_idle_;
  operation.begin(request, plan, lines_.of(request));
  loop_.add(operation);
  return operation;
}

/// For this call and those like it, or for the operation that is to use it next alone.
HostPreparation& HostEngine::prepare(const Decision& decision, const Request& request,
                                     std::unique_ptr<Preparation>* memory) {
  auto plan = std::make_unique<HostPreparation>(decision, request, team_);
  HostPreparation& made = *plan;
  if (memory != nullptr) {
    *memory = std::move(plan);
  } else {
    idle_->keep(std::move(plan));
  }
  return made;
}

void HostEngine::add_operation() {
  operations_.push_back(std::make_unique<HostOperation>(*this));
  operations_.back()->next_idle_ = std::exchange(idle_, operations_.back().get());
}

void HostEngine::abort() noexcept {
  const auto lock = loop_.guard();
  team_.give_up();
}

}  // namespace tutti::host
