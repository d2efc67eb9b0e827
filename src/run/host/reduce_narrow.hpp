/// @file  8- and 16-bit floats in registers: widened to float32, combined, rounded once. Compiled once an
/// instruction set.
// No #pragma once: read once more for each instruction set.
#if defined(TUTTI_RUN_HOST_REDUCE_NARROW) == defined(HWY_TARGET_TOGGLE)
#ifdef TUTTI_RUN_HOST_REDUCE_NARROW
#undef TUTTI_RUN_HOST_REDUCE_NARROW
#else
#define TUTTI_RUN_HOST_REDUCE_NARROW
#endif

#include "run/host/reduce_groups.hpp"
#include "tutti/base/narrow_float.hpp"

HWY_BEFORE_NAMESPACE();
namespace tutti::host::HWY_NAMESPACE {

/// Processors of these sets convert float16 themselves, subnormals included.
inline constexpr bool converts_float16 = HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3;

/// The conversions of NarrowFloat, N at a time, bit for bit; stored numbers lie in 32-bit lanes.
template <class T>
struct Converter;

template <class Bits, int Exponent, int Mantissa, bool Saturates, bool HasInfinity>
struct Converter<NarrowFloat<Bits, Exponent, Mantissa, Saturates, HasInfinity>> {
  static constexpr int bias = (1 << (Exponent - 1)) - 1;
  static constexpr int drop = 23 - Mantissa;
  static constexpr std::int32_t sign_bit = 1 << (Exponent + Mantissa);
  static constexpr std::int32_t top = ((1 << Exponent) - 1) << Mantissa;  // infinity, where there is one
  static constexpr std::int32_t quiet_nan = HasInfinity ? top | (1 << (Mantissa - 1)) : sign_bit - 1;
  static constexpr std::int32_t largest = HasInfinity ? top - 1 : quiet_nan - 1;
  static constexpr std::int32_t over = Saturates ? largest : top;

  template <class D, class DI = hn::RebindToSigned<D>>
  static HWY_INLINE hn::Vec<D> widen(D d, hn::Vec<DI> stored) {
    const DI di;
    if constexpr (Exponent == 8) return hn::BitCast(d, hn::ShiftLeft<16>(stored));
    const auto sign = hn::ShiftLeft<31 - Exponent - Mantissa>(hn::And(stored, hn::Set(di, sign_bit)));
    const auto magnitude = hn::And(stored, hn::Set(di, sign_bit - 1));
    const auto moved = hn::ShiftLeft<drop>(magnitude);
    const auto normal = hn::Add(moved, hn::Set(di, (127 - bias) << 23));
    // Subnormal: as the mantissa of a float with a leading one, which is then taken away; exact.
    const auto one = hn::Set(di, (127 - bias + 1) << 23);
    const auto subnormal = hn::BitCast(di, hn::Sub(hn::BitCast(d, hn::Add(moved, one)), hn::BitCast(d, one)));
    const auto finite = hn::IfThenElse(hn::Lt(magnitude, hn::Set(di, 1 << Mantissa)), subnormal, normal);
    const auto special = hn::Gt(magnitude, hn::Set(di, HasInfinity ? top - 1 : quiet_nan - 1));
    const auto all = hn::Or(moved, hn::Set(di, 0x7f800000));
    return hn::BitCast(d, hn::Or(hn::IfThenElse(special, all, finite), sign));
  }

  /// SignedNan: as NarrowFloat has it; else what is not a number loses its sign.
  template <bool SignedNan, class D, class DI = hn::RebindToSigned<D>>
  static HWY_INLINE hn::Vec<DI> round(D d, hn::Vec<D> value) {
    const DI di;
    const auto word = hn::BitCast(di, value);
    const auto magnitude = hn::And(word, hn::Set(di, 0x7fffffff));
    const auto sign = hn::And(hn::ShiftRight<31 - Exponent - Mantissa>(word), hn::Set(di, sign_bit));
    const auto odd = hn::And(hn::ShiftRight<drop>(magnitude), hn::Set(di, 1));
    // Wraps for some that are not numbers, and these are replaced below.
    const auto up = hn::Add(hn::Add(magnitude, hn::Set(di, (1 << (drop - 1)) - 1)), odd);
    auto rounded = hn::ShiftRight<drop>(up);
    if constexpr (Exponent != 8) {
      rounded = hn::Sub(rounded, hn::Set(di, (127 - bias) << Mantissa));
      // Subnormal: the adder rounds, once the last place is where that of the result is.
      const auto anchor = hn::Set(di, (127 - bias + drop + 1) << 23);
      const auto sum = hn::Add(hn::BitCast(d, magnitude), hn::BitCast(d, anchor));
      const auto subnormal = hn::Sub(hn::BitCast(di, sum), anchor);
      rounded = hn::IfThenElse(hn::Lt(magnitude, hn::Set(di, (127 - bias + 1) << 23)), subnormal, rounded);
      rounded = hn::Min(rounded, hn::Set(di, over));
    }
    const auto is_nan = hn::Gt(magnitude, hn::Set(di, 0x7f800000));
    const auto nan = hn::Set(di, quiet_nan);
    if constexpr (SignedNan) return hn::Or(hn::IfThenElse(is_nan, nan, rounded), sign);
    return hn::IfThenElse(is_nan, nan, hn::Or(rounded, sign));
  }
};

/// What replaces a value that is not a number: quiet, with its sign, or without where the value was computed.
template <class Op, class D, class V>
HWY_INLINE V quiet_nan(D d, V value) {
  const auto nan = hn::Set(d, std::numeric_limits<float>::quiet_NaN());
  return Op::computes ? nan : hn::CopySign(nan, value);
}

/// Any narrow float: a register of float32 at a time.
template <class T, class Op>
struct Narrow {
  using Type = T;
  static constexpr std::size_t full = HWY_LANES(float);
  static constexpr bool fast = false;
  static constexpr bool rounds = true;

