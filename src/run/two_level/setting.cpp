#include "run/two_level/setting.hpp"

#include <cstring>

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
  return std::make_unique<host::HostPreparation>(choose_without_window(request, setting.here), request, setting.team);
}

Request derived(const Request& request, Collective collective, std::size_t count) {
  Request other;
  other.collective = collective;
  other.type = request.type;
  other.element_size = request.element_size;
  other.count = count;
  other.op = request.op;
  return other;
}

ReduceOp without_last_touch(const ReduceOp& op) { return op.kind == Op::average ? ReduceOp{.kind = Op::sum} : op; }

ReduceOp without_touches(const ReduceOp& op) {
  return op.kind == Op::average || op.kind == Op::premultiplied_sum ? ReduceOp{.kind = Op::sum} : op;
}

void touch_first(const Request& request, host::Loop loop, const void* in, void* out, std::size_t count) {
  if (count == 0) return;
  if (request.op.kind == Op::premultiplied_sum) {
    loop(
        {.sources = &in, .source_count = 1, .destinations = &out, .destination_count = 1, .count = count, .prepare = 0},
        request.op.state);
  } else if (in != out) {
    std::memcpy(out, in, count * request.element_size);
  }
}

void touch_last(const Request& request, host::Loop loop, const void* in, void* out, std::size_t count, int ranks) {
  if (count == 0) return;
  if (request.op.kind == Op::average) {
    loop({.sources = &in,
          .source_count = 1,
          .destinations = &out,
          .destination_count = 1,
          .count = count,
          .finish_over = ranks},
         request.op.state);
  } else if (in != out) {
    std::memcpy(out, in, count * request.element_size);
  }
}

}  // namespace tutti::two_level
