/// @file  One collective on one cluster, from the scenario to the result.
#include "run/simulated/needs.hpp"
#include "tutti/choose/price_cluster.hpp"
#include "tutti/run/simulated.hpp"

namespace tutti {

void expect_to_fit(const Cluster& cluster, const Scenario& asked, std::uint64_t most_bytes) {
  using namespace simulated;
  const choose::Platform platform = choose::platform_of(cluster, asked.ranks, asked.network);
  check(asked, platform);
  if (platform.ranks() == 1) return;
  const Plan plan = plan_of(with_choice(asked, platform), platform, cluster.fabric());
  refuse_beyond(needs_of(plan, platform), plan.symmetry.any(), most_bytes);
}

SimulatedRun simulate(const Cluster& described, const Scenario& asked, std::uint64_t most_bytes,
                      const std::function<void(double)>& progress) {
  using namespace simulated;
  const choose::Platform platform = choose::platform_of(described, asked.ranks, asked.network);
  const Cluster cluster = asked.network == NetworkSettings{} ? described : with(described, asked.network);
  check(asked, platform);
  const Scenario scenario = with_choice(asked, platform);
  SimulatedRun result;
  result.ranks = platform.ranks();
  if (result.ranks == 1) {
    result.us = choose::shipped_coefficients().start_us;
    result.time_ps = picoseconds(result.us);
    result.simulated_ranks = 1;
    result.bottleneck = "kernel start";
    return result;
  }
  const Plan plan = plan_of(scenario, platform, cluster.fabric());
  refuse_beyond(needs_of(plan, platform), plan.symmetry.any(), most_bytes);
  Flows flows;
  Machine machine(scenario, cluster, platform, plan.symmetry, flows);
  Run run(scenario, plan, machine, flows);
  Run* const all[] = {&run};
  play(all, flows, progress);
  tell(result, scenario, plan, run);
  result.loads = machine.loads(result.time_ps);
  result.bottleneck = bottleneck_of(result);
  if (asked.algorithm == Algorithm::automatic) result.notes.emplace_back("automatic is what is cheapest by price");
  return result;
}

}  // namespace tutti
