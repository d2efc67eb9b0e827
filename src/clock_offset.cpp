#include "clock_offset.hpp"

#include <vector>

#include "run/placement.hpp"
#include "run/ticks.hpp"
#include "tutti/collectives.hpp"
#include "tutti/communicator.hpp"

namespace tutti {

namespace {

constexpr int questions = 16;

std::int64_t clock_here() { return static_cast<std::int64_t>(Ticks::monotonic()); }

}  // namespace

ClockOffset offset_from(std::span<const RoundTrip> trips) {
  ClockOffset best;
  bool any = false;
  for (const RoundTrip& trip : trips) {
    const std::int64_t took = trip.answered - trip.asked;
    if (any && took / 2 >= best.error) continue;
    best = {.offset = trip.told - (trip.asked + took / 2), .error = took / 2};
    any = true;
  }
  return best;
}

ClockOffset offset_to_rank_0(Communicator& comm, const Placement& placement) {
  if (placement.hosts() == 1) return {};
  std::vector<std::int64_t> mine(2), word(1);
  const int rank = comm.rank();
  const bool first_of_host = placement.local_rank(rank) == 0;
  if (rank == 0) {
    for (int host = 1; host < placement.hosts(); ++host) {
      const int asks = placement.on(host).front();
      for (int i = 0; i < questions; ++i) {
        recv(comm, on_host(word), asks).wait();
        word[0] = clock_here();
        send(comm, on_host(word), asks).wait();
      }
    }
  } else if (first_of_host) {
    std::vector<RoundTrip> trips(questions);
    for (RoundTrip& trip : trips) {
      trip.asked = clock_here();
      send(comm, on_host(word), 0).wait();
      recv(comm, on_host(word), 0).wait();
      trip.answered = clock_here();
      trip.told = word[0];
    }
    const ClockOffset best = offset_from(trips);
    mine = {best.offset, best.error};
  }
  std::vector<std::int64_t> all(2 * static_cast<std::size_t>(comm.size()));
  all_gather(comm, on_host(mine), on_host(all)).wait();
  const auto at = 2 * static_cast<std::size_t>(placement.on(placement.host(rank)).front());
  return {.offset = all[at], .error = all[at + 1]};
}

}  // namespace tutti
