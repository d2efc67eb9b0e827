/// @file  How elements travel through registers, and how two groups combine. Compiled once an instruction
/// set.
// No #pragma once: read once more for each instruction set.
#if defined(TUTTI_RUN_HOST_REDUCE_GROUPS) == defined(HWY_TARGET_TOGGLE)
#ifdef TUTTI_RUN_HOST_REDUCE_GROUPS
#undef TUTTI_RUN_HOST_REDUCE_GROUPS
#else
#define TUTTI_RUN_HOST_REDUCE_GROUPS
#endif

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tutti::host::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Byte = unsigned char;

/// What happens to a combined element before it is stored; floats only.
struct Finish {
  enum class How : int { nothing, divide, multiply } how = How::nothing;
  double by = 1;
};

// ---- operators: the vector twins of the function objects in reduce_op.hpp ------------------------------
// `computes`: the result is a new number. Where that is not a number, it gets one fixed bit pattern as it is stored,
// because processors (and compilers, that take a + b for b + a) differ in whose bits they hand on.

struct AddOp {
  static constexpr bool computes = true;
  template <class D, class V>
  static HWY_INLINE V apply(D, V a, V b) {
    return hn::Add(a, b);
  }
};
struct MultiplyOp {
  static constexpr bool computes = true;
  template <class D, class V>
  static HWY_INLINE V apply(D d, V a, V b) {
    if constexpr (sizeof(hn::TFromD<D>) == 8 && !std::is_floating_point_v<hn::TFromD<D>>) {
      return long_product(d, a, b);
    } else {
      return hn::Mul(a, b);
    }
  }

 private:
  template <class D, class V>
  static HWY_INLINE V long_product(D d, V a, V b) {
    if constexpr (hn::MaxLanes(d) == 1) {
      return hn::Set(d, hn::GetLane(a) * hn::GetLane(b));
    } else {
      return a * b;
    }
  }
};
/// `a` stays unless `b` is strictly better, or only `b` is not a number: the rule of Minimum and Maximum.
struct MinimumOp {
  static constexpr bool computes = false;
  template <class D, class V>
  static HWY_INLINE V apply(D, V a, V b) {
    if constexpr (std::is_floating_point_v<hn::TFromD<D>>) {
      return hn::IfThenElse(hn::Or(hn::Le(a, b), hn::IsNaN(a)), a, b);
    } else {
      return hn::Min(a, b);
    }
  }
};
struct MaximumOp {
  static constexpr bool computes = false;
  template <class D, class V>
  static HWY_INLINE V apply(D, V a, V b) {
    if constexpr (std::is_floating_point_v<hn::TFromD<D>>) {
      return hn::IfThenElse(hn::Or(hn::Ge(a, b), hn::IsNaN(a)), a, b);
    } else {
      return hn::Max(a, b);
    }
  }
};
struct AndOp {
  static constexpr bool computes = false;
  template <class D, class V>
  static HWY_INLINE V apply(D, V a, V b) {
    return hn::And(a, b);
  }
};
struct OrOp {
  static constexpr bool computes = false;
  template <class D, class V>
  static HWY_INLINE V apply(D, V a, V b) {
    return hn::Or(a, b);
  }
};
struct XorOp {
  static constexpr bool computes = false;
  template <class D, class V>
  static HWY_INLINE V apply(D, V a, V b) {
    return hn::Xor(a, b);
  }
};

// ---- kernels --------------------------------------------------------------------------------------------
// A kernel is an element type, an operator, and Group<N>: N elements in registers, N a power of two up to
// `full`: loaded as a Total, combined, finished, packed as they are stored, stored. `fast` ones are compiled for two sources and one or two destinations as well, and stream directly.

template <class D, class V>
HWY_INLINE V finished(D d, V total, Finish finish) {
  const auto by = hn::Set(d, static_cast<hn::TFromD<D>>(finish.by));
  return finish.how == Finish::How::divide ? hn::Div(total, by) : hn::Mul(total, by);
}

template <class Op, class D, class V>
HWY_INLINE V settled(D d, V total) {
  using T = hn::TFromD<D>;
  if constexpr (Op::computes && std::is_floating_point_v<T>) {
    const auto nan = hn::Set(d, std::numeric_limits<T>::quiet_NaN());
    return hn::IfThenElse(hn::IsNaN(total), nan, total);
  }
  return total;
}

/// Elements combined as themselves.
template <class T, class Op, bool Fast = false>
struct Whole {
  using Type = T;
  static constexpr std::size_t full = HWY_LANES(T);
  static constexpr bool fast = Fast && full > 1;
  static constexpr bool rounds = false;

  template <std::size_t N>
  struct Group {
    using D = hn::CappedTag<T, N>;
    using Total = hn::Vec<D>;

    static HWY_INLINE Total load(const Byte* from) { return hn::LoadU(D(), reinterpret_cast<const T*>(from)); }
    static HWY_INLINE Total combine(Total a, Total b) { return Op::apply(D(), a, b); }
    static HWY_INLINE Total finish(Total total, Finish how) {
      if constexpr (std::is_floating_point_v<T>) return finished(D(), total, how);
      return total;
    }
    static HWY_INLINE Total pack(Total total) { return settled<Op>(D(), total); }
    static HWY_INLINE void store(Total packed, Byte* to) { hn::StoreU(packed, D(), reinterpret_cast<T*>(to)); }
    static HWY_INLINE void stream(Total packed, Byte* to) { hn::Stream(packed, D(), reinterpret_cast<T*>(to)); }
  };
};

/// Products of 8-bit integers: 16-bit lanes, of which the lower half is the product that wraps.
struct ByteProduct {
  using Type = std::uint8_t;
  static constexpr std::size_t full = HWY_LANES(std::uint16_t);
  static constexpr bool fast = false;
  static constexpr bool rounds = false;

  template <std::size_t N>
  struct Group {
    using D = hn::CappedTag<std::uint16_t, N>;
    using D8 = hn::Rebind<std::uint8_t, D>;
    using Total = hn::Vec<D>;

    static HWY_INLINE Total load(const Byte* from) { return hn::PromoteTo(D(), hn::LoadU(D8(), from)); }
    static HWY_INLINE Total combine(Total a, Total b) { return hn::Mul(a, b); }
    static HWY_INLINE Total finish(Total total, Finish) { return total; }
    static HWY_INLINE hn::Vec<D8> pack(Total total) {
      const hn::RebindToSigned<D> di;
      return hn::DemoteTo(D8(), hn::BitCast(di, hn::And(total, hn::Set(D(), 0xff))));
    }
    static HWY_INLINE void store(hn::Vec<D8> packed, Byte* to) { hn::StoreU(packed, D8(), to); }
  };
};

}  // namespace tutti::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
