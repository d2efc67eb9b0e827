/// @file  Reduction operators: the ready-made ones, any function object, and the erased form executors call.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string_view>
#include <type_traits>

#include "tutti/base/host_device.hpp"
#include "tutti/base/narrow_float.hpp"
#include "tutti/base/types.hpp"

namespace tutti {

enum class Op : std::uint8_t {
  none,
  sum,
  product,
  minimum,
  maximum,
  average,
  premultiplied_sum,
  bitwise_and,
  bitwise_or,
  bitwise_xor,
  user,
};
inline constexpr int op_count = 11;
std::string_view name(Op op) noexcept;
std::optional<Op> op_named(std::string_view name) noexcept;

/// 8- and 16-bit floats are combined as float32 and rounded once a step; every other type as itself.
template <class T>
using accumulator_t = std::conditional_t<is_narrow_float<T>, float, T>;

/// An operator a user brings: associative; trivially copyable, at most 32 bytes; called as `A op(A, A)` with
/// A = accumulator_t<T>. One that does not commute says so by a member `static constexpr bool commutative =
/// false`, and gets schedules that combine in rank order only.
template <class F, class T>
concept Reduction = std::is_trivially_copyable_v<F> && sizeof(F) <= 32 &&
                    requires(const F f, accumulator_t<T> a, accumulator_t<T> b) {
  { f(a, b) } -> std::convertible_to<accumulator_t<T>>;
};

// ---- the ready-made operators, as function objects -----------------------------------------------------

/// Integers wrap, as unsigned arithmetic does.
struct Sum {
  static constexpr Op kind = Op::sum;
  template <class T>
  TUTTI_HOST_DEVICE constexpr T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)));
    } else {
      return a + b;
    }
  }
};
struct Product {
  static constexpr Op kind = Op::product;
  template <class T>
  TUTTI_HOST_DEVICE constexpr T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      using U = std::make_unsigned_t<std::common_type_t<T, int>>;
      return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
    } else {
      return a * b;
    }
  }
};
/// NaN wins: if either is NaN the result is NaN (the first one's, else the second's). Of equal values the
/// first stays.
struct Minimum {
  static constexpr Op kind = Op::minimum;
  template <class T>
  TUTTI_HOST_DEVICE constexpr T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      if (a != a) return a;
      if (b != b) return b;
    }
    return b < a ? b : a;
  }
};
struct Maximum {
  static constexpr Op kind = Op::maximum;
  template <class T>
  TUTTI_HOST_DEVICE constexpr T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      if (a != a) return a;
      if (b != b) return b;
    }
    return a < b ? b : a;
  }
};
/// The sum divided by the number of ranks, once, where the sum is complete. Integers round towards zero.
struct Average : Sum {
  static constexpr Op kind = Op::average;
};
/// The sum of `scale · x`; each rank's own scale is applied to its own input, and rounded to T there.
struct PremultipliedSum : Sum {
  static constexpr Op kind = Op::premultiplied_sum;
  double scale = 1;
};
struct BitwiseAnd {
  static constexpr Op kind = Op::bitwise_and;
  template <std::integral T>
  TUTTI_HOST_DEVICE constexpr T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};
struct BitwiseOr {
  static constexpr Op kind = Op::bitwise_or;
  template <std::integral T>
  TUTTI_HOST_DEVICE constexpr T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
};
struct BitwiseXor {
  static constexpr Op kind = Op::bitwise_xor;
  template <std::integral T>
  TUTTI_HOST_DEVICE constexpr T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
};

inline constexpr Sum sum{};
inline constexpr Product product{};
inline constexpr Minimum minimum{};
inline constexpr Maximum maximum{};
inline constexpr Average average{};
constexpr PremultipliedSum premultiplied_sum(double scale) { return {{}, scale}; }
inline constexpr BitwiseAnd bitwise_and{};
inline constexpr BitwiseOr bitwise_or{};
inline constexpr BitwiseXor bitwise_xor{};

/// A rank's own element of a premultiplied sum: scale · x in the accumulator's type, rounded to T. Integers:
/// the product in double, truncated towards zero and held within T; not a number gives 0.
template <class T>
TUTTI_HOST_DEVICE constexpr T premultiply(T x, double scale) {
  if constexpr (std::is_integral_v<T>) {
    const double product = scale * static_cast<double>(x);
    constexpr T lowest = std::numeric_limits<T>::min();
    constexpr T highest = std::numeric_limits<T>::max();
    // The bounds as doubles: exact, but for the highest of 64 bits, which rounds up to the first value
    // beyond.
    if (product >= static_cast<double>(highest)) return highest;
    if (product <= static_cast<double>(lowest)) return lowest;
    return product == product ? static_cast<T>(product) : T{0};
  } else {
    using A = accumulator_t<T>;
    return static_cast<T>(static_cast<A>(scale) * static_cast<A>(x));
  }
}

