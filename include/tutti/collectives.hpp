/// @file  Collectives: the calls. Each packs itself into a Request and hands it to whatever takes requests.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>

#include "tutti/base/element.hpp"
#include "tutti/base/reduce_op.hpp"
#include "tutti/base/request.hpp"
#include "tutti/base/span.hpp"

namespace tutti {

/// Whatever takes requests, among `size()` ranks: a Communicator runs them, a Group records them. What a call gives back
/// is what its receiver makes of it; a Communicator's is a Work.
template <class R>
concept Receiver = requires(std::remove_reference_t<R>& receiver, const Request& request) {
  receiver.submit(request);
  { receiver.size() } -> std::convertible_to<int>;
};

/// A buffer that is only read. (Its element type is taken from the other buffer, so that anything that converts will do.)
template <class T, Memory M>
using In = std::type_identity_t<Span<const T, M>>;

/// One count a rank, in elements.
using Counts = std::span<const std::size_t>;

/// Packs a call. `count`: elements of the smaller side.
template <class T, Memory M>
Request make_request(Collective collective, Span<const T, M> in, Span<T, M> out, std::size_t count,
                     const Options& options) {
  static_assert(Element<T>, "a buffer holds trivially copyable elements of at most 32 bytes, no bool and no pointer");
  Request request;
  request.collective = collective;
  request.type = data_type_of<T>();
  request.memory = M;
  request.element_size = sizeof(T);
  request.in = in.data;
  request.out = out.data;
  request.in_count = in.count;
  request.out_count = out.count;
  request.count = count;
  request.options = options;
  return request;
}

/// The same with an operator.
template <class T, Memory M, class F>
Request make_request(Collective collective, Span<const T, M> in, Span<T, M> out, std::size_t count, const F& op,
                     const Options& options) {
  static_assert(Reduction<F, T>, "an operator is a small trivially copyable function object, T op(T, T)");
  if constexpr (requires { F::kind; }) {
    static_assert(data_type_of<T>() != DataType::user,
                  "the ready-made operators combine numbers; bring a function object for elements of your own type");
  }
  Request request = make_request(collective, in, out, count, options);
  request.op = pack<T>(op);
  return request;
}

// ---- every rank gets the combination -----------------------------------------------------------------------------

/// Element-wise reduction over all ranks; every rank receives the whole result.
///
///   in   [count] T   this rank's part; count, T and op are the same on every rank
///   out  [count] T   op over the parts of all ranks; may be `in` itself
template <Receiver R, class T, Memory M, class Op>
auto all_reduce(R&& receiver, In<T, M> in, Span<T, M> out, const Op& op, const Options& options = {}) {
  return receiver.submit(make_request(Collective::all_reduce, in, out, out.count, op, options));
}
/// In place.
template <Receiver R, class T, Memory M, class Op>
auto all_reduce(R&& receiver, Span<T, M> in_out, const Op& op, const Options& options = {}) {
  return all_reduce(receiver, In<T, M>(in_out), in_out, op, options);
}

/// Element-wise reduction; rank r receives part r of the result.
///
///   in   [size][count] T
///   out  [count] T       part `rank` of the reduction; may be that part of `in`
template <Receiver R, class T, Memory M, class Op>
auto reduce_scatter(R&& receiver, In<T, M> in, Span<T, M> out, const Op& op, const Options& options = {}) {
  return receiver.submit(make_request(Collective::reduce_scatter, in, out, out.count, op, options));
}

/// The same with parts of different lengths.
///
///   in      [sum of counts] T   the parts one after another, in the order of ranks
///   out     [counts[rank]] T
///   counts  [size]              the same on every rank; read until the work is done
template <Receiver R, class T, Memory M, class Op>
auto reduce_scatter_v(R&& receiver, In<T, M> in, Span<T, M> out, Counts counts, const Op& op,
                      const Options& options = {}) {
  Request request = make_request(Collective::reduce_scatter_v, in, out, out.count, op, options);
  request.counts = counts;
  return receiver.submit(request);
}

/// Element-wise reduction to one rank.
///
///   in   [count] T   on every rank
///   out  [count] T   on the root, may be `in` itself; elsewhere not used
template <Receiver R, class T, Memory M, class Op>
auto reduce(R&& receiver, In<T, M> in, Span<T, M> out, const Op& op, int root, const Options& options = {}) {
  Request request = make_request(Collective::reduce, in, out, in.count, op, options);
  request.root = root;
  return receiver.submit(request);
}
/// In place on the root; the other ranks' buffers are only read.
template <Receiver R, class T, Memory M, class Op>
auto reduce(R&& receiver, Span<T, M> in_out, const Op& op, int root, const Options& options = {}) {
  return reduce(receiver, In<T, M>(in_out), in_out, op, root, options);
}

// ---- data moves, unchanged ---------------------------------------------------------------------------------------

/// Every rank receives what all ranks have.
///
///   in   [count] T         this rank's part
///   out  [size][count] T   the parts in the order of ranks; `in` may be this rank's part of it
template <Receiver R, class T, Memory M>
auto all_gather(R&& receiver, In<T, M> in, Span<T, M> out, const Options& options = {}) {
  return receiver.submit(make_request(Collective::all_gather, in, out, in.count, options));
}

/// The same with parts of different lengths.
///
///   in      [counts[rank]] T
///   out     [sum of counts] T   the parts one after another, in the order of ranks
///   counts  [size]              the same on every rank; read until the work is done
template <Receiver R, class T, Memory M>
auto all_gather_v(R&& receiver, In<T, M> in, Span<T, M> out, Counts counts, const Options& options = {}) {
  Request request = make_request(Collective::all_gather_v, in, out, in.count, options);
  request.counts = counts;
  return receiver.submit(request);
}

/// The root's buffer to every rank.
///
///   in_out  [count] T   read on the root, written elsewhere
template <Receiver R, class T, Memory M>
auto broadcast(R&& receiver, Span<T, M> in_out, int root, const Options& options = {}) {
  Request request = make_request(Collective::broadcast, In<T, M>(in_out), in_out, in_out.count, options);
  request.root = root;
  return receiver.submit(request);
}
/// From one buffer into another.
///
///   in   [count] T   on the root; elsewhere not used
///   out  [count] T   on every rank
template <Receiver R, class T, Memory M>
auto broadcast(R&& receiver, In<T, M> in, Span<T, M> out, int root, const Options& options = {}) {
  Request request = make_request(Collective::broadcast, in, out, out.count, options);
  request.root = root;
  return receiver.submit(request);
}

/// Every rank sends a part of its own to every rank.
///
///   in   [size][count] T   part r goes to rank r
///   out  [size][count] T   part r came from rank r; may be `in` itself
template <Receiver R, class T, Memory M>
auto all_to_all(R&& receiver, In<T, M> in, Span<T, M> out, const Options& options = {}) {
  const std::size_t count = out.count / static_cast<std::size_t>(receiver.size());
  return receiver.submit(make_request(Collective::all_to_all, in, out, count, options));
}

/// The same with parts of different lengths.
///
///   in           [sum of send_counts] T      the parts one after another; part r goes to rank r
///   out          [sum of receive_counts] T   the parts one after another; part r came from rank r
///   the counts   [size]                      receive_counts[s] here equals send_counts[rank] on rank s; read until done
template <Receiver R, class T, Memory M>
auto all_to_all_v(R&& receiver, In<T, M> in, Counts send_counts, Span<T, M> out, Counts receive_counts,
                  const Options& options = {}) {
  Request request = make_request(Collective::all_to_all_v, in, out, 0, options);
  request.counts = send_counts;
  request.receive_counts = receive_counts;
  return receiver.submit(request);
}

/// The root receives what all ranks have.
///
///   in   [count] T         on every rank
///   out  [size][count] T   on the root, where `in` may be its part; elsewhere not used
template <Receiver R, class T, Memory M>
auto gather(R&& receiver, In<T, M> in, Span<T, M> out, int root, const Options& options = {}) {
  Request request = make_request(Collective::gather, in, out, in.count, options);
  request.root = root;
  return receiver.submit(request);
}

/// Every rank receives its part of what the root has.
///
///   in   [size][count] T   on the root; elsewhere not used
///   out  [count] T         on every rank; on the root it may be its part of `in`
template <Receiver R, class T, Memory M>
auto scatter(R&& receiver, In<T, M> in, Span<T, M> out, int root, const Options& options = {}) {
  Request request = make_request(Collective::scatter, in, out, out.count, options);
  request.root = root;
  return receiver.submit(request);
}

// ---- two ranks, and all with nothing -----------------------------------------------------------------------------

/// To one rank, which calls recv with the same count. Done when `in` may be used again, not when it has arrived.
/// Sends to one rank arrive in order. Two ranks that send to each other first need a Group.
///
///   in  [count] T
template <Receiver R, class T, Memory M>
requires(!std::is_const_v<T>) auto send(R&& receiver, Span<T, M> in, int peer, const Options& options = {}) {
  Request request = make_request(Collective::send, In<T, M>(in), Span<T, M>{}, in.count, options);
  request.root = peer;
  return receiver.submit(request);
}
template <Receiver R, class T, Memory M>
auto send(R&& receiver, Span<const T, M> in, int peer, const Options& options = {}) {
  Request request = make_request(Collective::send, in, Span<T, M>{}, in.count, options);
  request.root = peer;
  return receiver.submit(request);
}

/// From one rank.
///
///   out  [count] T
template <Receiver R, class T, Memory M>
auto recv(R&& receiver, Span<T, M> out, int peer, const Options& options = {}) {
  Request request = make_request(Collective::recv, In<T, M>{}, out, out.count, options);
  request.root = peer;
  return receiver.submit(request);
}

/// Done when every rank has called it.
template <Receiver R>
auto barrier(R&& receiver, const Options& options = {}) {
  Request request;
  request.collective = Collective::barrier;
  request.element_size = 0;
  request.count = 1;
  request.options = options;
  return receiver.submit(request);
}

}  // namespace tutti