  template <std::size_t N>
  struct Group {
    using D = hn::CappedTag<float, N>;
    using DI = hn::RebindToSigned<D>;
    using Stored = hn::Rebind<decltype(T::bits), D>;
    using Total = hn::Vec<D>;

    static HWY_INLINE Total load(const Byte* from) {
      const auto stored = hn::LoadU(Stored(), reinterpret_cast<const decltype(T::bits)*>(from));
      return Converter<T>::widen(D(), hn::PromoteTo(DI(), stored));
    }
    static HWY_INLINE Total combine(Total a, Total b) { return Op::apply(D(), a, b); }
    static HWY_INLINE Total finish(Total total, Finish how) { return finished(D(), total, how); }
    static HWY_INLINE hn::Vec<Stored> pack(Total total) {
      return hn::DemoteTo(Stored(), Converter<T>::template round<!Op::computes>(D(), total));
    }
    static HWY_INLINE void store(hn::Vec<Stored> packed, Byte* to) {
      hn::StoreU(packed, Stored(), reinterpret_cast<decltype(T::bits)*>(to));
    }
  };
};

/// float16 on processors that convert it.
template <class Op, bool Fast>
struct Half : Narrow<float16, Op> {
  static constexpr bool fast = Fast;

  template <std::size_t N>
  struct Group : Narrow<float16, Op>::template Group<N> {
    using Base = typename Narrow<float16, Op>::template Group<N>;
    using typename Base::D;
    using typename Base::Total;
    using Stored = hn::Rebind<hwy::float16_t, D>;
    using Words = hn::Rebind<std::uint16_t, D>;

    static HWY_INLINE Total load(const Byte* from) {
      return hn::PromoteTo(D(), hn::LoadU(Stored(), reinterpret_cast<const hwy::float16_t*>(from)));
    }
    static HWY_INLINE hn::Vec<Words> pack(Total total) {  // alone, the processor would keep parts of a NaN
      const auto plain = hn::IfThenElse(hn::IsNaN(total), quiet_nan<Op>(D(), total), total);
      return hn::BitCast(Words(), hn::DemoteTo(Stored(), plain));
    }
    static HWY_INLINE void store(hn::Vec<Words> packed, Byte* to) {
      hn::StoreU(packed, Words(), reinterpret_cast<std::uint16_t*>(to));
    }
    static HWY_INLINE void stream(hn::Vec<Words> packed, Byte* to) {
      hn::Stream(packed, Words(), reinterpret_cast<std::uint16_t*>(to));
    }
  };
};

/// bfloat16: the even and the odd elements of a register of 32-bit words, so that nothing crosses lanes.
template <class Op, bool Fast>
struct Brain {
  using Type = bfloat16;
  static constexpr std::size_t full = 2 * HWY_LANES(float);
  static constexpr bool fast = Fast && HWY_LANES(float) > 1;
  static constexpr bool rounds = true;

  template <std::size_t N>
  struct Group : Narrow<bfloat16, Op>::template Group<N> {};

  template <std::size_t N>
  requires(N == full) struct Group<N> {
    using D = hn::ScalableTag<float>;
    using DI = hn::RebindToSigned<D>;
    struct Total {
      hn::Vec<D> even, odd;
    };

    static HWY_INLINE Total load(const Byte* from) {
      const DI di;
      const auto words = hn::LoadU(di, reinterpret_cast<const std::int32_t*>(from));
      const auto upper = hn::Set(di, static_cast<std::int32_t>(0xffff0000U));
      return {hn::BitCast(D(), hn::ShiftLeft<16>(words)), hn::BitCast(D(), hn::And(words, upper))};
    }
    static HWY_INLINE Total combine(Total a, Total b) {
      return {Op::apply(D(), a.even, b.even), Op::apply(D(), a.odd, b.odd)};
    }
    static HWY_INLINE Total finish(Total total, Finish how) {
      return {finished(D(), total.even, how), finished(D(), total.odd, how)};
    }
    /// The upper halves hold the rounded number, the lower ones what is left over.
    static HWY_INLINE hn::Vec<DI> in_upper_half(hn::Vec<D> value) {
      const DI di;
      const auto word = hn::BitCast(di, value);
      const auto odd = hn::And(hn::ShiftRight<16>(word), hn::Set(di, 1));
      const auto rounded = hn::Add(hn::Add(word, hn::Set(di, 0x7fff)), odd);
      const auto nan = quiet_nan<Op>(D(), value);
      return hn::BitCast(di, hn::IfThenElse(hn::IsNaN(value), nan, hn::BitCast(D(), rounded)));
    }
    static HWY_INLINE hn::Vec<DI> pack(Total total) {
      const DI di;
      const auto even = hn::ShiftRight<16>(hn::BitCast(hn::RebindToUnsigned<D>(), in_upper_half(total.even)));
      const auto odd = hn::And(in_upper_half(total.odd), hn::Set(di, static_cast<std::int32_t>(0xffff0000U)));
      return hn::Or(hn::BitCast(di, even), odd);
    }
    static HWY_INLINE void store(hn::Vec<DI> packed, Byte* to) {
      hn::StoreU(packed, DI(), reinterpret_cast<std::int32_t*>(to));
    }
    static HWY_INLINE void stream(hn::Vec<DI> packed, Byte* to) {
      hn::Stream(packed, DI(), reinterpret_cast<std::int32_t*>(to));
    }
  };
};

}  // namespace tutti::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
