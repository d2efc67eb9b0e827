#include <optional>

#include "cli/cluster_named.hpp"
#include "cli/simulate_options.hpp"
#include "cli/sweep_measure.hpp"
#include "tutti/base/error.hpp"
#include "tutti/choose/price_cluster.hpp"

namespace tutti::sweep {

namespace {

std::optional<choose::Pattern> pattern_named(const std::string& text) {
  for (int i = 0; i < choose::pattern_count; ++i) {
    const auto pattern = static_cast<choose::Pattern>(i);
    if (name(pattern) == text) return pattern;
  }
  return std::nullopt;
}

}  // namespace

std::int64_t simulated_ranks(const SweepPlan& plan) {
  return choose::platform_of(cli::cluster_named(plan.where, plan.nodes), plan.ranks).ranks();
}

Outcome simulate_one(const SweepPlan& plan, const Combination& combination) {
  const auto pattern = pattern_named(combination.algorithm);
  Outcome outcome;
  outcome.cells.resize(plan.sizes.size());
  const Cluster cluster = cli::cluster_named(plan.where, plan.nodes);
  Scenario scenario = cli::scenario_of({.algorithm = combination.algorithm,
                                        .protocol = combination.protocol,
                                        .ranks = plan.ranks,
                                        .channels = combination.channels,
                                        .failures = plan.failures,
                                        .settings = combination.set()});
  const choose::Platform platform = choose::platform_of(cluster, plan.ranks, scenario.network);
  for (std::size_t size = 0; size < plan.sizes.size(); ++size) {
    Cell& cell = outcome.cells[size];
    scenario.bytes = plan.sizes[size];
    choose::Price price;
    if (pattern) price = choose::price(Collective::all_reduce, scenario.bytes, *pattern, scenario.protocol, platform);
    if (!price.possible()) {  // a protocol that no link here carries, or a switch that does not reduce
      outcome.excluded = price.excluded;
      return outcome;
    }
    cell.spread = price.uncertainty;
    try {
      cell.us = {simulate(cluster, scenario).us};
    } catch (const Error& error) {
      if (error.code() == Code::invalid_argument) throw;
      outcome.excluded = error.reason();
      return outcome;
    }
  }
  return outcome;
}

}  // namespace tutti::sweep
