#include "run/simulated/phases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "choose/price_parts.hpp"
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
  if (algorithm != Algorithm::direct && algorithm != Algorithm::automatic) return algorithm;
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
  if (scenario.arrangement == Arrangement::two_level) {
    // k chunks hide all but 1/k of what happens inside a machine, and pay the hops between machines k times.
    const choose::Parts parts = choose::parts(Collective::all_reduce, choose::Pattern::two_level, scenario.protocol,
                                              platform, choose::shipped_coefficients());
    const double inside = parts.excluded == nullptr ? parts.transfer_inside_us(static_cast<double>(scenario.bytes)) : 0;
    const double hops = parts.hops_between * parts.hop_between_us;
    return hops > 0 ? std::clamp(static_cast<int>(std::lround(std::sqrt(inside / hops))), 1, 8) : 1;
  }
  const bool chain = has_root(scenario.collective) || algorithm == Algorithm::tree;
  return chain ? divided(scenario.bytes, mebibyte, 32) : 1;
}

void add_two_level(Plan& plan, const Scenario& scenario, const choose::Platform& platform, std::uint64_t bytes) {
  if (scenario.collective != Collective::all_reduce) {
    throw Error(Code::unsupported, fmt::format("{} in two levels cannot be simulated", name(scenario.collective)),
                {.remedy = "all_reduce can; or take one level"});
  }
  const Algorithm inside =
      scenario.algorithm == Algorithm::ring ? Algorithm::ring : pattern_of(Algorithm::direct, Collective::all_gather);
  const std::uint64_t part =
      (bytes + static_cast<std::uint64_t>(platform.gpus) - 1) / static_cast<std::uint64_t>(platform.gpus);
  const auto stage = [&](Collective collective, Algorithm algorithm, Phase::Among among, std::int64_t size,
                         std::uint64_t stage_bytes) {
    if (size == 1) return;
    Phase phase{schedule_of(collective, algorithm, size), among, 0};
    phase.block = block_of(phase.schedule, stage_bytes);
    plan.phases.push_back(phase);
  };
  stage(Collective::reduce_scatter, inside, Phase::Among::inside, platform.gpus, bytes);
  stage(Collective::all_reduce, pattern_of(scenario.between, Collective::all_reduce), Phase::Among::between,
        platform.nodes, part);
  stage(Collective::all_gather, inside, Phase::Among::inside, platform.gpus, bytes);
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
      return {from.node, rank};
    case Among::between:
      return {rank, from.local};
    case Among::all:
      break;
  }
  return {rank / gpus, (rank % gpus + shift) % gpus};
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
  if (flat) {
    Phase phase{schedule_of(scenario.collective, algorithm, platform.ranks()), Phase::Among::all, 0};
    phase.block = block_of(phase.schedule, bytes);
    plan.phases.push_back(phase);
  } else {
    add_two_level(plan, scenario, platform, bytes);
  }

  Symmetry& symmetry = plan.symmetry;
  symmetry.nodes = platform.nodes;
  if (!scenario.symmetry || platform.nodes == 1 || !all_alike(scenario)) return plan;
  for (const Phase& phase : plan.phases) {
    if (phase.among != Phase::Among::inside) symmetry.kind = symmetry_of(phase.schedule);
  }
  // Moving a rank by a whole machine is a move of machines; exclusive or needs as many GPUs as a power of two for that.
  if (symmetry.kind == Symmetry::Kind::exclusive_or && flat && !std::has_single_bit(static_cast<unsigned>(gpus))) {
    symmetry.kind = Symmetry::Kind::none;
  }
  if (!fits(symmetry, fabric)) symmetry.kind = Symmetry::Kind::none;
  // Around a circle that switches cut, machines are alike in the mean only; few of them are played one by one.
  constexpr int few_ranks = 64;
  const bool cut =
      symmetry.kind == Symmetry::Kind::rotation && !fabric.tiers.empty() && fabric.tiers.front().nodes < platform.nodes;
  if (cut && platform.ranks() <= few_ranks) symmetry.kind = Symmetry::Kind::none;
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

