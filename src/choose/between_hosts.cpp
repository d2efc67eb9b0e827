/// @file  The choice for ranks of several hosts: which collectives have a two-level form, and what users may name.
#include <fmt/format.h>

#include "choose/choose.hpp"
#include "tutti/base/error.hpp"
#include "tutti/plan/schedule.hpp"

namespace tutti {

namespace {

bool wants_rank_order(const Request& request) {
  return reduces(request.collective) && (request.options.deterministic || !request.op.commutative);
}

/// Why there is no two-level form, as the end of a sentence; nullptr: there is one.
const char* no_two_levels(const Request& request, const Facts& facts) {
  if (wants_rank_order(request)) return nullptr;
  switch (request.collective) {
    case Collective::all_reduce:
    case Collective::broadcast:
    case Collective::reduce:
    case Collective::barrier:
    case Collective::send:
    case Collective::recv:
      return nullptr;
    case Collective::reduce_scatter:
    case Collective::all_gather:
      if (!facts.even) return "the hosts have different numbers of ranks";
      return facts.consecutive ? nullptr : "the ranks of a host are not neighbours";
    default:
      return "every part goes to a rank of its own, so that there is nothing to do inside a host first";
  }
}

/// Can the stages inside a host follow this pattern? The reason why not; nullptr: they can.
const char* no_such_stage(const Request& request, Algorithm algorithm) {
  plan::Schedule stage{.collective = request.collective, .algorithm = algorithm, .size = 2};
  if (request.collective == Collective::all_reduce && algorithm != Algorithm::tree &&
      algorithm != Algorithm::two_shot) {
    stage.collective = Collective::reduce_scatter;
  }
  if (is_pairwise(request.collective)) stage.root = 1;
  return plan::unsupported(stage);
}

Algorithm algorithm_between_hosts(const Request& request) {
  const Algorithm named = request.options.algorithm;
  if (wants_rank_order(request)) {
    if (named == Algorithm::automatic || named == Algorithm::mpi || named == Algorithm::direct) {
      return request.collective == Collective::all_reduce ? Algorithm::two_shot : Algorithm::one_shot;
    }
    if (named == Algorithm::one_shot || named == Algorithm::two_shot) return named;
    const char* wish =
        request.options.deterministic ? "so it cannot be deterministic" : "and its operator does not commute";
    refuse(request, fmt::format("{} does not combine in rank order, {}", name(named), wish),
           "leave the algorithm automatic");
  }
  if (named == Algorithm::automatic || named == Algorithm::mpi) return Algorithm::mpi;
  if (named == Algorithm::direct) return Algorithm::one_shot;
  if (const char* reason = no_such_stage(request, named)) {
    refuse(request, fmt::format("inside a host there is no {} schedule for it: {}", name(named), reason),
           "leave the algorithm automatic; docs/architecture.md says how far several hosts work");
  }
  return named;
}

Decision through_mpi(const Request& request) {
  const Algorithm named = request.options.algorithm;
  if (named != Algorithm::automatic && named != Algorithm::mpi) {
    refuse(request, fmt::format("MPI has its own algorithms, and {} is not one of them", name(named)),
           "leave the algorithm automatic");
  }
  if (request.options.deterministic && reduces(request.collective)) {
    refuse(request, "MPI does not promise in which order it combines, so it cannot be deterministic",
           "leave the backend automatic");
  }
  return {.backend = Backend::mpi, .algorithm = Algorithm::mpi, .protocol = Protocol::fifo};
}

}  // namespace

Decision decide_between_hosts(const Request& request, const Facts& facts) {
  const Options& options = request.options;
  if (options.protocol == Protocol::window) {
    refuse(request, fmt::format("its ranks are on {} hosts, so not every buffer can be reached", facts.hosts),
           "leave the protocol automatic");
  }
  switch (options.backend) {
    case Backend::automatic:
    case Backend::two_level:
      break;
    case Backend::mpi:
      return through_mpi(request);
    case Backend::host:
      refuse(request,
             fmt::format("its ranks are on {} hosts, and the host engine serves the ranks of one", facts.hosts),
             "leave the backend automatic, or split the communicator by host");
    default:
      refuse(request, fmt::format("there is no {} engine for buffers in host memory", name(options.backend)),
             "leave the backend automatic");
  }
  if (const char* reason = no_two_levels(request, facts)) {
    if (options.backend == Backend::two_level) {
      refuse(request, fmt::format("it has no two-level form: {}", reason), "leave the backend automatic: MPI does it");
    }
    return through_mpi(request);
  }
  return {.backend = Backend::two_level, .algorithm = algorithm_between_hosts(request), .protocol = Protocol::fifo};
}

}  // namespace tutti
