#include <fmt/format.h>

#include "choose/choose.hpp"
#include "tutti/plan/schedule.hpp"

namespace tutti {

namespace {

plan::Schedule by_messages(const Request& request, int ranks, Algorithm algorithm) {
  return {.collective = request.collective, .algorithm = algorithm, .size = ranks, .root = request.root};
}

}  // namespace

Algorithm settled_algorithm(const Request& request, int ranks, Algorithm cheapest) {
  const Options& options = request.options;
  Algorithm algorithm = options.algorithm;
  if (algorithm == Algorithm::automatic || algorithm == Algorithm::direct) {
    const bool direct = cheapest == Algorithm::one_shot || cheapest == Algorithm::two_shot;
    algorithm = algorithm == Algorithm::direct && !direct ? Algorithm::one_shot : cheapest;
  }
  const plan::Schedule schedule = by_messages(request, ranks, algorithm);
  if (const char* reason = plan::unsupported(schedule)) {
    refuse(request, fmt::format("there is no {} schedule for it: {}", name(algorithm), reason),
           "leave the algorithm automatic; docs/algorithms.md lists what each supports");
  }
  const bool rank_order = reduces(request.collective) && (options.deterministic || !request.op.commutative);
  if (!rank_order || plan::in_rank_order(schedule)) return algorithm;
  if (options.algorithm == Algorithm::automatic) return Algorithm::one_shot;
  if (options.deterministic) {
    refuse(request, fmt::format("{} does not combine in rank order, so it cannot be deterministic", name(algorithm)),
           "drop the algorithm or the wish for determinism; one_shot, two_shot and direct combine in rank order");
  }
  refuse(request, fmt::format("its operator does not commute, and {} does not combine in rank order", name(algorithm)),
         "use direct or leave the algorithm automatic");
}

void expect_room(const Request& request, int ranks, Algorithm algorithm, std::size_t capacity) {
  const auto blocks = static_cast<std::size_t>(plan::blocks_per_step(by_messages(request, ranks, algorithm)));
  if (blocks * request.element_size <= capacity) return;
  refuse(request, fmt::format("one element of each of its blocks does not fit a slot of {} bytes", capacity),
         "use one_shot or ring, or fewer ranks a node");
}

}  // namespace tutti
