#include "run/host/host_engine.hpp"

#include <fmt/format.h>

#include <utility>

#include "run/host/host_operation.hpp"
#include "tutti/base/error.hpp"

namespace tutti::host {

HostEngine::HostEngine(Team& team, ProgressLoop& loop, Facts facts, Settings settings)
    : team_(team),
      loop_(loop),
      facts_(facts),
      settings_(settings),
      pairwise_(2 * static_cast<std::size_t>(team.size())) {
  if (settings.check_across_ranks && team.size() > 1) {
    check_plan_ = std::make_unique<HostPreparation>(Collective::all_gather, sizeof(CallSignature), team);
  }
}

HostEngine::~HostEngine() = default;

HostEngine::Queue& HostEngine::queue_of(const Request& request) {
  if (!is_pairwise(request.collective)) return collectives_;
  const int direction = request.collective == Collective::send ? 0 : team_.size();
  return pairwise_[static_cast<std::size_t>(direction + request.root)];
}

void HostEngine::throw_trouble() {
  troubled_ = poison_ != nullptr;
  if (unseen_ != nullptr) [[unlikely]]
    std::rethrow_exception(std::exchange(unseen_, nullptr));
  if (poison_ == nullptr) [[likely]] {
    const int rank = team_.given_up_by();
    if (rank < 0) return;
    throw Error(Code::aborted, fmt::format("rank {} gave up this communicator", rank),
                {.rank = team_.rank(), .remedy = "look for that rank's own error, and make a new communicator"});
  }
  try {
    std::rethrow_exception(poison_);
  } catch (const std::exception& error) {
    throw Error(Code::aborted, std::string("an earlier call of this communicator failed: ") + error.what(),
                {.rank = team_.rank(), .remedy = "make a new communicator"});
  }
}

Operation& HostEngine::run(const Decision& decision, const Request& request, std::unique_ptr<Preparation>* memory) {
  if (troubled_ || team_.given_up_by() >= 0) [[unlikely]]
    throw_trouble();
  std::unique_ptr<HostPreparation> own;
  HostPreparation* plan = memory != nullptr ? static_cast<HostPreparation*>(memory->get()) : nullptr;
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
  operation.begin(request, *plan, queue_of(request));
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
