#include "run/simulated/phases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "choose/price_parts.hpp"
#include "run/simulated/own_steps.hpp"
#include "tutti/base/error.hpp"
#include "tutti/plan/layout.hpp"

namespace tutti::simulated {

namespace {

/// Bytes of the longest block when `bytes`, as nccl-tests counts, go through a schedule. All blocks count as long.
std::uint64_t block_of(const plan::Schedule& schedule, std::uint64_t bytes) {
  const bool whole = schedule.collective == Collective::all_reduce || schedule.collective == Collective::reduce ||
                     schedule.collective == Collective::broadcast;
  const auto size = static_cast<std::uint64_t>(schedule.size);
  const std::uint64_t count = whole ? bytes : (bytes + size - 1) / size;
  return plan::Layout(schedule, 0, count, 1).longest();
}

plan::Schedule schedule_of(Collective collective, Algorithm algorithm, std::int64_t size) {
  const bool uneven = collective == Collective::all_gather_v || collective == Collective::reduce_scatter_v ||
                      collective == Collective::all_to_all_v;
  if (uneven || is_pairwise(collective)) {
    throw Error(Code::unsupported, fmt::format("{} cannot be simulated", name(collective)),
                {.remedy = uneven ? "simulate the even one, with the longest part" : "a collective takes all ranks"});
  }
  const plan::Schedule schedule{.collective = collective, .algorithm = algorithm, .size = static_cast<int>(size)};
  if (const char* reason = plan::unsupported(schedule)) {
    throw Error(Code::unsupported,
                fmt::format("{} by {} cannot be simulated: {}", name(collective), name(algorithm), reason),
                {.remedy = "docs/algorithms.md lists what there is"});
  }
  return schedule;
}

Algorithm pattern_of(Algorithm algorithm, Collective collective) {
  if (algorithm != Algorithm::direct) return algorithm;
  return collective == Collective::all_reduce ? Algorithm::two_shot : Algorithm::one_shot;
}

/// Are machines alike for the fabric under the moves?
bool fits(const Symmetry& symmetry, const Fabric& fabric) {
  for (const FabricTier& tier : fabric.tiers) {
    if (tier.nodes >= symmetry.nodes) continue;
    if (!tier.ends.empty()) return false;
    if (symmetry.kind == Symmetry::Kind::exclusive_or && !std::has_single_bit(static_cast<std::uint64_t>(tier.nodes))) {
      return false;
    }
  }
  return true;
}

bool all_alike(const Scenario& scenario) {
  return scenario.stragglers.empty() && scenario.failures.empty() && scenario.skew_us == 0;
}

int divided(std::size_t bytes, std::size_t piece, int most) {
  return static_cast<int>(std::clamp<std::size_t>(bytes / piece, 1, static_cast<std::size_t>(most)));
}

/// Rings and all-to-alls need nothing from chunks, their blocks are pieces already; chains and stages do.
int chunks_of(const Scenario& scenario, const choose::Platform& platform, Algorithm algorithm) {
  if (scenario.chunks > 0) return scenario.chunks;
  constexpr std::size_t mebibyte = std::size_t{1} << 20;
  if (scenario.arrangement == Arrangement::two_level || scenario.arrangement == Arrangement::switch_reduction) {
    // k chunks hide all but 1/k of what happens inside a machine, and pay the hops between machines k times.
    const choose::Parts parts = choose::parts(Collective::all_reduce, choose::Pattern::two_level, scenario.protocol,
                                              platform, choose::shipped_coefficients());
    const double inside = parts.excluded == nullptr ? parts.transfer_inside_us(static_cast<double>(scenario.bytes)) : 0;
    const double hops = parts.hops_between * parts.hop_between_us;
    return hops > 0 ? std::clamp(static_cast<int>(std::lround(std::sqrt(inside / hops))), 1, 8) : 1;
  }
  if (scenario.arrangement == Arrangement::pat) return 1;
  const bool through_switch = scenario.arrangement == Arrangement::multicast;
  const bool chain = has_root(scenario.collective) || algorithm == Algorithm::tree || through_switch;
  return chain ? divided(scenario.bytes, mebibyte, 32) : 1;
}

/// Why the pattern of an arrangement is not to be had here; nothing for those that are schedules of plan/.
void expect_possible(const Scenario& scenario, const choose::Platform& platform, choose::Pattern pattern) {
  const choose::Parts parts =
      choose::parts(scenario.collective, pattern, scenario.protocol, platform, choose::shipped_coefficients());
  if (parts.excluded == nullptr) return;
  throw Error(Code::unsupported,
              fmt::format("{} by {} cannot be simulated: {}", name(scenario.collective), name(pattern), parts.excluded),
              {.remedy = "tutti explain says what there is on a machine"});
}

void add_phase(Plan& plan, Phase phase, std::uint64_t bytes) {
  if (phase.schedule.size == 1) return;
  phase.block = block_of(phase.schedule, bytes);
  plan.phases.push_back(phase);
}

/// A collective through the switch of each machine: blocks are the parts of its GPUs.
void add_multicast(Plan& plan, Collective collective, int gpus, std::uint64_t bytes) {
  const auto part = (bytes + static_cast<std::uint64_t>(gpus) - 1) / static_cast<std::uint64_t>(gpus);
  if (gpus == 1) return;
  plan.phases.push_back(
      {{.collective = collective, .size = gpus}, Phase::Among::inside, part, Phase::By::the_switch, gpus});
}

void add_levels(Plan& plan, const Scenario& scenario, const choose::Platform& platform, std::uint64_t bytes) {
  if (scenario.collective != Collective::all_reduce) {
    throw Error(Code::unsupported, fmt::format("{} in two levels cannot be simulated", name(scenario.collective)),
                {.remedy = "all_reduce can; or take one level"});
  }
  const bool multicast = scenario.arrangement == Arrangement::multicast;
  const Algorithm inside =
      scenario.algorithm == Algorithm::ring ? Algorithm::ring : pattern_of(Algorithm::direct, Collective::all_gather);
  const std::uint64_t part =
      (bytes + static_cast<std::uint64_t>(platform.gpus) - 1) / static_cast<std::uint64_t>(platform.gpus);
  const auto within = [&](Collective collective) {
    if (multicast) return add_multicast(plan, collective, platform.gpus, bytes);
    add_phase(plan, {schedule_of(collective, inside, platform.gpus), Phase::Among::inside}, bytes);
  };
  within(Collective::reduce_scatter);
  if (scenario.arrangement == Arrangement::switch_reduction) {
    const int nodes = platform.nodes;
    plan.phases.push_back({{.collective = Collective::all_reduce, .size = nodes},
                           Phase::Among::between,
                           part,
                           Phase::By::the_switch,
                           nodes});
  } else {
    const Algorithm between = multicast ? Algorithm::tree : pattern_of(scenario.between, Collective::all_reduce);
    add_phase(plan, {schedule_of(Collective::all_reduce, between, platform.nodes), Phase::Among::between}, part);
  }
  within(Collective::all_gather);
}

void add_phases(Plan& plan, const Scenario& scenario, const choose::Platform& platform, Algorithm algorithm,
                std::uint64_t bytes) {
  switch (scenario.arrangement) {
    case Arrangement::flat:
      return add_phase(plan, {schedule_of(scenario.collective, algorithm, platform.ranks()), Phase::Among::all}, bytes);
    case Arrangement::two_level:
      return add_levels(plan, scenario, platform, bytes);
    case Arrangement::pat: {
      if (scenario.collective != Collective::all_gather && scenario.collective != Collective::reduce_scatter) {
        throw Error(Code::unsupported,
                    fmt::format("{} by pat cannot be simulated: it gathers or scatters", name(scenario.collective)),
                    {.remedy = "all_gather and reduce_scatter can"});
      }
      const auto ranks = static_cast<std::uint64_t>(platform.ranks());
      Phase phase{{.collective = scenario.collective, .size = platform.ranks()},
                  Phase::Among::all,
                  (bytes + ranks - 1) / ranks,
                  Phase::By::pat};
      plan.phases.push_back(phase);
      return;
    }
    case Arrangement::multicast:
      if (platform.nodes > 1) {
        expect_possible(scenario, platform, choose::Pattern::multicast_tree);
        return add_levels(plan, scenario, platform, bytes);
      }
      expect_possible(scenario, platform, choose::Pattern::multicast);
      return add_multicast(plan, scenario.collective, platform.gpus, bytes);
    case Arrangement::switch_reduction:
      expect_possible(scenario, platform, choose::Pattern::switch_reduction);
      return add_levels(plan, scenario, platform, bytes);
  }
}

own::Errand errand_of(const Phase& phase) {
  if (phase.among == Phase::Among::between) return own::Errand::up_and_down;
  switch (phase.schedule.collective) {
    case Collective::reduce_scatter:
      return own::Errand::reduce_scatter;
    case Collective::all_gather:
      return own::Errand::all_gather;
    default:
      return own::Errand::both;
  }
}

/// The moves that a phase does not notice; rotation for what any move leaves as it is.
Symmetry::Kind moves_of(const Phase& phase) {
  return phase.by == Phase::By::plan ? symmetry_of(phase.schedule) : Symmetry::Kind::rotation;
}

}  // namespace

int Phase::rank_of(const Gpu& gpu, int gpus, int shift) const {
  switch (among) {
    case Among::inside:
      return gpu.local;
    case Among::between:
      return static_cast<int>(gpu.node);
    case Among::all:
      break;
  }
  return static_cast<int>(gpu.node) * gpus + (gpu.local - shift + gpus) % gpus;
}

Gpu Phase::gpu_of(int rank, const Gpu& from, int gpus, int shift) const {
  switch (among) {
    case Among::inside:
      return {from.node, rank};  // the switch: one beyond the last GPU
    case Among::between:
      return {rank, from.local};  // the switch of the GPU's rail: one beyond the last machine
    case Among::all:
      break;
  }
  return {rank / gpus, (rank % gpus + shift) % gpus};
}

int Phase::lanes(int rank) const {
  switch (by) {
    case By::plan:
      break;
    case By::pat:
      return 1;
    case By::the_switch:
      return rank == schedule.size ? own::lanes_of_switch(errand_of(*this)) : own::switched_lanes(errand_of(*this));
  }
  return plan::lanes(schedule);
}

int Phase::steps(int rank, int lane) const {
  switch (by) {
    case By::plan:
      break;
    case By::pat:
      return own::pat_steps(schedule.size);
    case By::the_switch:
      return 1;
  }
  return plan::steps(schedule, rank, lane);
}

plan::Step Phase::step(int rank, int lane, int index) const {
  switch (by) {
    case By::plan:
      break;
    case By::pat:
      return own::pat_step(schedule.collective, schedule.size, rank, index);
    case By::the_switch:
      return own::switched_step(errand_of(*this), schedule.size, present, rank, lane);
  }
  return plan::step(schedule, rank, lane, index);
}

Plan plan_of(const Scenario& scenario, const choose::Platform& platform, const Fabric& fabric) {
  Plan plan;
  const int gpus = platform.gpus;
  const Algorithm algorithm = pattern_of(scenario.algorithm, scenario.collective);
  const bool flat = scenario.arrangement == Arrangement::flat;
  const bool ring = flat && algorithm == Algorithm::ring;
  // One ring leaves a machine by one adapter; as many rings as adapters use them all.
  const bool many = ring && platform.nodes > 1 && gpus % platform.rails == 0;
  plan.channels = scenario.channels > 0 ? scenario.channels : many ? platform.rails : 1;
  plan.shift = std::max(1, gpus / plan.channels);
  plan.chunks = chunks_of(scenario, platform, algorithm);
  const auto pieces = static_cast<std::uint64_t>(plan.channels) * static_cast<std::uint64_t>(plan.chunks);
  const std::uint64_t bytes = (scenario.bytes + pieces - 1) / pieces;
  add_phases(plan, scenario, platform, algorithm, bytes);

  Symmetry& symmetry = plan.symmetry;
  symmetry.nodes = platform.nodes;
  if (!scenario.symmetry || platform.nodes == 1 || !all_alike(scenario)) return plan;
  for (const Phase& phase : plan.phases) {
    if (phase.among != Phase::Among::inside) symmetry.kind = moves_of(phase);
  }
  const bool through_switches = scenario.arrangement == Arrangement::switch_reduction;
  // Moving a rank by a whole machine is a move of machines; exclusive or needs as many GPUs as a power of two for that.
  if (symmetry.kind == Symmetry::Kind::exclusive_or && flat && !std::has_single_bit(static_cast<unsigned>(gpus))) {
    symmetry.kind = Symmetry::Kind::none;
  }
  if (!fits(symmetry, fabric)) symmetry.kind = Symmetry::Kind::none;
  // Around a circle that switches cut, machines are alike in the mean only; few of them are played one by one.
  constexpr int few_ranks = 64;
  const bool cut = !through_switches && symmetry.kind == Symmetry::Kind::rotation && !fabric.tiers.empty() &&
                   fabric.tiers.front().nodes < platform.nodes;
  if (cut && platform.ranks() <= few_ranks) symmetry.kind = Symmetry::Kind::none;
  if (symmetry.any()) {
    for (Phase& phase : plan.phases) {  // of machines that are alike, one talks to the switch
      if (phase.by == Phase::By::the_switch && phase.among == Phase::Among::between) phase.present = 1;
    }
  }
  const bool own_adapters = platform.rails == gpus || (plan.channels == platform.rails && gpus % platform.rails == 0);
  symmetry.channels = ring && symmetry.any() && plan.channels > 1 && plan.channels * plan.shift == gpus &&
                      plan.channels == gpus && own_adapters && scenario.slow_rails.empty();
  if (cut && symmetry.any()) {
    plan.notes.emplace_back(
        "machines count as alike though some are nearer to a neighbour's switch than others: latencies of tiers are "
        "their "
        "mean around the ring");
  }
  return plan;
}

}  // namespace tutti::simulated
