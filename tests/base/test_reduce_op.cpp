/// @file  Operators: the ready-made ones' definitions, and a user's own in its loop.
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "catch.hpp"
#include "tutti/base/element.hpp"
#include "tutti/base/reduce_op.hpp"

using namespace tutti;

namespace {

struct AbsMax {
  constexpr float operator()(float a, float b) const { return a * a > b * b ? a : b; }
};

/// 24 bytes.
struct Extent {
  double low, high;
  std::int64_t count;
  friend bool operator==(const Extent&, const Extent&) = default;
};
struct Join {
  Extent operator()(Extent a, Extent b) const {
    return {std::fmin(a.low, b.low), std::fmax(a.high, b.high), a.count + b.count};
  }
};

/// Integers that wrap, so that every product is exact.
struct Matrix {
  std::uint32_t a, b, c, d;
  friend bool operator==(const Matrix&, const Matrix&) = default;
};
struct MatrixProduct {
  static constexpr bool commutative = false;
  constexpr Matrix operator()(Matrix x, Matrix y) const {
    return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
  }
};

/// Neither it nor its operator can be made from nothing, or assigned.
struct Sealed {
  explicit constexpr Sealed(int value) : value(value) {}
  Sealed(const Sealed&) = default;
  Sealed& operator=(const Sealed&) = delete;
  int value;
};
static_assert(Element<Sealed>);

/// Applies a packed user operator to equally long arrays, into as many destinations.
template <class T, class F>
std::vector<std::vector<T>> run(const F& op, const std::vector<std::vector<T>>& parts, int destinations,
                                const T& blank) {
  std::vector<const void*> from;
  for (const auto& part : parts) from.push_back(part.data());
  std::vector<std::vector<T>> results(static_cast<std::size_t>(destinations), std::vector<T>(parts[0].size(), blank));
  std::vector<void*> to;
  for (auto& result : results) to.push_back(result.data());
  const ReduceOp packed = pack<T>(op);
  REQUIRE(packed.kind == Op::user);
  packed.loop({.sources = from.data(),
               .source_count = static_cast<int>(from.size()),
               .destinations = to.data(),
               .destination_count = destinations,
               .count = parts[0].size()},
              packed.state);
  return results;
}

}  // namespace

TEST_CASE("integers wrap in sums and products", "[reduce_op]") {
  CHECK(sum(std::int8_t{127}, std::int8_t{1}) == -128);
  CHECK(sum(std::numeric_limits<std::int64_t>::max(), std::int64_t{2}) == std::numeric_limits<std::int64_t>::min() + 1);
  CHECK(product(std::int16_t{300}, std::int16_t{300}) == static_cast<std::int16_t>(90000));
  CHECK(product(std::uint16_t{65535}, std::uint16_t{65535}) == 1);
  CHECK(product(std::int32_t{-65536}, std::int32_t{65536}) == 0);
}

TEST_CASE("minimum and maximum hand on what is not a number, and of equals the first", "[reduce_op]") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const auto both :
       {+[](float a, float b) { return minimum(a, b); }, +[](float a, float b) { return maximum(a, b); }}) {
    CHECK(std::isnan(both(nan, 1.0F)));
    CHECK(std::isnan(both(1.0F, nan)));
    CHECK(std::signbit(both(-0.0F, 0.0F)));
    CHECK(!std::signbit(both(0.0F, -0.0F)));
    CHECK(std::signbit(both(-nan, nan)));
    CHECK(!std::signbit(both(nan, -nan)));
  }
  CHECK(minimum(2, 3) == 2);
  CHECK(maximum(2, 3) == 3);
}

TEST_CASE("an average is divided once, and integers lose their fraction", "[reduce_op]") {
  CHECK(averaged(-7, 2) == -3);
  CHECK(averaged(7, 2) == 3);
  CHECK(averaged(std::uint8_t{255}, 2) == 127);
  CHECK(averaged(std::int8_t{-128}, 3) == -42);
  CHECK(averaged(std::numeric_limits<std::uint64_t>::max(), 2) == std::numeric_limits<std::int64_t>::max());
  CHECK(averaged(1.0F, 3) == 1.0F / 3.0F);
}

TEST_CASE("a premultiplied element is scaled in the accumulator and rounded to its type", "[reduce_op]") {
  CHECK(premultiply(10.0F, 0.1) == 10.0F * 0.1F);
  CHECK(premultiply(10.0, 0.1) == 10.0 * 0.1);
  CHECK(premultiply(bfloat16(3.0F), 0.3).bits == bfloat16(0.3F * 3.0F).bits);
  CHECK(premultiply(float8_e4m3(448.0F), 2.0).bits == 0x7e);
  CHECK(premultiply(std::int32_t{7}, 0.5) == 3);
  CHECK(premultiply(std::int32_t{-7}, 0.5) == -3);
  CHECK(premultiply(std::int8_t{100}, 2.0) == 127);
  CHECK(premultiply(std::uint8_t{100}, -1.0) == 0);
  CHECK(premultiply(std::numeric_limits<std::int64_t>::max(), 1.0) == std::numeric_limits<std::int64_t>::max());
  CHECK(premultiply(std::numeric_limits<std::uint64_t>::max(), 2.0) == std::numeric_limits<std::uint64_t>::max());
  CHECK(premultiply(std::int32_t{1}, std::numeric_limits<double>::quiet_NaN()) == 0);
}