void check(const Scenario& scenario, const choose::Platform& platform) {
  const auto wrong = [](const std::string& what, const char* remedy) {
    return Error(Code::invalid_argument, what, {.remedy = remedy});
  };
  const auto share = [&](double value, std::string_view what) {
    if (!(value > 0 && value <= 1)) {
      throw wrong(fmt::format("{} of {} is no share", what, value), "a share is above 0 and at most 1");
    }
  };
  if (scenario.bytes == 0 && scenario.collective != Collective::barrier)
    throw wrong("there are 0 bytes to simulate", "name a size");
  if (scenario.bytes > std::size_t{1} << 46) throw wrong(fmt::format("{} bytes", scenario.bytes), "at most 64 TiB");
  if (scenario.channels < 0 || scenario.channels > 64)
    throw wrong(fmt::format("{} channels", scenario.channels), "1 to 64, or 0");
  if (scenario.chunks < 0 || scenario.chunks > 4096)
    throw wrong(fmt::format("{} chunks", scenario.chunks), "1 to 4096, or 0");
  if (scenario.slots < 2 || scenario.slots > 1024) throw wrong(fmt::format("{} slots", scenario.slots), "2 to 1024");
  if (!(scenario.background >= 0 && scenario.background < 1)) {
    throw wrong(fmt::format("background traffic of {} is no share", scenario.background), "0 to below 1");
  }
  if (!(scenario.oversubscription == 0 || (scenario.oversubscription >= 1 && scenario.oversubscription <= 1000))) {
    throw wrong(fmt::format("oversubscription of {}", scenario.oversubscription),
                "1 to 1000, or 0 for what is described");
  }
  if (!(scenario.skew_us >= 0 && scenario.skew_us <= 1e9))
    throw wrong(fmt::format("skew of {} us", scenario.skew_us), "0 to 1000 s");
  const auto rail = [&](int number) {
    if (platform.nodes == 1)
      throw wrong(fmt::format("rail {}: the job is on one machine and has none", number), "more ranks");
    if (number < 0 || number >= platform.rails) {
      throw wrong(fmt::format("there is no rail {}", number), "rails are numbered from 0");
    }
  };
  for (const SlowRail& slow : scenario.slow_rails) {
    rail(slow.rail);
    share(slow.share, fmt::format("rail {}: a rate", slow.rail));
  }
  for (const Straggler& straggler : scenario.stragglers) {
    if (straggler.rank < 0 || straggler.rank >= platform.ranks()) {
      throw wrong(fmt::format("there is no rank {} to be slow", straggler.rank), "ranks are numbered from 0");
    }
    share(straggler.share, fmt::format("rank {}: a rate", straggler.rank));
    if (!(straggler.late_us >= 0 && straggler.late_us <= 1e12)) {
      throw wrong(fmt::format("rank {} late by {} us", straggler.rank, straggler.late_us), "0 to 10^12");
    }
  }
  for (const LinkFailure& failure : scenario.failures) {
    rail(failure.rail);
    if (failure.node < 0 || failure.node >= platform.nodes) {
      throw wrong(fmt::format("there is no machine {} whose link could fail", failure.node),
                  "machines are numbered from 0");
    }
    if (!(failure.at_us >= 0 && failure.back_us >= 0 && failure.failover_us >= 0 && failure.at_us < 1e12 &&
          failure.back_us < 1e12 && failure.failover_us < 1e12) ||
        (failure.back_us > 0 && failure.back_us < failure.at_us)) {
      throw wrong(fmt::format("a link that fails at {} us and is back at {} us", failure.at_us, failure.back_us),
                  "times are not negative, and it comes back after it failed");
    }
    if (failure.failover_us > 0 && failure.back_us == 0 && platform.rails < 2) {
      throw wrong("the traffic of a link that fails has no other rail to move to",
                  "two rails, or a time when it is back");
    }
  }
}

}  // namespace tutti::simulated
