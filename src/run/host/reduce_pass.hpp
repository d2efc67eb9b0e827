/// @file  One pass over arrays: blocks of four groups, then single ones, then halves down to one element.
/// Compiled once an instruction set.
// No #pragma once: read once more for each instruction set.
#if defined(TUTTI_RUN_HOST_REDUCE_PASS) == defined(HWY_TARGET_TOGGLE)
#ifdef TUTTI_RUN_HOST_REDUCE_PASS
#undef TUTTI_RUN_HOST_REDUCE_PASS
#else
#define TUTTI_RUN_HOST_REDUCE_PASS
#endif

#include "run/host/reduce_groups.hpp"
#include "tutti/base/reduce_op.hpp"

HWY_BEFORE_NAMESPACE();
namespace tutti::host::HWY_NAMESPACE {

/// Combines the sources of a call and stores to its destinations. Offsets are bytes.
///
/// Every group is loaded from all sources before it is stored anywhere, and none is visited twice: that is
/// what lets a destination be a source. `Sources` and `Destinations` fix their numbers; 0: as the call says,
/// and only then is there something to finish.
template <class Kernel, int Sources, int Destinations, bool Streams>
class Pass {
 public:
  using T = typename Kernel::Type;
  using Full = typename Kernel::template Group<Kernel::full>;
  static constexpr std::size_t step = Kernel::full * sizeof(T);

  HWY_INLINE explicit Pass(const ReduceCall& call, Finish finish, std::uint32_t streaming = 0)
      : call_(call), finish_(finish), streaming_(streaming) {
    if constexpr (Sources == 2) {
      first_ = static_cast<const Byte*>(call.sources[0]);
      second_ = static_cast<const Byte*>(call.sources[1]);
    }
    if constexpr (Destinations >= 1) to_ = static_cast<Byte*>(call.destinations[0]);
    if constexpr (Destinations == 2) also_to_ = static_cast<Byte*>(call.destinations[1]);
  }

  /// As many blocks as fit into [at, end); gives where they stop.
  HWY_INLINE std::size_t blocks(std::size_t at, std::size_t end) const {
    for (; end - at >= 4 * step; at += 4 * step) block(at);
    return at;
  }

  /// The rest of [at, end), which is less than a block long.
  HWY_INLINE void rest(std::size_t at, std::size_t end) const {
    for (; end - at >= step; at += step) single<Full>(at);
    halves<Kernel::full / 2>(at, end);
  }

 private:
  template <class Group>
  using Total = typename Group::Total;
  template <class Group>
  using Stored = decltype(Group::pack(Total<Group>()));

  HWY_INLINE const Byte* source(int s) const { return static_cast<const Byte*>(call_.sources[s]); }
  HWY_INLINE Byte* destination(int d) const { return static_cast<Byte*>(call_.destinations[d]); }

  HWY_INLINE void block(std::size_t at) const {
    Total<Full> a, b, c, d;
    if constexpr (Sources == 2) {
      a = Full::combine(Full::load(first_ + at), Full::load(second_ + at));
      b = Full::combine(Full::load(first_ + at + step), Full::load(second_ + at + step));
      c = Full::combine(Full::load(first_ + at + 2 * step), Full::load(second_ + at + 2 * step));
      d = Full::combine(Full::load(first_ + at + 3 * step), Full::load(second_ + at + 3 * step));
    } else {
      const Byte* from = source(0) + at;
      a = Full::load(from);
      b = Full::load(from + step);
      c = Full::load(from + 2 * step);
      d = Full::load(from + 3 * step);
      for (int s = 1; s < call_.source_count; ++s) {
        from = source(s) + at;
        a = Full::combine(a, Full::load(from));
        b = Full::combine(b, Full::load(from + step));
        c = Full::combine(c, Full::load(from + 2 * step));
        d = Full::combine(d, Full::load(from + 3 * step));
      }
      if (finish_.how != Finish::How::nothing) [[unlikely]] {
        a = Full::finish(a, finish_);
        b = Full::finish(b, finish_);
        c = Full::finish(c, finish_);
        d = Full::finish(d, finish_);
      }
    }
    const auto p = Full::pack(a);
    const auto q = Full::pack(b);
    const auto r = Full::pack(c);
    const auto s = Full::pack(d);
    if constexpr (Destinations != 0) {
      put(p, q, r, s, to_ + at, 0);
      if constexpr (Destinations == 2) put(p, q, r, s, also_to_ + at, 1);
    } else {
      for (int i = 0; i < call_.destination_count; ++i) put(p, q, r, s, destination(i) + at, i);
    }
  }

  /// A block, to destination `d`.
  HWY_INLINE void put(Stored<Full> a, Stored<Full> b, Stored<Full> c, Stored<Full> e, Byte* to, int d) const {
    if constexpr (Streams) {
      if (d < 32 && ((streaming_ >> d) & 1U) != 0) {
        Full::stream(a, to);
        Full::stream(b, to + step);
        Full::stream(c, to + 2 * step);
        Full::stream(e, to + 3 * step);
        return;
      }
    }
    Full::store(a, to);
    Full::store(b, to + step);
    Full::store(c, to + 2 * step);
    Full::store(e, to + 3 * step);
  }

  template <class Group>
  HWY_INLINE void single(std::size_t at) const {
    Total<Group> total;
    if constexpr (Sources == 2) {
      total = Group::combine(Group::load(first_ + at), Group::load(second_ + at));
    } else {
      total = Group::load(source(0) + at);
      for (int s = 1; s < call_.source_count; ++s) total = Group::combine(total, Group::load(source(s) + at));
      if (finish_.how != Finish::How::nothing) [[unlikely]]
        total = Group::finish(total, finish_);
    }
    const auto stored = Group::pack(total);
    if constexpr (Destinations != 0) {
      Group::store(stored, to_ + at);
      if constexpr (Destinations == 2) Group::store(stored, also_to_ + at);
    } else {
      for (int d = 0; d < call_.destination_count; ++d) Group::store(stored, destination(d) + at);
    }
  }

  template <std::size_t N>
  HWY_INLINE void halves(std::size_t at, std::size_t end) const {
    if constexpr (N != 0) {
      if (((end - at) & (N * sizeof(T))) != 0) {
        single<typename Kernel::template Group<N>>(at);
        at += N * sizeof(T);
      }
      halves<N / 2>(at, end);
    }
  }

  const ReduceCall& call_;
  Finish finish_;
  std::uint32_t streaming_;
  const Byte* first_ = nullptr;
  const Byte* second_ = nullptr;
  Byte* to_ = nullptr;
  Byte* also_to_ = nullptr;
};

}  // namespace tutti::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
