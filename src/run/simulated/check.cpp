/// @file  Scenarios that make no sense are refused before anything is played, each value by its name.
#include <fmt/format.h>

#include "run/simulated/phases.hpp"
#include "tutti/base/error.hpp"

namespace tutti::simulated {

namespace {
/// The places of two of them, and of their switches, go into the key of a wire.
constexpr int most_ranks = 1 << 25;
}  // namespace

void check(const Scenario& scenario, const choose::Platform& platform) {
  const auto wrong = [](const std::string& what, const char* remedy) {
    return Error(Code::invalid_argument, what, {.remedy = remedy});
  };
  if (platform.ranks() > most_ranks) {
    throw wrong(fmt::format("{} GPUs are more than can be simulated", platform.ranks()), "at most 33,554,432 of them");
  }
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
