#include "run/nccl/nccl_calls.hpp"

#include "run/device/cuda_runtime.hpp"
#include "run/nccl/nccl_types.hpp"

namespace tutti::nccl {

namespace {

/// The calls of one request, with what all of them share.
class Issue {
 public:
  Issue(const NcclCommunicator& communicator, const Request& request, int rank, int ranks, Stream stream,
        const Context& context)
      : library_(communicator.library()),
        comm_(communicator.handle()),
        request_(request),
        rank_(rank),
        ranks_(ranks),
        stream_(stream.handle),
        context_(context),
        in_(static_cast<const std::byte*>(request.in)),
        out_(static_cast<std::byte*>(request.out)),
        part_(request.count * request.element_size) {}

  void run() {
    switch (request_.collective) {
      case Collective::all_reduce:
      case Collective::reduce:
      case Collective::reduce_scatter:
      case Collective::reduce_scatter_v:
        return reduction();
      case Collective::broadcast:
        return broadcast(in_, out_, part_, request_.root);
      case Collective::all_gather:
        if (part_ == 0) return;
        return check(library_.calls.AllGather(in_, out_, part_, type_uint8, comm_, stream_), "ncclAllGather");
      case Collective::all_gather_v:
        for (int r = 0; r < ranks_; ++r) {
          std::byte* const part = out_ + part_begin(request_.counts, r);
          broadcast(r == rank_ ? in_ : part, part, part_bytes(request_.counts, r), r);
        }
        return;
      case Collective::all_to_all:
        return all_to_all();
      case Collective::all_to_all_v:
        for (int r = 0; r < ranks_; ++r) {
          send(in_ + part_begin(request_.counts, r), part_bytes(request_.counts, r), r);
          receive(out_ + part_begin(request_.receive_counts, r), part_bytes(request_.receive_counts, r), r);
        }
        return;
      case Collective::gather:
        return gather();
      case Collective::scatter:
        return scatter();
      case Collective::send:
        return send(in_, part_, request_.root);
      case Collective::recv:
        return receive(out_, part_, request_.root);
      case Collective::barrier:
        return;
    }
  }

 private:
  void check(Result result, const char* call) const { library_.check(result, call, comm_, context_); }

  std::size_t part_bytes(std::span<const std::size_t> counts, int r) const {
    return counts[static_cast<std::size_t>(r)] * request_.element_size;
  }
  std::size_t part_begin(std::span<const std::size_t> counts, int r) const {
    std::size_t begin = 0;
    for (int before = 0; before < r; ++before) begin += part_bytes(counts, before);
    return begin;
  }
  std::size_t part_of(int r) const { return static_cast<std::size_t>(r) * part_; }

  void send(const std::byte* data, std::size_t bytes, int peer) const {
    if (bytes > 0) check(library_.calls.Send(data, bytes, type_uint8, peer, comm_, stream_), "ncclSend");
  }
  void receive(std::byte* data, std::size_t bytes, int peer) const {
    if (bytes > 0) check(library_.calls.Recv(data, bytes, type_uint8, peer, comm_, stream_), "ncclRecv");
  }
  void broadcast(const std::byte* from, std::byte* to, std::size_t bytes, int root) const {
    if (bytes == 0) return;
    check(library_.calls.Broadcast(rank_ == root ? from : to, to, bytes, type_uint8, root, comm_, stream_),
          "ncclBroadcast");
  }

  void all_to_all() const {
    if (part_ == 0) return;
    if (library_.native_all_to_all()) {
      return check(library_.calls.AlltoAll(in_, out_, part_, type_uint8, comm_, stream_), "ncclAlltoAll");
    }
    for (int r = 0; r < ranks_; ++r) {
      send(in_ + part_of(r), part_, r);
      receive(out_ + part_of(r), part_, r);
    }
  }

  void gather() const {
    if (part_ == 0) return;
    if (library_.native_all_to_all()) {
      return check(library_.calls.Gather(in_, out_, part_, type_uint8, request_.root, comm_, stream_), "ncclGather");
    }
    const bool is_root = rank_ == request_.root;
    if (!is_root || in_ != out_ + part_of(rank_)) send(in_, part_, request_.root);
    for (int r = 0; is_root && r < ranks_; ++r) {
      if (r != rank_ || in_ != out_ + part_of(rank_)) receive(out_ + part_of(r), part_, r);
    }
  }

  void scatter() const {
    if (part_ == 0) return;
    if (library_.native_all_to_all()) {
      return check(library_.calls.Scatter(in_, out_, part_, type_uint8, request_.root, comm_, stream_), "ncclScatter");
    }
    const bool is_root = rank_ == request_.root;
    for (int r = 0; is_root && r < ranks_; ++r) {
      if (r != rank_ || out_ != in_ + part_of(rank_)) send(in_ + part_of(r), part_, r);
    }
    if (!is_root || out_ != in_ + part_of(rank_)) receive(out_, part_, request_.root);
  }

  void reduction() {
    const Type type = *type_of(request_.type, library_.version);
    const int op = begin_operator(type);
    const std::size_t count = request_.count;
    switch (request_.collective) {
      case Collective::all_reduce:
        if (count > 0) check(library_.calls.AllReduce(in_, out_, count, type, op, comm_, stream_), "ncclAllReduce");
        break;
      case Collective::reduce:
        if (count > 0) {
          check(library_.calls.Reduce(in_, out_, count, type, op, request_.root, comm_, stream_), "ncclReduce");
        }
        break;
      case Collective::reduce_scatter:
        if (count > 0) {
          check(library_.calls.ReduceScatter(in_, out_, count, type, op, comm_, stream_), "ncclReduceScatter");
        }
        break;
      default:
        for (int r = 0; r < ranks_; ++r) {
          const std::size_t elements = request_.counts[static_cast<std::size_t>(r)];
          if (elements == 0) continue;
          const std::byte* const part = in_ + part_begin(request_.counts, r);
          check(library_.calls.Reduce(part, r == rank_ ? out_ : nullptr, elements, type, op, r, comm_, stream_),
                "ncclReduce");
        }
        break;
    }
    if (request_.op.kind == Op::premultiplied_sum) check(library_.calls.RedOpDestroy(op, comm_), "ncclRedOpDestroy");
  }

  int begin_operator(Type type) {
    switch (request_.op.kind) {
      case Op::product:
        return op_product;
      case Op::minimum:
        return op_minimum;
      case Op::maximum:
        return op_maximum;
      case Op::average:
        return op_average;
      case Op::premultiplied_sum: {
        constexpr int on_host = 1;  // the scale is read before the call returns
        Scalar scale = scalar_of(request_.op.scale(), request_.type);
        int op = 0;
        check(library_.calls.RedOpCreatePreMulSum(&op, scale.bytes, type, on_host, comm_), "ncclRedOpCreatePreMulSum");
        return op;
      }
      default:
        return op_sum;
    }
  }

  const Library& library_;
  Comm comm_;
  const Request& request_;
  int rank_;
  int ranks_;
  CUstream_st* stream_;
  const Context& context_;
  const std::byte* in_;
  std::byte* out_;
  std::size_t part_;
};

}  // namespace

void issue(const NcclCommunicator& communicator, const Request& request, int rank, int ranks, Stream stream,
           const Context& context) {
  Issue(communicator, request, rank, ranks, stream, context).run();
}

std::size_t copy_needed(const Request& request, int ranks) {
  if (request.collective != Collective::all_to_all || request.in != request.out) return 0;
  return request.count * request.element_size * static_cast<std::size_t>(ranks);
}

}  // namespace tutti::nccl
