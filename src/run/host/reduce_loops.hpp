/// @file  The loops that a table holds: a kernel as it is, averaged, premultiplied. Compiled once an
/// instruction set.
// No #pragma once: read once more for each instruction set.
#if defined(TUTTI_RUN_HOST_REDUCE_LOOPS) == defined(HWY_TARGET_TOGGLE)
#ifdef TUTTI_RUN_HOST_REDUCE_LOOPS
#undef TUTTI_RUN_HOST_REDUCE_LOOPS
#else
#define TUTTI_RUN_HOST_REDUCE_LOOPS
#endif

#include <cstring>
#include <new>
#include <type_traits>

#include "run/host/reduce_engine.hpp"

HWY_BEFORE_NAMESPACE();
namespace tutti::host::HWY_NAMESPACE {

template <class Kernel>
void plain_loop(const ReduceCall& call, const void*) {
  reduce<Kernel>(call, {});
}

/// T: what the elements are, where the kernel adds signed integers as unsigned ones.
template <class Kernel, class T>
void average_loop(const ReduceCall& call, const void*) {
  if (call.finish_over <= 0) return reduce<Kernel>(call, {});
  if constexpr (!std::is_integral_v<T>) {
    reduce<Kernel>(call, {Finish::How::divide, static_cast<double>(call.finish_over)});
  } else {
    const std::uint32_t streaming = streaming_of(call);
    alignas(64) Byte bytes[piece_bytes];
    T* const scratch = std::launder(reinterpret_cast<T*>(bytes));
    void* const into = scratch;
    for (CallPiece piece(call, sizeof(T)); piece.next();) {
      const std::size_t count = piece.call().count;
      general_pass<Kernel>(piece.into(&into), {}, 0, count * sizeof(T));
      for (std::size_t i = 0; i < count; ++i) scratch[i] = averaged(scratch[i], call.finish_over);
      piece.spread(scratch, streaming);
    }
    if (streaming != 0) order_streamed_writes();
  }
}

template <class Kernel, class T>
void premultiplied_loop(const ReduceCall& call, const void* state) {
  if (call.prepare < 0) return reduce<Kernel>(call, {});
  double scale = 1;
  std::memcpy(&scale, state, sizeof scale);
  const std::uint32_t streaming = streaming_of(call);
  alignas(64) Byte bytes[piece_bytes];  // not T: nothing is to initialise them
  T* const scratch = std::launder(reinterpret_cast<T*>(bytes));
  void* const into = scratch;
  for (CallPiece piece(call, sizeof(T)); piece.next();) {
    const std::size_t count = piece.call().count;
    if constexpr (std::is_integral_v<T>) {
      std::memcpy(scratch, piece.source(call.prepare), count * sizeof(T));
      for (std::size_t i = 0; i < count; ++i) scratch[i] = premultiply(scratch[i], scale);
    } else {
      const void* const from = piece.source(call.prepare);
      const ReduceCall scaling{
          .sources = &from, .source_count = 1, .destinations = &into, .destination_count = 1, .count = count};
      general_pass<Kernel>(scaling, {Finish::How::multiply, scale}, 0, count * sizeof(T));
    }
    piece.replace_source(call.prepare, scratch);
    unordered<Kernel>(piece.call(), {}, streaming);
  }
  if (streaming != 0) order_streamed_writes();
}

/// Those of a float type whose kernels are Kernel<operator, fast>.
template <class T, template <class Op, bool Fast> class Kernel>
constexpr Loops float_loops() {
  using Sum = Kernel<AddOp, true>;
  Loops loops;
  const auto at = [&](Op op) -> ReduceOp::Loop& { return loops.by_op[static_cast<int>(op)]; };
  at(Op::sum) = &plain_loop<Sum>;
  at(Op::product) = &plain_loop<Kernel<MultiplyOp, false>>;
  at(Op::minimum) = &plain_loop<Kernel<MinimumOp, false>>;
  at(Op::maximum) = &plain_loop<Kernel<MaximumOp, false>>;
  at(Op::average) = &average_loop<Sum, T>;
  at(Op::premultiplied_sum) = &premultiplied_loop<Sum, T>;
  return loops;
}

template <class T>
struct Multiplied {
  using Kernel = Whole<T, MultiplyOp>;
};
template <>
struct Multiplied<std::uint8_t> {
  using Kernel = ByteProduct;
};

/// Those of an integer type. Signs matter to the order and to the division only.
template <class T>
constexpr Loops integer_loops() {
  using U = std::make_unsigned_t<T>;
  using Sum = Whole<U, AddOp>;
  Loops loops;
  const auto at = [&](Op op) -> ReduceOp::Loop& { return loops.by_op[static_cast<int>(op)]; };
  at(Op::sum) = &plain_loop<Sum>;
  at(Op::product) = &plain_loop<typename Multiplied<U>::Kernel>;
  at(Op::minimum) = &plain_loop<Whole<T, MinimumOp>>;
  at(Op::maximum) = &plain_loop<Whole<T, MaximumOp>>;
  at(Op::average) = &average_loop<Sum, T>;
  at(Op::premultiplied_sum) = &premultiplied_loop<Sum, T>;
  at(Op::bitwise_and) = &plain_loop<Whole<U, AndOp>>;
  at(Op::bitwise_or) = &plain_loop<Whole<U, OrOp>>;
  at(Op::bitwise_xor) = &plain_loop<Whole<U, XorOp>>;
  return loops;
}

}  // namespace tutti::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
