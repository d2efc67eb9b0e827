/// @file  Runs played together: one clock, one set of flows.
#include <algorithm>

#include "run/simulated/run.hpp"

namespace tutti::simulated {

void play(std::span<Run* const> runs, Flows& flows, const std::function<void(double)>& progress) {
  constexpr std::uint64_t between_reports = 1 << 18;
  std::uint64_t next_report = between_reports;
  for (Run* run : runs) run->begin();
  Time now = 0;
  while (true) {
    const Run* open = nullptr;
    std::uint64_t events = 0;
    Time next = never;
    for (Run* run : runs) {
      run->take_steps();
      if (!run->finished()) open = run;
      events += run->events();
    }
    if (open == nullptr) return;
    flows.settle(now, [&](int flow, std::uint32_t version, Time time) {
      runs[static_cast<std::size_t>(flows.owner(flow) >> Run::run_shift)]->flow_ends(flow, version, time);
    });
    if (progress && events >= next_report) {
      double done = 1;
      for (const Run* run : runs) done = run->finished() ? done : std::min(done, run->done());
      progress(done);
      next_report = events + between_reports;
    }
    for (const Run* run : runs) next = std::min(next, run->next());
    if (next == never) open->stuck();
    now = next;
    for (Run* run : runs) run->go_to(now);
  }
}

}  // namespace tutti::simulated
