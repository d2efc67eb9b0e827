#include "run/simulated/needs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tutti/base/error.hpp"
#include "tutti/base/units.hpp"

namespace tutti::simulated {

namespace {

std::string phase_name(const Phase& phase) {
  const char* among = phase.among == Phase::Among::all      ? ""
                      : phase.among == Phase::Among::inside ? " GPUs of a machine"
                                                            : " machines";
  const std::string_view by = phase.by == Phase::By::pat          ? "pat"
                              : phase.by == Phase::By::the_switch ? "switches"
                                                                  : name(phase.schedule.algorithm);
  return fmt::format("{} by {} among {}{}", name(phase.schedule.collective), by, phase.schedule.size, among);
}

}  // namespace

Needs needs_of(const Plan& plan, const choose::Platform& at) {
  Needs of_rank;
  constexpr std::uint64_t of_actor = 96;
  constexpr std::uint64_t of_wire = 160;  // with its hops, its place in the table, and the flow on it
  for (const Phase& phase : plan.phases) {
    for (int lane = 0; lane < phase.lanes(); ++lane) {
      const int steps = phase.steps(0, lane);
      // Of long lanes a few steps tell: rings send one message in each.
      const int looked_at = std::min(steps, 4096);
      std::uint64_t sent = 0;
      for (int i = 0; i < looked_at; ++i) sent += static_cast<std::uint64_t>(phase.step(0, lane, i).to.count);
      if (phase.by == Phase::By::the_switch) sent *= 2;  // it answers every message
      const auto peers = std::min<std::uint64_t>(sent, static_cast<std::uint64_t>(phase.schedule.size));
      const bool ring = phase.by == Phase::By::plan && phase.schedule.algorithm == Algorithm::ring;
      of_rank.bytes += of_actor + of_wire * (ring ? 1 : peers);
      if (looked_at > 0)
        of_rank.messages += sent * static_cast<std::uint64_t>(steps) / static_cast<std::uint64_t>(looked_at);
    }
  }
  const auto nodes = static_cast<std::uint64_t>(plan.symmetry.any() ? 1 : at.nodes);
  const auto channels = static_cast<std::uint64_t>(plan.symmetry.channels ? 1 : plan.channels);
  const std::uint64_t ranks = nodes * static_cast<std::uint64_t>(at.gpus) * channels;
  return {ranks * of_rank.bytes, ranks * of_rank.messages * static_cast<std::uint64_t>(plan.chunks)};
}

void refuse_beyond(const Needs& needs, bool alike, std::uint64_t most_bytes) {
  constexpr std::uint64_t most_messages = 2'000'000'000;
  const char* remedy =
      alike ? "fewer ranks or chunks"
            : "fewer ranks or chunks, or a scenario in which machines are alike: no stragglers, failures or "
              "skew, and ring, direct, or halving_doubling among a power of two";
  if (needs.bytes > most_bytes) {
    throw Error(Code::resource,
                fmt::format("the simulation would need about {} of memory; {} are allowed", format_bytes(needs.bytes),
                            format_bytes(most_bytes)),
                {.remedy = remedy});
  }
  if (needs.messages > most_messages) {
    throw Error(Code::resource, fmt::format("the simulation would follow {} messages one by one", needs.messages),
                {.remedy = remedy});
  }
}

std::string bottleneck_of(const SimulatedRun& run) {
  constexpr double busy = 0.5;
  if (run.loads.empty() || run.loads.front().busiest < busy) return "latency";
  return run.loads.front().name;
}

void tell(SimulatedRun& result, const Scenario& scenario, const Plan& plan, Run& run) {
  result.time_ps = run.end() + picoseconds(choose::shipped_coefficients().start_us);
  result.us = microseconds(result.time_ps);
  result.algorithm_gbs = static_cast<double>(scenario.bytes) / result.us / 1e3;
  result.bus_gbs = result.algorithm_gbs * choose::bus_factor(scenario.collective, static_cast<int>(result.ranks));
  result.simulated_ranks = run.simulated_ranks();
  result.events = run.events();
  result.messages = run.messages();
  result.channels = plan.channels;
  result.chunks = plan.chunks;
  for (const Phase& phase : plan.phases) result.phases.push_back(phase_name(phase));
  result.notes = plan.notes;
  result.trace = run.take_trace();
}

}  // namespace tutti::simulated
