#include "run/two_level/two_level_engine.hpp"

#include <cassert>
#include <utility>

#include "run/two_level/recipes.hpp"
#include "run/two_level/two_level_operation.hpp"
#include "tutti/base/error.hpp"

namespace tutti::two_level {

TwoLevelEngine::TwoLevelEngine(Hosts hosts, host::Team& team, ProgressLoop& loop, const Facts& here, Settings settings,
                               std::vector<std::shared_ptr<Store>> stores)
    : hosts_(std::move(hosts)),
      team_(team),
      loop_(loop),
      here_(here),
      settings_(settings),
      alarm_(std::move(stores), hosts_.rank()),
      lines_(hosts_.placement.ranks()) {}

TwoLevelEngine::~TwoLevelEngine() {
  if (team_.given_up_by() >= 0 || team_.given_up_above() >= 0) hosts_.keep_networks_for_ever();
}

Operation& TwoLevelEngine::run(const Decision& decision, const Request& request, std::unique_ptr<Preparation>* memory) {
  if (trouble_.any() || team_.given_up_by() >= 0) {
    trouble_.rethrow(hosts_.rank());
    if (const int local = team_.given_up_by(); local >= 0) throw_given_up(rank_here(local), hosts_.rank());
  }
  std::unique_ptr<Recipe> own;
  Recipe* recipe = memory != nullptr ? static_cast<Recipe*>(memory->get()) : nullptr;
  assert(recipe == nullptr || dynamic_cast<Recipe*>(memory->get()) == recipe);
  if (recipe == nullptr) {
    if (reduces(request.collective)) {
      if (const char* reason = host::unsupported(request.type, request.op)) {
        throw Error(Code::unsupported, reason,
                    {.operation = describe(request), .remedy = "docs/numerics.md lists the operators of each type"});
      }
    }
    own = recipe_for({hosts_, team_, here_, decision, request.options.protocol}, request);
    recipe = own.get();
    if (memory != nullptr) *memory = std::move(own);
  }
  if (idle_.empty()) {
    operations_.push_back(std::make_unique<TwoLevelOperation>(*this));
    idle_.reserve(operations_.size());  // so that giving one back cannot fail
    idle_.push_back(operations_.back().get());
  }
  TwoLevelOperation& operation = *idle_.back();
  idle_.pop_back();
  operation.begin(decision, request, *recipe, std::move(own), lines_.of(request));
  loop_.add(operation);
  return operation;
}

void TwoLevelEngine::give_up() noexcept {
  team_.give_up();
  alarm_.ring();
}

Alarm::Rung TwoLevelEngine::given_up() {
  if (const int neighbour = team_.given_up_by(); neighbour >= 0) return {rank_here(neighbour), false};
  if (const int rank = team_.given_up_above(); rank >= 0) return {rank, true};
  return alarm_.rung();
}

void TwoLevelEngine::abort() noexcept {
  const auto lock = loop_.guard();
  give_up();
}

}  // namespace tutti::two_level
