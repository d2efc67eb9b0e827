#include "tutti/simulation.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "tutti/base/error.hpp"
#include "tutti/base/units.hpp"
#include "tutti/choose/price_cluster.hpp"
#include "tutti/topology/cluster_of.hpp"

namespace tutti {

namespace {

constexpr std::size_t most_simulated_bytes = std::size_t{1} << 46;

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
    : Simulation(cluster_of(machine), ranks, std::move(scenario)) {}

SimulatedRun Simulation::submit(const Request& request) const {
  if (!request.counts.empty() || !request.receive_counts.empty()) {
    throw Error(Code::unsupported, fmt::format("{} cannot be simulated", name(request.collective)),
                {.remedy = "simulate the even one with the largest count"});
  }
  Scenario scenario = scenario_;
  scenario.collective = request.collective;
  const auto parts = in_parts_of_ranks(request.collective) ? static_cast<std::size_t>(size_) : 1;
  const std::size_t each = request.element_size * parts;
  if (each > 0 && request.count > most_simulated_bytes / each) {
    throw Error(Code::invalid_argument,
                fmt::format("{} elements of {} B and {} ranks: more than {} in total", request.count,
                            request.element_size, size_, format_bytes(most_simulated_bytes)),
                {.operation = std::string(name(request.collective)), .remedy = "simulate a smaller call"});
  }
  scenario.bytes = request.count * each;
  if (request.options.algorithm != Algorithm::automatic) {
    scenario.algorithm = request.options.algorithm;
    scenario.arrangement = Arrangement::flat;
  }
  return simulate(cluster_, scenario);
}

}  // namespace tutti
