/// @file  TypedArithmetic: the definition of a reduction for one C++ type and one function object.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "conformance/arithmetic.hpp"
#include "conformance/operators.hpp"
#include "conformance/random.hpp"
#include "tutti/collectives.hpp"

namespace tutti::conformance {

/// Bits of the significand with its leading one, and the smallest number: what one rounding may change.
template <class T>
struct Precision {
  static constexpr int digits = std::is_same_v<T, float>         ? 24
                                : std::is_same_v<T, double>      ? 53
                                : std::is_same_v<T, float16>     ? 11
                                : std::is_same_v<T, bfloat16>    ? 8
                                : std::is_same_v<T, float8_e4m3> ? 4
                                                                 : 3;
  static constexpr int least_exponent = std::is_same_v<T, float>         ? -149
                                        : std::is_same_v<T, double>      ? -1074
                                        : std::is_same_v<T, float16>     ? -24
                                        : std::is_same_v<T, bfloat16>    ? -133
                                        : std::is_same_v<T, float8_e4m3> ? -9
                                                                         : -16;
  static double unit_roundoff() { return std::ldexp(1.0, -digits); }
  static double half_smallest() { return std::ldexp(1.0, std::max(least_exponent - 1, -1074)); }
};

/// Each rank of a premultiplied sum has a factor of its own.
inline double factor_of(int rank) { return 0.5 + 0.25 * rank; }

template <class T>
inline constexpr bool is_float_type = std::is_floating_point_v<T> || is_narrow_float<T>;

template <class T>
std::string text_of_element(const T& value) {
  if constexpr (is_float_type<T>) {
    return fmt::format("{:.9g}", static_cast<double>(static_cast<accumulator_t<T>>(value)));
  } else if constexpr (std::is_integral_v<T>) {
    return fmt::format("{}", static_cast<long long>(value));
  } else {
    std::string text;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      text += fmt::format("{:02x}", static_cast<unsigned>(reinterpret_cast<const unsigned char*>(&value)[i]));
    }
    return text;
  }
}

/// `F` is void where data only moves.
template <class T, class F>
class TypedArithmetic final : public Arithmetic {
  static constexpr bool moves = std::is_void_v<F>;
  static constexpr bool rounds =
      is_float_type<T> && (std::is_same_v<F, Sum> || std::is_same_v<F, Product> || std::is_same_v<F, Average> ||
                           std::is_same_v<F, PremultipliedSum>);
  using A = accumulator_t<T>;
  using Exact = std::conditional_t<std::is_same_v<T, double>, long double, double>;  ///< finer than T and A

  static constexpr std::size_t tile = 256;
  struct Tile {
    std::size_t begin;
    std::size_t count;
    std::array<T, tile> actual;
  };

 public:
  TypedArithmetic(std::string name, Operator op) : name_(std::move(name)), op_(op) {}

  std::string name() const override { return name_; }
  std::size_t size() const override { return sizeof(T); }
  bool commutes() const override { return op_ != Operator::own_ordered; }

  void fill(std::byte* data, std::size_t count, std::uint64_t stream) const override {
    Random random(stream);
    for (std::size_t i = 0; i < count; ++i) {
      const T value = draw(random);
      std::memcpy(data + i * sizeof(T), &value, sizeof value);
    }
  }

  Request request(Collective collective, const Elements& e, int rank, const Options& options) const override {
    const Span<const T, Memory::host> in{reinterpret_cast<const T*>(e.in), e.in_count};
    const Span<T, Memory::host> out{reinterpret_cast<T*>(e.out), e.out_count};
    if constexpr (moves) {
      return make_request(collective, in, out, e.count, options);
    } else {
      return make_request(collective, in, out, e.count, function(rank), options);
    }
  }

  std::optional<std::string> compare(const std::byte* actual, std::size_t count,
                                     std::span<const std::byte* const> parts, Rounding rounding) const override {
    for (std::size_t begin = 0; begin < count; begin += tile) {
      Tile right;
      right.count = std::min(tile, count - begin);
      right.begin = begin;
      std::memcpy(right.actual.data(), actual + begin * sizeof(T), right.count * sizeof(T));
      std::optional<std::string> wrong;
      if constexpr (rounds) {
        wrong = rounding.rank_order || parts.size() == 1 ? compare_bits(right, parts)
                                                         : compare_rounded(right, parts, rounding);
      } else {
        wrong = compare_bits(right, parts);  // all other operators are exact: any order gives the same bits
      }
      if (wrong) return fmt::format("{} (of {})", *wrong, count);
    }
    return std::nullopt;
  }

 private:
  static auto function(int rank) {
    if constexpr (std::is_same_v<F, MaskedSum>)
      return MaskedSum{0x5a3c96e1f00dd1e5ULL};
    else if constexpr (std::is_same_v<F, LimitedMagnitude>)
      return LimitedMagnitude{1.5};
    else if constexpr (std::is_same_v<F, PremultipliedSum>)
      return premultiplied_sum(factor_of(rank));
    else
      return F{};
  }

