/// @file  What a reduction must give, element by element, from the definitions in base alone; and hard inputs.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include "tutti/base/element.hpp"
#include "tutti/base/reduce_op.hpp"

namespace tutti::test {

/// Calls f(T{}) with the C++ type of a DataType.
template <class F>
void with_type(DataType type, const F& f) {
  switch (type) {
    case DataType::int8:
      return f(std::int8_t{});
    case DataType::uint8:
      return f(std::uint8_t{});
    case DataType::int16:
      return f(std::int16_t{});
    case DataType::uint16:
      return f(std::uint16_t{});
    case DataType::int32:
      return f(std::int32_t{});
    case DataType::uint32:
      return f(std::uint32_t{});
    case DataType::int64:
      return f(std::int64_t{});
    case DataType::uint64:
      return f(std::uint64_t{});
    case DataType::float16:
      return f(float16{});
    case DataType::bfloat16:
      return f(bfloat16{});
    case DataType::float8_e4m3:
      return f(float8_e4m3{});
    case DataType::float8_e5m2:
      return f(float8_e5m2{});
    case DataType::float32:
      return f(float{});
    case DataType::float64:
      return f(double{});
    case DataType::user:
      break;
  }
  throw std::logic_error("not a ready-made type");
}

/// Calls f(op) with the function object of a kind, if elements of T have it; false: they have not.
template <class T, class F>
bool with_op(Op kind, double scale, const F& f) {
  const auto call = [&](const auto& op) {
    if constexpr (Reduction<std::remove_cvref_t<decltype(op)>, T>) {
      f(op);
      return true;
    }
    return false;
  };
  switch (kind) {
    case Op::sum:
      return call(sum);
    case Op::product:
      return call(product);
    case Op::minimum:
      return call(minimum);
    case Op::maximum:
      return call(maximum);
    case Op::average:
      return call(average);
    case Op::premultiplied_sum:
      return call(premultiplied_sum(scale));
    case Op::bitwise_and:
      return call(bitwise_and);
    case Op::bitwise_or:
      return call(bitwise_or);
    case Op::bitwise_xor:
      return call(bitwise_xor);
    default:
      return false;
  }
}

/// One element of the result.
template <class T, class F>
T reference(const F& op, const std::vector<T>& parts, int prepare, double scale, int finish_over) {
  using A = accumulator_t<T>;
  const auto part = [&](std::size_t s) {
    const T x = parts[s];
    return static_cast<A>(static_cast<int>(s) == prepare ? premultiply(x, scale) : x);
  };
  if (parts.size() == 1 && prepare != 0 && finish_over == 0) return parts[0];
  A total = part(0);
  for (std::size_t s = 1; s < parts.size(); ++s) total = op(total, part(s));
  if (finish_over > 0) total = averaged(total, finish_over);
  if constexpr (!std::is_integral_v<T>) {  // whose bits a sum of two that are not numbers has: nobody's
    if (F::kind != Op::minimum && F::kind != Op::maximum && total != total) total = std::numeric_limits<A>::quiet_NaN();
  }
  return static_cast<T>(total);
}

/// Bits that hurt: zeros of both signs, the smallest and largest of each kind, infinities, several that are not
/// numbers; between them ordinary ones of like size.
template <class T>
T hard_value(std::mt19937_64& random) {
  std::uint64_t word = random();
  constexpr int width = 8 * sizeof(T);
  if constexpr (!std::is_integral_v<T>) {
    constexpr int mantissa = sizeof(T) == 8                   ? 52
                             : sizeof(T) == 4                 ? 23
                             : std::is_same_v<T, float16>     ? 10
                             : std::is_same_v<T, bfloat16>    ? 7
                             : std::is_same_v<T, float8_e4m3> ? 3
                                                              : 2;
    const std::uint64_t sign = word & (std::uint64_t{1} << (width - 1));
    const std::uint64_t fraction = (word >> 8) & ((std::uint64_t{1} << mantissa) - 1);
    const std::uint64_t exponents = (std::uint64_t{1} << (width - 1 - mantissa)) - 1;
    switch (random() % 16) {
      case 0:
        word = sign;
        break;
      case 1:
        word = sign | fraction;  // subnormal
        break;
      case 2:
        word = sign | (exponents << mantissa);  // infinity, or a large number
        break;
      case 3:
        word = sign | (exponents << mantissa) | fraction;  // most often not a number
        break;
      case 4:
        word = sign | ((exponents - random() % 3) << mantissa) | fraction;  // large
        break;
      case 5:
        word = random() | sign;  // anything
        break;
      default:
        word = sign | ((exponents / 2 - 2 + random() % 5) << mantissa) | fraction;  // near one
    }
  } else if (random() % 8 == 0) {
    word = random() % 2 == 0 ? std::uint64_t{1} << (width - 1) : (std::uint64_t{1} << (width - 1)) - 1;
  } else if (random() % 4 == 0) {
    word = random() % 5 - 2;
  }
  T value;
  std::memcpy(static_cast<void*>(&value), &word, sizeof value);
  return value;
}

}  // namespace tutti::test
