#include "tutti/plan/program.hpp"

namespace tutti::plan {

Pair pair_of(const Schedule& schedule) {
  const int other = around(schedule.root + 1, schedule.size);
  return schedule.collective == Collective::send ? Pair{other, schedule.root} : Pair{schedule.root, other};
}

Program program_of(const Schedule& schedule) {
  Program program{schedule, blocks(schedule), {}};
  program.steps.resize(static_cast<std::size_t>(schedule.size));
  if (is_pairwise(schedule.collective)) {
    const auto [sender, receiver] = pair_of(schedule);
    const auto single = [&](Collective collective, int peer) {
      Schedule half = schedule;
      half.collective = collective;
      half.root = peer;
      return std::vector<std::vector<Step>>{{step(half, 0, 0, 0)}};
    };
    program.steps[static_cast<std::size_t>(sender)] = single(Collective::send, receiver);
    program.steps[static_cast<std::size_t>(receiver)] = single(Collective::recv, sender);
    return program;
  }
  for (int rank = 0; rank < schedule.size; ++rank) {
    auto& of_rank = program.steps[static_cast<std::size_t>(rank)];
    of_rank.resize(static_cast<std::size_t>(lanes(schedule)));
    for (int lane = 0; lane < lanes(schedule); ++lane) {
      const int count = steps(schedule, rank, lane);
      for (int index = 0; index < count; ++index) {
        of_rank[static_cast<std::size_t>(lane)].push_back(step(schedule, rank, lane, index));
      }
    }
  }
  return program;
}

}  // namespace tutti::plan