  T draw(Random& random) const {
    T value;
    if constexpr (is_float_type<T> && !moves) {
      const float sign = (random.next() & 1) != 0 ? 1.0F : -1.0F;
      float magnitude = 2 * random.unit();
      if (op_ == Operator::product) magnitude = 0.75F + 0.5F * random.unit();  // nine of them stay far from the ends
      if (op_ == Operator::minimum || op_ == Operator::maximum) magnitude += 0.25F;  // no zeros of two signs
      if (op_ == Operator::own_ordered && (random.next() & 3) != 0) magnitude = 0;
      value = static_cast<T>(static_cast<A>(sign * magnitude));
    } else {
      for (std::size_t done = 0; done < sizeof(T); done += 8) {
        const std::uint64_t bits = random.next();
        std::memcpy(reinterpret_cast<std::byte*>(&value) + done, &bits, std::min<std::size_t>(8, sizeof(T) - done));
      }
    }
    return value;
  }

  /// Element begin + i of this rank's or another's contribution, prepared as the operator has it.
  static T contribution(const std::byte* part, std::size_t i, int rank) {
    T value;
    std::memcpy(&value, part + i * sizeof(T), sizeof value);
    if constexpr (std::is_same_v<F, PremultipliedSum>) value = premultiply(value, factor_of(rank));
    return value;
  }

  static std::optional<std::string> compare_bits(const Tile& tile_of, std::span<const std::byte* const> parts) {
    std::array<T, tile> expected;
    if constexpr (moves) {
      std::memcpy(expected.data(), parts[0] + tile_of.begin * sizeof(T), tile_of.count * sizeof(T));
    } else {
      const auto op = function(0);
      std::array<A, tile> total;
      for (std::size_t r = 0; r < parts.size(); ++r) {
        const int rank = static_cast<int>(r);
        for (std::size_t i = 0; i < tile_of.count; ++i) {
          const A value = static_cast<A>(contribution(parts[r], tile_of.begin + i, rank));
          total[i] = r == 0 ? value : op(total[i], value);
        }
      }
      for (std::size_t i = 0; i < tile_of.count; ++i) {
        if constexpr (std::is_same_v<F, Average>) total[i] = averaged(total[i], static_cast<int>(parts.size()));
        expected[i] = static_cast<T>(total[i]);
      }
    }
    if (std::memcmp(expected.data(), tile_of.actual.data(), tile_of.count * sizeof(T)) == 0) return std::nullopt;
    std::size_t i = 0;
    while (std::memcmp(&expected[i], &tile_of.actual[i], sizeof(T)) == 0) ++i;
    return fmt::format("element {} is {} instead of {}", tile_of.begin + i, text_of_element(tile_of.actual[i]),
                       text_of_element(expected[i]));
  }

  /// Every rounding changes a partial result, which is at most the sum of magnitudes, by half a unit in the last place.
  /// Narrow floats are added as float32 within a step and rounded at its end (docs/numerics.md).
  static std::optional<std::string> compare_rounded(const Tile& tile_of, std::span<const std::byte* const> parts,
                                                    Rounding rounding) {
    constexpr bool multiplies = std::is_same_v<F, Product>;
    const auto ranks = static_cast<int>(parts.size());
    std::array<Exact, tile> exact;
    std::array<Exact, tile> magnitude;
    for (int r = 0; r < ranks; ++r) {
      for (std::size_t i = 0; i < tile_of.count; ++i) {
        const auto x =
            static_cast<Exact>(static_cast<A>(contribution(parts[static_cast<std::size_t>(r)], tile_of.begin + i, r)));
        exact[i] = r == 0 ? x : multiplies ? exact[i] * x : exact[i] + x;
        magnitude[i] = r == 0 ? std::fabs(x) : magnitude[i] + std::fabs(x);
      }
    }
    int stored = is_narrow_float<T> ? rounding.hops : 0;
    int inner = rounding.additions;
    if (multiplies) {  // every rounding is a factor of the result, on whosever way it happens
      stored = is_narrow_float<T> ? ranks - 1 : 0;
      inner = ranks - 1;
    }
    if (std::is_same_v<F, Average>) inner += 1;
    const Exact unit = Precision<T>::unit_roundoff();
    const Exact inner_unit = Precision<A>::unit_roundoff();
    const Exact growth =
        std::pow(1 + unit, static_cast<Exact>(stored)) * std::pow(1 + inner_unit, static_cast<Exact>(inner));
    const Exact relative = growth * (static_cast<Exact>(stored) * unit + static_cast<Exact>(inner) * inner_unit) +
                           static_cast<Exact>(ranks) * std::numeric_limits<Exact>::epsilon();
    const Exact absolute = static_cast<Exact>(stored + inner) * Precision<T>::half_smallest();
    for (std::size_t i = 0; i < tile_of.count; ++i) {
      const Exact share = std::is_same_v<F, Average> ? static_cast<Exact>(ranks) : 1;
      const Exact right = exact[i] / share;
      const Exact allowed = relative * (multiplies ? std::fabs(right) : magnitude[i] / share) + absolute;
      const Exact off = std::fabs(static_cast<Exact>(static_cast<A>(tile_of.actual[i])) - right);
      if (off <= allowed) continue;
      return fmt::format("element {} is {} instead of {:.12g}: off by {:.3g}, {:.3g} allowed", tile_of.begin + i,
                         text_of_element(tile_of.actual[i]), static_cast<double>(right), static_cast<double>(off),
                         static_cast<double>(allowed));
    }
    return std::nullopt;
  }

  std::string name_;
  Operator op_;
};

}  // namespace tutti::conformance
