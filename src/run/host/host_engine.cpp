#include "run/host/host_engine.hpp"

#include <cassert>
#include <utility>

#include "run/host/host_operation.hpp"

namespace tutti::host {

HostEngine::HostEngine(Team& team, ProgressLoop& loop, Facts facts, Settings settings)
    : team_(team), loop_(loop), facts_(facts), settings_(settings), lines_(team.size()) {
  if (settings.check_across_ranks && team.size() > 1) {
    check_plan_ = std::make_unique<HostPreparation>(Collective::all_gather, sizeof(CallSignature), team);
  }
}

HostEngine::~HostEngine() = default;

void HostEngine::throw_trouble() {
  trouble_.rethrow(team_.rank());
  throw_given_up(team_.given_up_by(), team_.rank());
}

Operation& HostEngine::run(const Decision& decision, const Request& request, std::unique_ptr<Preparation>* memory) {
  if (trouble_.any() || team_.given_up_by() >= 0) [[unlikely]]
    throw_trouble();
  std::unique_ptr<HostPreparation> own;
  HostPreparation* plan = memory != nullptr ? static_cast<HostPreparation*>(memory->get()) : nullptr;
  assert(plan == nullptr || dynamic_cast<HostPreparation*>(memory->get()) == plan);
  if (plan == nullptr) [[unlikely]] {
    own = std::make_unique<HostPreparation>(decision, request, team_);
    plan = own.get();
    if (memory != nullptr) *memory = std::move(own);
  }
  if (idle_.empty()) [[unlikely]] {
    operations_.push_back(std::make_unique<HostOperation>(*this));
    idle_.reserve(operations_.size());  // so that giving one back cannot fail
    idle_.push_back(operations_.back().get());
  }
  HostOperation& operation = *idle_.back();
  idle_.pop_back();
  operation.begin(request, *plan, lines_.of(request));
  if (own != nullptr) [[unlikely]]
    operation.keep(std::move(own));
  loop_.add(operation);
  return operation;
}

void HostEngine::abort() noexcept {
  const auto lock = loop_.guard();
  team_.give_up();
}

}  // namespace tutti::host