TEST_CASE("packing keeps the kind, the scale and whether operands may be swapped", "[reduce_op]") {
  CHECK(pack<float>(sum).kind == Op::sum);
  CHECK(pack<float>(average).kind == Op::average);
  CHECK(pack<int>(bitwise_xor).kind == Op::bitwise_xor);
  const ReduceOp scaled = pack<double>(premultiplied_sum(0.25));
  CHECK(scaled.kind == Op::premultiplied_sum);
  CHECK(scaled.scale() == 0.25);
  CHECK(pack<float>(AbsMax{}).commutative);
  CHECK_FALSE(pack<Matrix>(MatrixProduct{}).commutative);
  static_assert(!Reduction<BitwiseAnd, float>);
}

TEST_CASE("a user's operator on bfloat16 computes in float and rounds once", "[reduce_op]") {
  std::vector<std::vector<bfloat16>> parts(3);
  for (std::size_t i = 0; i < 1500; ++i)
    for (std::size_t s = 0; s < parts.size(); ++s)
      parts[s].emplace_back(static_cast<float>(static_cast<int>(i * 37 % 211) - 100) * (s == 1 ? -1.5F : 1.0F));
  const auto results = run<bfloat16>(AbsMax{}, parts, 2, bfloat16{});
  for (std::size_t i = 0; i < 1500; ++i) {
    float expected = static_cast<float>(parts[0][i]);
    for (std::size_t s = 1; s < parts.size(); ++s) expected = AbsMax{}(expected, static_cast<float>(parts[s][i]));
    if (results[0][i] != bfloat16(expected) || results[1][i] != results[0][i]) FAIL("element " << i);
  }
  const auto third = [](float a, float b) { return a + b / 3; };
  const auto sums = run<bfloat16>(third, {{bfloat16(1)}, {bfloat16(1)}, {bfloat16(1)}}, 1, bfloat16{});
  CHECK(sums[0][0] == bfloat16(1 + 1.0F / 3 + 1.0F / 3));
}

TEST_CASE("a user's structure of 24 bytes is combined whole", "[reduce_op]") {
  static_assert(sizeof(Extent) == 24);
  for (std::size_t count : {0, 1, 127, 128, 129, 700}) {
    std::vector<std::vector<Extent>> parts(4, std::vector<Extent>(count));
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t s = 0; s < 4; ++s) {
        const double x = static_cast<double>((i * 7 + s * 13) % 29);
        parts[s][i] = {x, x + 1, static_cast<std::int64_t>(s + i)};
      }
    }
    const auto results = run<Extent>(Join{}, parts, 1, Extent{});
    for (std::size_t i = 0; i < count; ++i) {
      const Extent expected = Join{}(Join{}(Join{}(parts[0][i], parts[1][i]), parts[2][i]), parts[3][i]);
      if (!(results[0][i] == expected)) FAIL("element " << i << " of " << count);
    }
  }
}

TEST_CASE("operands that do not commute are combined from left to right", "[reduce_op]") {
  std::vector<std::vector<Matrix>> parts(5, std::vector<Matrix>(200));
  std::uint32_t next = 1;
  for (auto& part : parts)
    for (Matrix& m : part) m = {next++, next * 3, next ^ 5, next + 7};
  const auto results = run<Matrix>(MatrixProduct{}, parts, 1, Matrix{});
  for (std::size_t i = 0; i < 200; ++i) {
    Matrix expected = parts[0][i];
    for (std::size_t s = 1; s < parts.size(); ++s) expected = MatrixProduct{}(expected, parts[s][i]);
    if (!(results[0][i] == expected)) FAIL("element " << i);
  }
}

TEST_CASE("operators with state, and elements that cannot be made from nothing, are combined too", "[reduce_op]") {
  const int weight = 10;
  const auto weighted = [weight](Sealed a, Sealed b) { return Sealed(a.value + weight * b.value); };
  const std::vector<std::vector<Sealed>> parts{std::vector<Sealed>(300, Sealed(1)),
                                               std::vector<Sealed>(300, Sealed(2))};
  const auto results = run<Sealed>(weighted, parts, 1, Sealed(0));
  for (const Sealed& x : results[0])
    if (x.value != 21) FAIL(x.value);
}

TEST_CASE("one source of a user's operator is copied bit for bit", "[reduce_op]") {
  const auto signalling = bfloat16::from_bits(0x7f81);
  const auto results = run<bfloat16>(AbsMax{}, {{signalling, bfloat16(2)}}, 2, bfloat16{});
  CHECK(results[1][0].bits == 0x7f81);
  CHECK(results[0][1] == bfloat16(2));
}

TEST_CASE("a user's operator may write over a source", "[reduce_op]") {
  std::vector<float> a(1000), b(1000);
  std::iota(a.begin(), a.end(), -500.0F);
  std::iota(b.begin(), b.end(), -400.0F);
  const auto before = a;
  const ReduceOp op = pack<float>(AbsMax{});
  const std::array<const void*, 2> from{a.data(), b.data()};
  void* const to = a.data();
  op.loop({.sources = from.data(), .source_count = 2, .destinations = &to, .destination_count = 1, .count = 1000},
          op.state);
  for (std::size_t i = 0; i < 1000; ++i)
    if (a[i] != AbsMax{}(before[i], b[i])) FAIL("element " << i);
}

TEST_CASE("operators are found by name", "[reduce_op]") {
  CHECK(op_named("sum") == Op::sum);
  CHECK(op_named("avg") == Op::average);
  CHECK(name(Op::premultiplied_sum) == "premultiplied_sum");
  CHECK_FALSE(op_named("none"));
  CHECK_FALSE(op_named("summ"));
}
