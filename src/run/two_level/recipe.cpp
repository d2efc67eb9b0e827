#include "run/two_level/recipe.hpp"

#include <algorithm>
#include <cstring>

namespace tutti::two_level {

namespace {

constexpr std::size_t line = 128;

ReduceOp without_last_touch(const ReduceOp& op) { return op.kind == Op::average ? ReduceOp{.kind = Op::sum} : op; }

ReduceOp without_touches(const ReduceOp& op) {
  return op.kind == Op::average || op.kind == Op::premultiplied_sum ? ReduceOp{.kind = Op::sum} : op;
}

}  // namespace

int Recipe::lag(int stage) const {
  return static_cast<int>(std::count(remote_.begin(), remote_.begin() + stage, true));
}

void Recipe::stage_in(std::size_t bytes) { stride_ = std::max<std::size_t>(1, (bytes + line - 1) / line) * line; }

void Recipe::begin(const Request& request, Staging& staging) {
  call_ = &request;
  local_op_ = without_last_touch(request.op);
  if (reduces(request.collective)) {
    network_op_ = without_touches(request.op);
    loop_ = host::loop_for(request.type, request.op);
    network_loop_ = host::loop_for(request.type, network_op_);
  }
  if (stride_ > 0) staging_ = staging.take(stride_ * static_cast<std::size_t>(std::min(depth(), std::max(1, rounds_))));
}

void Recipe::touch_first(const void* from, void* to, std::size_t count) const {
  if (count == 0) return;
  if (call_->op.kind == Op::premultiplied_sum) {
    loop_({.sources = &from,
           .source_count = 1,
           .destinations = &to,
           .destination_count = 1,
           .count = count,
           .prepare = 0},
          call_->op.state);
  } else if (from != to) {
    std::memcpy(to, from, count * call_->element_size);
  }
}

void Recipe::touch_last(const void* from, void* to, std::size_t count, int ranks) const {
  if (count == 0) return;
  if (call_->op.kind == Op::average) {
    loop_({.sources = &from,
           .source_count = 1,
           .destinations = &to,
           .destination_count = 1,
           .count = count,
           .finish_over = ranks},
          call_->op.state);
  } else if (from != to) {
    std::memcpy(to, from, count * call_->element_size);
  }
}

Remote Recipe::remote(Network* network, Collective collective, std::byte* from, std::byte* to, std::size_t count,
                      int root) const {
  Request request = derived(*call_, collective, count);
  request.op = network_op_;
  request.in = from;
  request.out = to;
  request.root = root;
  return {network, request, reduces(collective) ? network_loop_ : nullptr};
}

Request derived(const Request& request, Collective collective, std::size_t count) {
  Request other;
  other.collective = collective;
  other.type = request.type;
  other.element_size = request.element_size;
  other.count = count;
  other.op = without_last_touch(request.op);
  return other;
}

}  // namespace tutti::two_level