/// What completes an average, in the accumulator's type, before the one rounding to T.
template <class A>
TUTTI_HOST_DEVICE constexpr A averaged(A total, int ranks) {
  if constexpr (std::is_integral_v<A>) {
    using Wide = std::conditional_t<std::is_signed_v<A>, std::int64_t, std::uint64_t>;
    return static_cast<A>(static_cast<Wide>(total) / static_cast<Wide>(ranks));
  } else {
    return total / static_cast<A>(ranks);
  }
}

// ---- the erased form ------------------------------------------------------------------------------------

/// One application of an operator to arrays: every destination[i] = finish(source_0[i] ∘ source_1[i] ∘ …),
/// left to right. With one source, nothing to prepare and nothing to finish it is a copy, bit for bit. At
/// most 256 sources and 256 destinations. Pointers need no alignment. A destination may be the very same
/// array as a source; otherwise arrays do not overlap.
struct ReduceCall {
  const void* const* sources = nullptr;
  int source_count = 0;
  void* const* destinations = nullptr;
  int destination_count = 0;
  std::size_t count = 0;  ///< elements
  int prepare = -1;       ///< the source that a premultiplied sum scales first; -1: none
  int finish_over = 0;    ///< ranks whose average this completes; 0: not complete
  /// Bit d: destination d is written around the caches; by the return these writes are ordered before every
  /// later store of this thread. Destinations from the 33rd on never are.
  std::uint32_t streaming = 0;
};

/// A packed operator: which one, or the caller's function object with the loop compiled for it.
struct ReduceOp {
  using Loop = void (*)(const ReduceCall& work, const void* state);

  Op kind = Op::none;
  bool commutative = true;
  Loop loop = nullptr;  ///< user operators only; ready-made ones are dispatched by (type, kind)
  alignas(16) unsigned char state[32] = {};

  double scale() const {  ///< of a premultiplied sum
    double value = 1;
    std::memcpy(&value, state, sizeof value);
    return value;
  }
};

/// The loop of a user's operator, in tiles that stay in the first-level cache. Host only.
template <class T, class F, bool Device = compiled_for_device>
void user_loop(const ReduceCall& call, const void* state) {
  using A = accumulator_t<T>;
  constexpr std::size_t tile = sizeof(T) <= 4 ? 512 : 128;
  // Bytes, because neither elements nor operators need have a default constructor or an assignment.
  alignas(F) unsigned char op_bytes[sizeof(F)];
  alignas(T) unsigned char part_bytes[tile * sizeof(T)];
  alignas(A) unsigned char total_bytes[tile * sizeof(A)];
  std::memcpy(op_bytes, state, sizeof op_bytes);
  const F& op = *std::launder(reinterpret_cast<const F*>(op_bytes));
  T* const part = std::launder(reinterpret_cast<T*>(part_bytes));
  A* const total = std::launder(reinterpret_cast<A*>(total_bytes));
  for (std::size_t begin = 0; begin < call.count; begin += tile) {
    const std::size_t length = std::min(tile, call.count - begin);
    const auto fetch = [&](int s) {
      std::memcpy(part_bytes, static_cast<const unsigned char*>(call.sources[s]) + begin * sizeof(T),
                  length * sizeof(T));
    };
    fetch(0);
    if (call.source_count > 1) {  // one source is copied as it is
      for (std::size_t i = 0; i < length; ++i) std::construct_at(total + i, static_cast<A>(part[i]));
      for (int s = 1; s < call.source_count; ++s) {
        fetch(s);
        for (std::size_t i = 0; i < length; ++i) std::construct_at(total + i, op(total[i], static_cast<A>(part[i])));
      }
      for (std::size_t i = 0; i < length; ++i) std::construct_at(part + i, static_cast<T>(total[i]));
    }
    for (int d = 0; d < call.destination_count; ++d) {
      std::memcpy(static_cast<unsigned char*>(call.destinations[d]) + begin * sizeof(T), part_bytes,
                  length * sizeof(T));
    }
  }
}

/// Packs an operator for elements of type T.
template <class T, Reduction<T> F>
ReduceOp pack(const F& op) {
  ReduceOp packed;
  if constexpr (requires { F::kind; }) {
    packed.kind = F::kind;
    if constexpr (F::kind == Op::premultiplied_sum) std::memcpy(packed.state, &op.scale, sizeof op.scale);
  } else {
    packed.kind = Op::user;
    packed.loop = &user_loop<T, F>;
    std::memcpy(packed.state, &op, sizeof op);
    if constexpr (requires { F::commutative; }) packed.commutative = F::commutative;
  }
  return packed;
}

}  // namespace tutti
