/// @file  8- and 16-bit floats: storage types that convert to and from float, and nothing else.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "tutti/base/host_device.hpp"

namespace tutti {

/// A float of `1 + ExponentBits + MantissaBits` bits. Conversion from float rounds to nearest, ties to even.
///
/// WithInfinity formats (float16, bfloat16) overflow to infinity, as IEEE 754 has it. The 8-bit ones saturate
/// to their largest finite value, as the OCP 8-bit specification's saturating mode and CUDA's conversions do;
/// NaN stays NaN. Source of the 8-bit layouts: OCP 8-bit Floating Point Specification (OFP8) 1.0, tables 1
/// and 2.
template <class Bits, int ExponentBits, int MantissaBits, bool Saturates, bool HasInfinity>
struct NarrowFloat {
  Bits bits = 0;

  NarrowFloat() = default;
  TUTTI_HOST_DEVICE explicit constexpr NarrowFloat(float value) : bits(round(value)) {}
  TUTTI_HOST_DEVICE explicit constexpr operator float() const { return widen(bits); }

  TUTTI_HOST_DEVICE static constexpr NarrowFloat from_bits(Bits bits) {
    NarrowFloat result;
    result.bits = bits;
    return result;
  }
  /// Bitwise: a NaN equals itself, -0 differs from +0.
  friend constexpr bool operator==(const NarrowFloat&, const NarrowFloat&) = default;

 private:
  static constexpr int bias = (1 << (ExponentBits - 1)) - 1;
  static constexpr std::uint32_t sign_bit = 1U << (ExponentBits + MantissaBits);
  static constexpr std::uint32_t exponent_mask = (1U << ExponentBits) - 1;
  static constexpr std::uint32_t mantissa_mask = (1U << MantissaBits) - 1;
  /// With infinity: all exponent bits set. Without (e4m3): only all ones is NaN, all else is finite.
  static constexpr std::uint32_t infinity = exponent_mask << MantissaBits;
  static constexpr std::uint32_t quiet_nan =
      HasInfinity ? infinity | (1U << (MantissaBits - 1)) : infinity | mantissa_mask;
  static constexpr std::uint32_t largest = HasInfinity ? infinity - 1 : quiet_nan - 1;

  TUTTI_HOST_DEVICE static constexpr Bits round(float value) {
    const auto word = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = (word >> 31) != 0 ? sign_bit : 0;
    const std::uint32_t magnitude = word & 0x7fffffffU;
    if (magnitude > 0x7f800000U) return static_cast<Bits>(sign | quiet_nan);
    const std::uint32_t over = Saturates ? largest : infinity;
    if (magnitude == 0x7f800000U) return static_cast<Bits>(sign | over);

    const int exponent = static_cast<int>(magnitude >> 23) - 127 + bias;
    std::uint32_t result = 0;
    if (exponent >= 1) {  // a normal number, or too large for one
      const int drop = 23 - MantissaBits;
      const std::uint32_t half = (1U << (drop - 1)) - 1 + ((magnitude >> drop) & 1U);
      const std::uint32_t rounded = (magnitude + half) >> drop;
      const auto rebased = static_cast<std::int64_t>(rounded) - (static_cast<std::int64_t>(127 - bias) << MantissaBits);
      result = rebased > static_cast<std::int64_t>(largest) ? over : static_cast<std::uint32_t>(rebased);
    } else {  // subnormal: shift the significand, with its leading one, further right
      const int drop = 23 - MantissaBits + 1 - exponent;
      if (drop <= 24 && magnitude >= 0x00800000U) {
        const std::uint32_t significand = (magnitude & 0x007fffffU) | 0x00800000U;
        const std::uint32_t kept = drop >= 24 ? 0 : significand >> drop;
        const std::uint32_t rest = significand & ((1U << drop) - 1);
        const std::uint32_t tie = 1U << (drop - 1);
        result = kept + ((rest > tie || (rest == tie && (kept & 1U) != 0)) ? 1 : 0);
      } else if (MantissaBits >= 7 && ExponentBits == 8) {  // bfloat16: float's own subnormals
        const int shift = 23 - MantissaBits;
        const std::uint32_t half = (1U << (shift - 1)) - 1 + ((magnitude >> shift) & 1U);
        result = (magnitude + half) >> shift;
      }
    }
    return static_cast<Bits>(sign | result);
  }

  TUTTI_HOST_DEVICE static constexpr float widen(Bits stored) {
    const std::uint32_t word = stored;
    const std::uint32_t sign = (word & sign_bit) != 0 ? 0x80000000U : 0;
    const std::uint32_t exponent = (word >> MantissaBits) & exponent_mask;
    const std::uint32_t mantissa = word & mantissa_mask;
    if (HasInfinity ? exponent == exponent_mask : (word & (sign_bit - 1)) == quiet_nan) {
      return std::bit_cast<float>(sign | 0x7f800000U | (mantissa << (23 - MantissaBits)));
    }
    if constexpr (ExponentBits == 8) return std::bit_cast<float>(sign | ((word & (sign_bit - 1)) << 16));
    if (exponent == 0) {  // subnormal: mantissa · 2^(1 - bias - MantissaBits)
      const float step = std::bit_cast<float>(static_cast<std::uint32_t>(127 + 1 - bias - MantissaBits) << 23);
      const float value = static_cast<float>(mantissa) * step;
      return sign != 0 ? -value : value;
    }
    return std::bit_cast<float>(sign | ((exponent + 127 - bias) << 23) | (mantissa << (23 - MantissaBits)));
  }
};

using float16 = NarrowFloat<std::uint16_t, 5, 10, false, true>;
using bfloat16 = NarrowFloat<std::uint16_t, 8, 7, false, true>;
using float8_e4m3 = NarrowFloat<std::uint8_t, 4, 3, true, false>;
using float8_e5m2 = NarrowFloat<std::uint8_t, 5, 2, true, true>;

template <class T>
inline constexpr bool is_narrow_float = std::is_same_v<T, float16> || std::is_same_v<T, bfloat16> ||
                                        std::is_same_v<T, float8_e4m3> || std::is_same_v<T, float8_e5m2>;

}  // namespace tutti
