#include "run/two_level/setting.hpp"

namespace tutti::two_level {

namespace {

/// An estimate; not measured yet.
constexpr std::size_t chunk_bytes = std::size_t{1} << 20;

}  // namespace

Chunks chunks_of(std::size_t count, std::size_t element_size) {
  return {count, chunk_bytes / std::max<std::size_t>(1, element_size)};
}

LocalPlan local_plan(const Setting& setting, Request request) {
  request.options = {.algorithm = setting.decision.algorithm, .protocol = setting.protocol};
  switch (setting.decision.algorithm) {
    case Algorithm::mpi:
      request.options.algorithm = Algorithm::automatic;
      break;
    case Algorithm::two_shot:  // its two shots, where a stage is one of them
      if (request.collective != Collective::reduce && request.collective != Collective::broadcast) {
        request.options.algorithm = Algorithm::one_shot;
      }
      break;
    default:
      break;
  }
  return std::make_unique<host::HostPreparation>(decide_without_window(request, setting.here), request, setting.team);
}

}  // namespace tutti::two_level
