#include "cli/bench_call.hpp"

#include <cstring>

#include "cli/bench_options.hpp"
#include "tutti/group.hpp"

namespace tutti::bench {

namespace {

/// An operator as `pack` makes it. Ready-made ones depend on no element type.
ReduceOp packed(Op kind) {
  ReduceOp op;
  op.kind = kind;
  if (kind == Op::premultiplied_sum) std::memcpy(op.state, &bench_scale, sizeof bench_scale);
  return op;
}

}  // namespace

Request request_of(const Call& call, int rank, int ranks, const Options& options) {
  Request request;
  request.collective = call.collective;
  request.type = call.type;
  request.element_size = size_of(call.type);
  request.memory = call.memory;
  request.in = call.in;
  request.out = call.out;
  request.in_count = call.extent.in;
  request.out_count = call.extent.out;
  request.count = call.extent.count;
  request.root = call.root;
  request.op = packed(call.op);
  request.counts = call.extent.counts;
  request.receive_counts = call.extent.receive_counts;
  request.options = options;
  switch (call.collective) {
    case Collective::barrier:
      request = {};
      request.element_size = 0;
      request.count = 1;
      request.options = options;
      break;
    case Collective::send:
      request.root = (rank + 1) % ranks;
      request.out = nullptr;
      request.out_count = 0;
      break;
    case Collective::all_gather_v:
      request.count = call.extent.in;
      break;
    case Collective::reduce_scatter_v:
      request.count = call.extent.out;
      break;
    case Collective::all_to_all_v:
      request.count = 0;
      break;
    default:
      break;
  }
  return request;
}

Runner our_runner(Communicator& communicator, const Call& call, const Options& options) {
  const int rank = communicator.rank();
  const int ranks = communicator.size();
  if (call.collective == Collective::send) {
    return [&communicator, &call, options, rank, ranks] {
      const Request sent = request_of(call, rank, ranks, options);
      Request received = sent;
      received.collective = Collective::recv;
      received.in = nullptr;
      received.in_count = 0;
      received.out = call.out;
      received.out_count = call.extent.out;
      received.root = (rank + ranks - 1) % ranks;
      Group group(communicator);
      group.submit(sent);
      group.submit(received);
      group.launch().wait();
    };
  }
  return [&communicator, &call, options, rank, ranks] {
    communicator.submit(request_of(call, rank, ranks, options)).wait();
  };
}

}  // namespace tutti::bench
