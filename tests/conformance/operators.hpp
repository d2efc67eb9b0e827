/// @file  Operators and element types of a user's own, which show what the ready-made ones cannot: state, order, odd
/// sizes.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tutti::conformance {

/// 12 bytes, which divide no slot and no cache line: the matrix [[a, b], [0, c]].
struct Triple {
  std::uint32_t a, b, c;
};

/// The largest element there may be, 32 bytes: the matrix [[v0, v1], [v2, v3]].
struct Wide {
  std::array<std::uint64_t, 4> v;
};

/// Addition seen through a mask: commutes, and gives nonsense when its state is lost on the way.
struct MaskedSum {
  std::uint64_t key = 0;

  template <class T>
  constexpr T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      const auto k = static_cast<U>(key);
      return static_cast<T>(
          static_cast<U>(static_cast<U>(static_cast<U>(a) ^ k) + static_cast<U>(static_cast<U>(b) ^ k)) ^ k);
    } else if constexpr (std::is_same_v<T, Triple>) {
      return {(*this)(a.a, b.a), (*this)(a.b, b.b), (*this)(a.c, b.c)};
    } else {
      T result{};
      for (std::size_t i = 0; i < 4; ++i) result.v[i] = (*this)(a.v[i], b.v[i]);
      return result;
    }
  }
};

/// The larger magnitude, up to a limit.
struct LimitedMagnitude {
  double limit = 0;

  template <class T>
  T operator()(T a, T b) const {
    return std::fmin(std::fmax(std::fabs(a), std::fabs(b)), static_cast<T>(limit));
  }
};

/// The first that is not zero: associative, and no two ranks may change places.
struct FirstNonZero {
  static constexpr bool commutative = false;

  template <class T>
  constexpr T operator()(T a, T b) const {
    return a != T{0} ? a : b;
  }
};

/// x -> slope · x + offset, both in one integer's halves; the operator puts one function into the other.
struct Composition {
  static constexpr bool commutative = false;

  template <class T>
  constexpr T operator()(T f, T g) const {
    using U = std::make_unsigned_t<T>;
    constexpr int half = 4 * sizeof(T);
    constexpr std::uint64_t mask = (std::uint64_t{1} << half) - 1;
    const std::uint64_t fs = static_cast<U>(f) >> half, fo = static_cast<U>(f) & mask;
    const std::uint64_t gs = static_cast<U>(g) >> half, go = static_cast<U>(g) & mask;
    return static_cast<T>(static_cast<U>((((fs * gs) & mask) << half) | ((fs * go + fo) & mask)));
  }
};

/// The product of matrices.
struct MatrixProduct {
  static constexpr bool commutative = false;

  constexpr Triple operator()(Triple x, Triple y) const { return {x.a * y.a, x.a * y.b + x.b * y.c, x.c * y.c}; }
  constexpr Wide operator()(const Wide& x, const Wide& y) const {
    return {{x.v[0] * y.v[0] + x.v[1] * y.v[2], x.v[0] * y.v[1] + x.v[1] * y.v[3], x.v[2] * y.v[0] + x.v[3] * y.v[2],
             x.v[2] * y.v[1] + x.v[3] * y.v[3]}};
  }
};

}  // namespace tutti::conformance
