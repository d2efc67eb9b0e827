/// @file  A call from end to end: copied, plain, or streamed straight or through scratch. Compiled once an
/// instruction set.
// No #pragma once: read once more for each instruction set.
#if defined(TUTTI_RUN_HOST_REDUCE_ENGINE) == defined(HWY_TARGET_TOGGLE)
#ifdef TUTTI_RUN_HOST_REDUCE_ENGINE
#undef TUTTI_RUN_HOST_REDUCE_ENGINE
#else
#define TUTTI_RUN_HOST_REDUCE_ENGINE
#endif

#include <cstdint>

#include "run/host/reduce.hpp"
#include "run/host/reduce_pass.hpp"
#include "run/host/reduce_piece.hpp"
#include "run/host/reduce_table.hpp"

HWY_BEFORE_NAMESPACE();
namespace tutti::host::HWY_NAMESPACE {

/// Bit d: destination d of the call is to be streamed.
HWY_INLINE std::uint32_t streaming_of(const ReduceCall& call) {
  return call.destination_count >= 32 ? call.streaming
                                      : call.streaming & ((std::uint32_t{1} << call.destination_count) - 1);
}

/// Bytes [begin, end) of the arrays, with ordinary stores, whatever the numbers of arrays.
template <class Kernel>
HWY_NOINLINE void general_pass(const ReduceCall& call, Finish finish, std::size_t begin, std::size_t end) {
  const Pass<Kernel, 0, 0, false> pass(call, finish);
  pass.rest(pass.blocks(begin, end), end);
}

/// The most frequent passes, two sources into one or two destinations, by loops of their own; false: another one.
template <class Kernel>
HWY_INLINE bool frequent_pass(const ReduceCall& call, std::size_t bytes) {
  if constexpr (Kernel::fast) {
    if (call.source_count == 2 && call.destination_count == 1) {
      const Pass<Kernel, 2, 1, false> pass(call, {});
      pass.rest(pass.blocks(0, bytes), bytes);
      return true;
    }
    if (call.source_count == 2 && call.destination_count == 2) {
      const Pass<Kernel, 2, 2, false> pass(call, {});
      pass.rest(pass.blocks(0, bytes), bytes);
      return true;
    }
  }
  return false;
}

/// Through scratch in the first-level cache, which is then copied to each destination its own way.
template <class Kernel>
HWY_NOINLINE void through_scratch(const ReduceCall& call, Finish finish, std::uint32_t streaming) {
  using T = typename Kernel::Type;
  alignas(64) Byte scratch[piece_bytes];
  void* const into = scratch;
  for (CallPiece piece(call, sizeof(T)); piece.next();) {
    general_pass<Kernel>(piece.into(&into), finish, 0, piece.call().count * sizeof(T));
    piece.spread(scratch, streaming);
  }
}

/// Straight from registers; false: the streamed destinations do not reach a cache line's beginning together.
template <class Kernel>
HWY_INLINE bool straight(const ReduceCall& call, Finish finish, std::uint32_t streaming) {
  using T = typename Kernel::Type;
  std::size_t head = 0;
  bool found = false;
  for (int d = 0; d < call.destination_count && d < 32; ++d) {
    if (((streaming >> d) & 1U) == 0) continue;
    const std::size_t before = -reinterpret_cast<std::uintptr_t>(call.destinations[d]) % 64;
    if (before % sizeof(T) != 0 || (found && before != head)) return false;
    head = before;
    found = true;
  }
  const std::size_t end = call.count * sizeof(T);
  // Head and tail share cache lines with what is not ours to stream.
  general_pass<Kernel>(call, finish, 0, head);
  const bool two = call.source_count == 2 && finish.how == Finish::How::nothing;
  std::size_t at = 0;
  if (two && call.destination_count == 1) {
    at = Pass<Kernel, 2, 1, true>(call, finish, streaming).blocks(head, end);
  } else if (two && call.destination_count == 2) {
    at = Pass<Kernel, 2, 2, true>(call, finish, streaming).blocks(head, end);
  } else {
    at = Pass<Kernel, 0, 0, true>(call, finish, streaming).blocks(head, end);
  }
  general_pass<Kernel>(call, finish, at, end);
  return true;
}

/// Streamed destinations; orders nothing.
template <class Kernel>
HWY_NOINLINE void streamed(const ReduceCall& call, Finish finish, std::uint32_t streaming) {
  if constexpr (Kernel::fast) {
    if (straight<Kernel>(call, finish, streaming)) return;
  }
  through_scratch<Kernel>(call, finish, streaming);
}

/// Shorter calls are not worth streaming: what they write shares its cache lines with others.
inline constexpr std::size_t least_streamed = 512;

/// Orders nothing.
template <class Kernel>
HWY_INLINE void few_sources(const ReduceCall& call, Finish finish, std::uint32_t streaming) {
  const std::size_t bytes = call.count * sizeof(typename Kernel::Type);
  if (streaming == 0 || bytes < least_streamed) return general_pass<Kernel>(call, finish, 0, bytes);
  streamed<Kernel>(call, finish, streaming);
}

/// So many sources are read at once; prefetchers and address translation follow no more.
inline constexpr int sources_at_once = 8;
inline constexpr std::size_t least_in_turns = 1024;

/// Orders nothing. Many sources come in turns, a piece at a time, with what is combined so far as the first of each
/// turn; only kernels that round nothing can put it aside.
template <class Kernel>
HWY_NOINLINE void unordered(const ReduceCall& call, Finish finish, std::uint32_t streaming) {
  if constexpr (!Kernel::rounds) {
    const std::size_t bytes = call.count * sizeof(typename Kernel::Type);
    if (call.source_count > sources_at_once && bytes >= least_in_turns) {
      alignas(64) Byte scratch[piece_bytes];
      void* const into = scratch;
      for (CallPiece piece(call, sizeof(typename Kernel::Type)); piece.next();) {
        int from = 0;
        for (; call.source_count - from > sources_at_once; from += sources_at_once - 1) {
          ReduceCall turn = piece.into(&into);
          turn.sources += from;
          turn.source_count = sources_at_once;
          general_pass<Kernel>(turn, {}, 0, turn.count * sizeof(typename Kernel::Type));
          piece.replace_source(from + sources_at_once - 1, scratch);
        }
        ReduceCall last = piece.call();
        last.sources += from;
        last.source_count -= from;
        few_sources<Kernel>(last, finish, streaming);
      }
      return;
    }
  }
  few_sources<Kernel>(call, finish, streaming);
}

template <class Kernel>
HWY_NOINLINE void general(const ReduceCall& call, Finish finish) {
  if (call.source_count == 1 && finish.how == Finish::How::nothing) {
    const std::size_t bytes = call.count * sizeof(typename Kernel::Type);
    return copy(call.sources[0], call.destinations, call.destination_count, bytes, call.streaming);
  }
  const std::uint32_t streaming = streaming_of(call);
  unordered<Kernel>(call, finish, streaming);
  if (streaming != 0) order_streamed_writes();
}

template <class Kernel>
HWY_INLINE void reduce(const ReduceCall& call, Finish finish) {
  if (finish.how == Finish::How::nothing) {
    const std::size_t bytes = call.count * sizeof(typename Kernel::Type);
    if ((call.streaming == 0 || bytes < least_streamed) && frequent_pass<Kernel>(call, bytes)) return;
  }
  general<Kernel>(call, finish);
}

}  // namespace tutti::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
