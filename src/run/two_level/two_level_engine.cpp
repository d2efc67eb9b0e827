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
      lines_(hosts_.placement.ranks()) {}

TwoLevelEngine::~TwoLevelEngine() {
  if (team_.given_up_by() >= 0) hosts_.keep_networks_for_ever();
}

Operation& TwoLevelEngine::run(const Decision& decision, const Request& request, std::unique_ptr<Preparation>* memory) {
  if (trouble_.any() || team_.given_up_by() >= 0) {
    trouble_.rethrow(hosts_.rank());
    throw_given_up(given_up_by(), hosts_.rank());
  }
  std::unique_ptr<Recipe> own;
  Recipe* recipe = memory != nullptr ? static_cast<Recipe*>(memory->get()) : nullptr;
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
