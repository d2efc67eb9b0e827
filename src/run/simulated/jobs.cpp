/// @file  Several jobs at once on one cluster: each a run of its own, over flows that they share.
#include <fmt/format.h>

#include <map>
#include <memory>
#include <utility>

#include "run/simulated/needs.hpp"
#include "run/simulated/run.hpp"
#include "tutti/base/error.hpp"
#include "tutti/choose/price_cluster.hpp"
#include "tutti/run/simulated.hpp"

namespace tutti {

namespace {

using namespace simulated;

[[noreturn]] void refuse_jobs(const std::string& what, const char* remedy) {
  throw Error(Code::invalid_argument, what, {.operation = "simulating jobs", .remedy = remedy});
}

void expect_apart(const Cluster& cluster, const std::vector<Job>& jobs) {
  if (jobs.empty()) refuse_jobs("there is no job", "name one");
  if (jobs.size() > static_cast<std::size_t>(Run::most_runs)) {
    refuse_jobs(fmt::format("{} jobs", jobs.size()), "at most 16");
  }
  std::map<std::int64_t, std::size_t> owner;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    if (jobs[j].machines.empty()) refuse_jobs(fmt::format("job {} has no machine", j), "name its machines");
    for (const std::int64_t machine : jobs[j].machines) {
      if (machine < 0 || machine >= cluster.node_count()) {
        refuse_jobs(fmt::format("job {}: there is no machine {} among {}", j, machine, cluster.node_count()),
                    "machines are numbered from 0");
      }
      const auto [found, fresh] = owner.try_emplace(machine, j);
      if (!fresh) {
        refuse_jobs(fmt::format("machine {} is in job {} and in job {}", machine, found->second, j),
                    "a machine serves one job");
      }
    }
    const Arrangement arrangement = jobs[j].scenario.arrangement;
    if (arrangement == Arrangement::multicast || arrangement == Arrangement::switch_reduction) {
      throw Error(Code::unsupported, fmt::format("job {}: switches that reduce are not simulated beside other jobs", j),
                  {.remedy = "simulate it alone, or name another algorithm"});
    }
    if (jobs[j].scenario.protocol != jobs.front().scenario.protocol) {
      refuse_jobs(fmt::format("job {} has another protocol than job 0", j), "give all the same");
    }
  }
}

/// A job as its run needs it: these refer to one another, so they stay where they are.
struct Prepared {
  Scenario scenario;
  choose::Platform platform;
  Plan plan;
  std::unique_ptr<Run> run;
};

}  // namespace

std::vector<SimulatedRun> simulate_jobs(const Cluster& described, const std::vector<Job>& jobs,
                                        std::uint64_t most_bytes, const std::function<void(double)>& progress) {
  expect_apart(described, jobs);
  const Scenario& common = jobs.front().scenario;
  const Cluster cluster = common.network == NetworkSettings{} ? described : with(described, common.network);
  const choose::Platform all = choose::platform_of(described, 0, common.network);
  std::vector<Prepared> prepared;
  Needs needs;
  for (const Job& job : jobs) {
    Prepared& each = prepared.emplace_back();
    each.scenario = job.scenario;
    each.scenario.symmetry = false;
    each.scenario.ranks = static_cast<std::int64_t>(job.machines.size()) * all.gpus;
    each.platform = choose::platform_of(described, each.scenario.ranks, common.network);
    check(each.scenario, each.platform);
    if (each.platform.ranks() == 1) refuse_jobs("a job of one GPU has nobody to talk to", "give it more machines");
    // Beside other jobs no switch reduces; automatic may not choose that.
    choose::Platform plain = each.platform;
    plain.multicast = plain.switch_reduces = false;
    each.scenario = with_choice(each.scenario, plain);
    each.plan = plan_of(each.scenario, each.platform, cluster.fabric());
    const Needs more = needs_of(each.plan, each.platform);
    needs.bytes += more.bytes;
    needs.messages += more.messages;
  }
  refuse_beyond(needs, false, most_bytes);

  Flows flows;
  Scenario of_links = common;
  of_links.arrangement = Arrangement::flat;
  Machine machine(of_links, cluster, all, Symmetry{.nodes = all.nodes}, flows);
  std::vector<Run*> runs;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    Prepared& each = prepared[j];
    each.run = std::make_unique<Run>(each.scenario, each.plan, machine, flows, jobs[j].machines, static_cast<int>(j));
    runs.push_back(each.run.get());
  }
  play(runs, flows, progress);

  Time end = 0;
  std::vector<SimulatedRun> results(jobs.size());
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    results[j].ranks = prepared[j].platform.ranks();
    tell(results[j], prepared[j].scenario, prepared[j].plan, *runs[j]);
    end = std::max(end, results[j].time_ps);
  }
  for (SimulatedRun& result : results) {
    result.loads = machine.loads(end);
    result.bottleneck = bottleneck_of(result);
  }
  return results;
}

}  // namespace tutti
