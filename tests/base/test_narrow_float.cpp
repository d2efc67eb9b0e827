/// @file  8- and 16-bit floats against tables made from their definition, and against the compiler's own.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "catch.hpp"
#include "tutti/base/narrow_float.hpp"

using namespace tutti;

namespace {

/// A format in the words of its specification, knowing nothing of the code under test.
template <class T>
struct Format;
template <>
struct Format<float16> {
  static constexpr int exponent = 5, mantissa = 10, largest = 0x7bff;
  static constexpr bool saturates = false;
};
template <>
struct Format<bfloat16> {
  static constexpr int exponent = 8, mantissa = 7, largest = 0x7f7f;
  static constexpr bool saturates = false;
};
template <>
struct Format<float8_e4m3> {
  static constexpr int exponent = 4, mantissa = 3, largest = 0x7e;
  static constexpr bool saturates = true;
};
template <>
struct Format<float8_e5m2> {
  static constexpr int exponent = 5, mantissa = 2, largest = 0x7b;
  static constexpr bool saturates = true;
};

/// What finite, positive bits mean; one step past the largest gives the number that would come next.
template <class T>
double meaning(int bits) {
  constexpr int mantissa = Format<T>::mantissa;
  const int bias = (1 << (Format<T>::exponent - 1)) - 1;
  const int e = bits >> mantissa;
  const double fraction = std::ldexp(bits & ((1 << mantissa) - 1), -mantissa);
  return e == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, e - bias);
}

/// The nearest number by search, of two equally near ones that with even bits.
template <class T>
std::uint32_t nearest(float value) {
  static const std::vector<double> numbers = [] {
    std::vector<double> all;
    for (int bits = 0; bits <= Format<T>::largest + 1; ++bits) all.push_back(meaning<T>(bits));
    return all;
  }();
  const std::uint32_t sign = std::signbit(value) ? 1U << (Format<T>::exponent + Format<T>::mantissa) : 0;
  const double magnitude = std::fabs(static_cast<double>(value));
  auto bits = std::upper_bound(numbers.begin(), numbers.end(), magnitude) - numbers.begin() - 1;
  if (bits <= Format<T>::largest) {
    const double middle = (numbers[static_cast<std::size_t>(bits)] + numbers[static_cast<std::size_t>(bits + 1)]) / 2;
    if (magnitude > middle || (magnitude == middle && bits % 2 != 0)) ++bits;
  }
  if (bits > Format<T>::largest && Format<T>::saturates) bits = Format<T>::largest;
  return sign | static_cast<std::uint32_t>(bits);  // one past the largest is infinity, where there is one
}

template <class T>
bool is_nan(std::uint32_t bits) {
  const std::uint32_t magnitude = bits & ((1U << (Format<T>::exponent + Format<T>::mantissa)) - 1);
  return magnitude > static_cast<std::uint32_t>(Format<T>::largest) + (std::is_same_v<T, float8_e4m3> ? 0 : 1);
}

template <class T>
constexpr std::uint32_t all_bits = (std::uint32_t{1} << (8 * sizeof(T))) - 1;

template <class T>
T from(std::uint32_t bits) {
  return T::from_bits(static_cast<decltype(T::bits)>(bits));
}

/// Ordinary floats, exact numbers of the format, the middles between them, and the floats beside all these.
template <class T>
std::vector<float> hard_floats() {
  std::vector<float> floats;
  const auto with_neighbours = [&](double x) {
    const auto f = static_cast<float>(x);
    for (float near : {f, std::nextafter(f, 0.0F), std::nextafter(f, std::numeric_limits<float>::infinity())}) {
      floats.push_back(near);
      floats.push_back(-near);
    }
  };
  for (int bits = 0; bits <= Format<T>::largest; ++bits) {
    with_neighbours(meaning<T>(bits));
    with_neighbours((meaning<T>(bits) + meaning<T>(bits + 1)) / 2);
  }
  std::mt19937 random(11);
  while (floats.size() < 1'000'000) {
    const auto f = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (f == f) floats.push_back(f);
  }
  for (std::uint32_t bits = 0; bits < 3000; bits += 7) floats.push_back(std::bit_cast<float>(bits));  // subnormal
  floats.push_back(std::numeric_limits<float>::max());
  floats.push_back(std::numeric_limits<float>::infinity());
  floats.push_back(-std::numeric_limits<float>::infinity());
  return floats;
}

}  // namespace

