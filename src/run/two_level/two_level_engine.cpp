#include "run/two_level/two_level_engine.hpp"

#include <utility>

#include "run/two_level/recipes.hpp"
#include "run/two_level/two_level_operation.hpp"
#include "tutti/base/error.hpp"

namespace tutti::two_level {

TwoLevelEngine::TwoLevelEngine(Hosts hosts, host::Team& team, ProgressLoop& loop, const Facts& here, Settings settings,
                               std::shared_ptr<Store> store)
    : hosts_(std::move(hosts)),
      team_(team),
      loop_(loop),
      here_(here),
      settings_(settings),
      alarm_(std::move(store), hosts_.rank()),
      pairwise_(2 * static_cast<std::size_t>(hosts_.placement.ranks())) {}

TwoLevelEngine::~TwoLevelEngine() = default;

TwoLevelEngine::Queue& TwoLevelEngine::queue_of(const Request& request) {
  if (!is_pairwise(request.collective)) return collectives_;
  const int direction = request.collective == Collective::send ? 0 : hosts_.placement.ranks();
  return pairwise_[static_cast<std::size_t>(direction + request.root)];
}

void TwoLevelEngine::throw_if_unfit() {
  if (unseen_ != nullptr) std::rethrow_exception(std::exchange(unseen_, nullptr));
  if (poison_ == nullptr) return;
  try {
    std::rethrow_exception(poison_);
  } catch (const std::exception& error) {
    throw Error(Code::aborted, std::string("an earlier call of this communicator failed: ") + error.what(),
                {.rank = hosts_.rank(), .remedy = "make a new communicator"});
  }
}

Operation& TwoLevelEngine::run(const Decision& decision, const Request& request, std::unique_ptr<Preparation>*) {
  throw_if_unfit();
  if (reduces(request.collective)) {
    if (const char* reason = host::unsupported(request.type, request.op)) {
      throw Error(Code::unsupported, reason,
                  {.operation = describe(request), .remedy = "docs/numerics.md lists the operators of each type"});
    }
  }
  auto recipe = recipe_for({hosts_, team_, here_, staging_, decision, request.options.protocol}, request);
  if (idle_.empty()) {
    operations_.push_back(std::make_unique<TwoLevelOperation>(*this));
    idle_.reserve(operations_.size());  // so that giving one back cannot fail
    idle_.push_back(operations_.back().get());
  }
  TwoLevelOperation& operation = *idle_.back();
  idle_.pop_back();
  operation.begin(decision, request, std::move(recipe), queue_of(request));
  loop_.add(operation);
  return operation;
}

void TwoLevelEngine::give_up() noexcept {
  team_.give_up();
  alarm_.ring();
}

int TwoLevelEngine::given_up_by() {
  const int neighbour = team_.given_up_by();
  if (neighbour >= 0) return hosts_.placement.on(hosts_.here())[static_cast<std::size_t>(neighbour)];
  return alarm_.rung_by();
}

void TwoLevelEngine::abort() noexcept {
  const auto lock = loop_.guard();
  give_up();
}

}  // namespace tutti::two_level
