/// @file  The beginning of a run: who takes part, who is late or slow, and what will fail.
#include <random>
#include <utility>

#include "run/simulated/run.hpp"

namespace tutti::simulated {

Run::Run(const Scenario& scenario, const Plan& plan, Machine& machine, Flows& flows, std::vector<std::int64_t> place,
         int number)
    : scenario_(scenario),
      plan_(plan),
      machine_(machine),
      flows_(flows),
      place_(std::move(place)),
      number_(number),
      gpus_(machine.gpus()),
      nodes_(plan.symmetry.any() ? 1
                                 : static_cast<std::int32_t>(
                                       place_.empty() ? machine.nodes() : static_cast<std::int64_t>(place_.size()))) {
  std::int32_t lanes = 0;
  for (const Phase& phase : plan.phases) {
    first_of_phase_.push_back(lanes);
    lanes += phase.lanes();
  }
  first_of_phase_.push_back(lanes);
  const int channels = plan.symmetry.channels ? 1 : plan.channels;
  actors_.reserve(static_cast<std::size_t>(nodes_) * static_cast<std::size_t>(gpus_ * channels * lanes));
  for (std::int32_t node = 0; node < nodes_; ++node) {
    for (int local = 0; local < gpus_; ++local) {
      for (int channel = 0; channel < channels; ++channel) add_actors({node, local}, channel);
    }
  }
  std::mt19937_64 random(scenario.seed);
  if (scenario.skew_us > 0) {
    std::uniform_int_distribution<Time> late(0, picoseconds(scenario.skew_us));
    const std::size_t each = actors_.size() / static_cast<std::size_t>(nodes_ * gpus_);
    for (std::size_t first = 0; first < actors_.size(); first += each) {
      const Time from = late(random);
      for (std::size_t a = first; a < first + each; ++a) actors_[a].from = from;
    }
  }
  for (const Straggler& slow : scenario.stragglers) {
    const std::size_t each = actors_.size() / static_cast<std::size_t>(nodes_ * gpus_);
    const auto first = static_cast<std::size_t>(slow.rank) * each;
    for (std::size_t a = first; a < first + each; ++a) actors_[a].from += picoseconds(slow.late_us);
    if (slow.share == 1) continue;
    const Gpu gpu{place_of(slow.rank / gpus_), static_cast<int>(slow.rank % gpus_)};
    for (const int link : machine.gpu_links(gpu)) {
      flows.set_capacity(link, static_cast<Rate>(static_cast<double>(machine.gpu_rate()) * slow.share));
    }
    if (machine.nodes() == 1) continue;
    const int rail = gpu.local * machine.rails() / gpus_;
    for (const int link : machine.adapter_links(gpu.node, rail)) {
      flows.set_capacity(link, static_cast<Rate>(static_cast<double>(machine.adapter_rate(rail)) * slow.share));
    }
  }
  for (int channel = 0; channel < channels; ++channel) add_switches(channel);
  unfinished_ = static_cast<std::int64_t>(actors_.size());
  for (std::size_t f = 0; f < scenario.failures.size(); ++f) {
    const LinkFailure& failure = scenario.failures[f];
    at(picoseconds(failure.at_us), What::link_fails, f);
    if (failure.back_us > 0) {
      at(picoseconds(failure.back_us), What::link_back, f);
    } else if (failure.failover_us > 0) {
      at(picoseconds(failure.at_us + failure.failover_us), What::link_moves, f);
    }
  }
}

void Run::add_actors(const Gpu& gpu, int channel) {
  for (std::size_t p = 0; p < plan_.phases.size(); ++p) {
    const Phase& phase = plan_.phases[p];
    const int rank = phase.rank_of(gpu, gpus_, channel * plan_.shift);
    for (int lane = 0; lane < phase.lanes(); ++lane) {
      Actor a;
      a.node = static_cast<std::int32_t>(gpu.node);
      a.local = static_cast<std::int16_t>(gpu.local);
      a.channel = static_cast<std::int8_t>(channel);
      a.phase = static_cast<std::int8_t>(p);
      a.lane = static_cast<std::int8_t>(lane);
      a.rank = rank;
      a.steps = phase.steps(rank, lane);
      actors_.push_back(a);
    }
  }
}

/// One inside each machine, one between machines for each GPU of a machine.
void Run::add_switches(int channel) {
  for (std::size_t p = 0; p < plan_.phases.size(); ++p) {
    const Phase& phase = plan_.phases[p];
    if (phase.by != Phase::By::the_switch) continue;
    const bool inside = phase.among == Phase::Among::inside;
    const std::int32_t many = inside ? nodes_ : gpus_;
    for (std::int32_t i = 0; i < many; ++i) {
      for (int lane = 0; lane < phase.lanes(phase.schedule.size); ++lane) {
        Actor a;
        a.node = inside ? i : static_cast<std::int32_t>(machine_.nodes());
        a.local = static_cast<std::int16_t>(inside ? gpus_ : i);
        a.channel = static_cast<std::int8_t>(channel);
        a.phase = static_cast<std::int8_t>(p);
        a.lane = static_cast<std::int8_t>(lane);
        a.is_switch = true;
        a.rank = phase.schedule.size;
        a.steps = phase.steps(a.rank, lane);
        actors_.push_back(a);
      }
    }
  }
}

}  // namespace tutti::simulated