TEMPLATE_TEST_CASE("a narrow float means what its format says", "[narrow_float]", float16, bfloat16, float8_e4m3,
                   float8_e5m2) {
  for (int bits = 0; bits <= Format<TestType>::largest; ++bits) {
    const auto value = static_cast<float>(from<TestType>(static_cast<std::uint32_t>(bits)));
    if (static_cast<double>(value) != meaning<TestType>(bits)) FAIL("bits " << bits << " mean " << value);
    const std::uint32_t sign = (all_bits<TestType> + 1) / 2;
    const auto negative = static_cast<float>(from<TestType>(sign | static_cast<std::uint32_t>(bits)));
    if (std::bit_cast<std::uint32_t>(negative) != (std::bit_cast<std::uint32_t>(value) | 0x80000000U))
      FAIL("bits " << bits << " with a sign mean " << negative);
  }
}

TEMPLATE_TEST_CASE("every narrow float survives the way to float and back", "[narrow_float]", float16, bfloat16,
                   float8_e4m3, float8_e5m2) {
  for (std::uint32_t bits = 0; bits <= all_bits<TestType>; ++bits) {
    const auto wide = static_cast<float>(from<TestType>(bits));
    const std::uint32_t back = TestType(wide).bits;
    const bool infinite = std::isinf(wide) && Format<TestType>::saturates;  // e5m2 has one, but gives none
    if ((wide != wide) != is_nan<TestType>(bits)) FAIL("bits " << bits << " and not a number disagree");
    if (wide != wide) {
      const std::uint32_t sign = (all_bits<TestType> + 1) / 2;
      if (!is_nan<TestType>(back) || ((back ^ bits) & sign) != 0) FAIL("bits " << bits << " became " << back);
    } else if (back != (infinite ? bits - 1 : bits)) {
      FAIL("bits " << bits << " became " << back);
    }
  }
}

TEMPLATE_TEST_CASE("floats round to the nearest narrow one, ties to even", "[narrow_float]", float16, bfloat16,
                   float8_e4m3, float8_e5m2) {
  for (float value : hard_floats<TestType>()) {
    const std::uint32_t got = TestType(value).bits;
    const std::uint32_t expected = nearest<TestType>(value);
    if (got != expected) FAIL(std::hexfloat << value << " became " << std::hex << got << " and not " << expected);
  }
}

TEMPLATE_TEST_CASE("what is not a number stays so, quiet and with its sign", "[narrow_float]", float16, bfloat16,
                   float8_e4m3, float8_e5m2) {
  for (std::uint32_t word : {0x7fc00000U, 0x7f800001U, 0x7fffffffU, 0x7f900000U}) {
    const std::uint32_t positive = TestType(std::bit_cast<float>(word)).bits;
    const std::uint32_t negative = TestType(std::bit_cast<float>(word | 0x80000000U)).bits;
    CHECK(is_nan<TestType>(positive));
    CHECK(positive == TestType(std::numeric_limits<float>::quiet_NaN()).bits);
    CHECK(negative == (positive | ((all_bits<TestType> + 1) / 2)));
  }
}

TEST_CASE("16-bit floats overflow to infinity, 8-bit ones stop at their largest", "[narrow_float]") {
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK(float16(65519.0F).bits == 0x7bff);
  CHECK(float16(65520.0F).bits == 0x7c00);
  CHECK(bfloat16(std::numeric_limits<float>::max()).bits == 0x7f80);
  CHECK(static_cast<float>(float8_e4m3(464.0F)) == 448.0F);
  CHECK(static_cast<float>(float8_e4m3(1e30F)) == 448.0F);
  CHECK(static_cast<float>(float8_e4m3(-infinity)) == -448.0F);
  CHECK(static_cast<float>(float8_e5m2(61440.0F)) == 57344.0F);
  CHECK(static_cast<float>(float8_e5m2(infinity)) == 57344.0F);
}

TEST_CASE("conversions are constant expressions", "[narrow_float]") {
  static_assert(static_cast<float>(float16(1.5F)) == 1.5F);
  static_assert(static_cast<float>(bfloat16(-3.0F)) == -3.0F);
  static_assert(float8_e4m3(1000.0F).bits == 0x7e);
  static_assert(sizeof(float16) == 2 && sizeof(float8_e5m2) == 1);
  SUCCEED();
}

#ifdef __FLT16_MANT_DIG__
TEST_CASE("float16 is the compiler's _Float16", "[narrow_float]") {
  for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) {
    __extension__ const auto theirs = std::bit_cast<_Float16>(static_cast<std::uint16_t>(bits));
    const auto ours = static_cast<float>(float16::from_bits(static_cast<std::uint16_t>(bits)));
    if (!(ours == static_cast<float>(theirs)) && ours == ours) FAIL("bits " << bits);
  }
  for (float value : hard_floats<float16>()) {
    __extension__ const auto theirs = std::bit_cast<std::uint16_t>(static_cast<_Float16>(value));
    if (float16(value).bits != theirs) FAIL(std::hexfloat << value);
  }
}
#endif
