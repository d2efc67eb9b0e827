/// @file  What automatic means in a simulated run: the cheapest by price, of what can be simulated.
#include <fmt/format.h>

#include <algorithm>

#include "run/simulated/phases.hpp"
#include "tutti/base/error.hpp"

namespace tutti::simulated {

Scenario with_choice(const Scenario& scenario, const choose::Platform& platform) {
  Scenario chosen = scenario;
  const auto best_of = [&](Collective collective, std::size_t bytes, const choose::Platform& at,
                           std::vector<choose::Pattern> patterns) {
    const choose::Price best =
        choose::prices(collective, bytes, at, {.patterns = std::move(patterns), .protocols = {scenario.protocol}})
            .front();
    if (!best.possible()) {
      throw Error(Code::unsupported, fmt::format("no way of {} has a price here: {}", name(collective), best.excluded),
                  {.remedy = "name an algorithm"});
    }
    return best.pattern;
  };
  const auto algorithm_of = [](choose::Pattern pattern) {
    switch (pattern) {
      case choose::Pattern::tree:
        return Algorithm::tree;
      case choose::Pattern::one_shot:
        return Algorithm::one_shot;
      case choose::Pattern::two_shot:
        return Algorithm::two_shot;
      case choose::Pattern::halving_doubling:
        return Algorithm::halving_doubling;
      default:
        return Algorithm::ring;
    }
  };
  using choose::Pattern;
  const std::vector<Pattern> schedules{Pattern::ring, Pattern::tree, Pattern::one_shot, Pattern::two_shot,
                                       Pattern::halving_doubling};
  if (platform.ranks() == 1) return chosen;
  if (scenario.arrangement == Arrangement::flat && scenario.algorithm == Algorithm::automatic) {
    const Pattern pattern = best_of(scenario.collective, scenario.bytes, platform, {});
    chosen.algorithm = algorithm_of(pattern);
    if (pattern == Pattern::pat) chosen.arrangement = Arrangement::pat;
    if (pattern == Pattern::two_level) chosen.arrangement = Arrangement::two_level;
    if (pattern == Pattern::switch_reduction) chosen.arrangement = Arrangement::switch_reduction;
    if (pattern == Pattern::multicast || pattern == Pattern::multicast_tree)
      chosen.arrangement = Arrangement::multicast;
    if (pattern == Pattern::two_level || pattern == Pattern::switch_reduction) chosen.algorithm = Algorithm::automatic;
  }
  const auto gpus = static_cast<std::size_t>(platform.gpus);
  if (chosen.arrangement != Arrangement::flat && chosen.algorithm == Algorithm::automatic) {
    choose::Platform machine = platform;
    machine.nodes = 1;
    const bool one = platform.gpus == 1;
    chosen.algorithm = one ? Algorithm::ring
                           : algorithm_of(best_of(Collective::all_gather, scenario.bytes, machine,
                                                  {Pattern::ring, Pattern::one_shot}));
    if (chosen.algorithm == Algorithm::one_shot) chosen.algorithm = Algorithm::direct;
  }
  if (chosen.arrangement == Arrangement::two_level && chosen.between == Algorithm::automatic && platform.nodes > 1) {
    choose::Platform rail = platform;  // one GPU of each machine, with its share of the adapters
    rail.gpus = 1;
    rail.rails = 1;
    rail.rail_gbs = platform.network_gbs() / platform.gpus;
    chosen.between =
        algorithm_of(best_of(Collective::all_reduce, std::max<std::size_t>(1, scenario.bytes / gpus), rail, schedules));
  }
  return chosen;
}

}  // namespace tutti::simulated
