#include "tutti/simulation.hpp"

#include <fmt/format.h>

#include <utility>

#include "tutti/base/error.hpp"
#include "tutti/choose/price_cluster.hpp"

namespace tutti {

namespace {

Cluster alone(const Topology& machine) {
  ClusterParts parts;
  parts.name = machine.name();
  parts.source = machine.source();
  parts.nodes.push_back({.machine = machine.name(), .topology = machine});
  parts.fabric.rails = static_cast<int>(machine.all(DeviceKind::nic).size());
  return Cluster(std::move(parts));
}

bool in_parts_of_ranks(Collective collective) {
  switch (collective) {
    case Collective::all_gather:
    case Collective::reduce_scatter:
    case Collective::all_to_all:
    case Collective::gather:
    case Collective::scatter:
      return true;
    default:
      return false;
  }
}

}  // namespace

Simulation::Simulation(Cluster cluster, std::int64_t ranks, Scenario scenario)
    : cluster_(std::move(cluster)),
      scenario_(std::move(scenario)),
      size_(choose::platform_of(cluster_, ranks).ranks()) {
  scenario_.ranks = size_;
}

Simulation::Simulation(const Topology& machine, std::int64_t ranks, Scenario scenario)
    : Simulation(alone(machine), ranks, std::move(scenario)) {}

SimulatedRun Simulation::submit(const Request& request) const {
  if (!request.counts.empty() || !request.receive_counts.empty()) {
    throw Error(Code::unsupported, fmt::format("{} cannot be simulated", name(request.collective)),
                {.remedy = "simulate the even one with the largest count"});
  }
  Scenario scenario = scenario_;
  scenario.collective = request.collective;
  scenario.bytes = request.count * request.element_size;
  if (in_parts_of_ranks(request.collective)) scenario.bytes *= static_cast<std::size_t>(size_);
  if (request.options.algorithm != Algorithm::automatic) {
    scenario.algorithm = request.options.algorithm;
    scenario.arrangement = Arrangement::flat;
  }
  return simulate(cluster_, scenario);
}

}  // namespace tutti
