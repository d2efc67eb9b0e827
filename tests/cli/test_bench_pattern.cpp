/// @file  The contents that results are checked with: exact, and different wherever a mistake would hide.
#include <cstring>
#include <set>
#include <string>

#include "catch.hpp"
#include "cli/bench_pattern.hpp"

using namespace tutti;
using namespace tutti::bench;

namespace {

template <class T>
std::vector<T> elements(const std::vector<std::byte>& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// The combination, in the order first + (second + (…)), which is not the one that the pattern itself uses.
template <class T>
std::vector<float> summed_from_the_right(const Pattern& pattern) {
  std::vector<float> total(pattern_period, 0.0F);
  for (int source = pattern.ranks - 1; source >= 0; --source) {
    const auto part = elements<T>(pattern.contribution(source));
    for (std::size_t i = 0; i < pattern_period; ++i) {
      total[i] = static_cast<float>(static_cast<T>(total[i] + static_cast<float>(part[i])));
    }
  }
  return total;
}

template <class T>
void check_that_order_does_not_matter(DataType type) {
  for (const int ranks : {1, 2, 3, 8, 9, 64, 300}) {
    const Pattern pattern{.type = type, .op = Op::sum, .ranks = ranks, .seed = 7};
    const auto expected = elements<T>(pattern.combination());
    const auto other = summed_from_the_right<T>(pattern);
    for (std::size_t i = 0; i < pattern_period; ++i) {
      INFO("ranks " << ranks << ", element " << i);
      REQUIRE(static_cast<float>(expected[i]) == other[i]);
    }
  }
}

}  // namespace

TEST_CASE("sums are exact in every float, in any order, for any number of ranks") {
  check_that_order_does_not_matter<float8_e5m2>(DataType::float8_e5m2);
  check_that_order_does_not_matter<float8_e4m3>(DataType::float8_e4m3);
  check_that_order_does_not_matter<bfloat16>(DataType::bfloat16);
  check_that_order_does_not_matter<float16>(DataType::float16);
  check_that_order_does_not_matter<float>(DataType::float32);
}

TEST_CASE("a rank that is left out, or counted twice, shows") {
  for (const DataType type : {DataType::float8_e5m2, DataType::float32, DataType::int8}) {
    for (const int ranks : {2, 9, 300}) {
      const Pattern pattern{.type = type, .op = Op::sum, .ranks = ranks, .seed = 3};
      const std::vector<std::byte> zero(pattern_period * size_of(type));
      for (int source = 0; source < ranks; ++source) CHECK(pattern.contribution(source) != zero);
    }
  }
}

TEST_CASE("contents depend on the rank, the seed and the position") {
  const Pattern pattern{.type = DataType::uint8, .op = Op::none, .ranks = 4, .seed = 1};
  Pattern reseeded = pattern;
  reseeded.seed = 2;
  std::set<std::string> all;
  const auto text = [](const std::vector<std::byte>& bytes) {
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  for (int source = 0; source < 4; ++source) {
    all.insert(text(pattern.contribution(source)));
    all.insert(text(reseeded.contribution(source)));
  }
  CHECK(all.size() == 8);
  const auto values = pattern.contribution(0);
  CHECK(std::set<std::byte>(values.begin(), values.end()).size() > 100);
}

TEST_CASE("what was laid is found right, and every changed element is counted") {
  const Pattern pattern{.type = DataType::float32, .op = Op::sum, .ranks = 2, .seed = 5};
  const auto period = pattern.contribution(1);
  for (const std::size_t count : {std::size_t{1}, std::size_t{250}, std::size_t{251}, std::size_t{100'003}}) {
    for (const std::size_t position : {std::size_t{0}, std::size_t{250}, std::size_t{12'345}}) {
      std::vector<std::byte> buffer(count * 4 + 4, std::byte{0x11});
      lay(period, 4, position, count, buffer.data());
      CHECK(count_wrong(period, 4, position, count, buffer.data()) == 0);
      CHECK(buffer[count * 4] == std::byte{0x11});  // nothing beyond
      buffer[0] ^= std::byte{1};
      CHECK(count_wrong(period, 4, position, count, buffer.data()) == 1);
      buffer[(count - 1) * 4 + 3] ^= std::byte{1};
      CHECK(count_wrong(period, 4, position, count, buffer.data()) == (count == 1 ? 1 : 2));
    }
  }
}

TEST_CASE("a block from the wrong place is wrong") {
  const Pattern pattern{.type = DataType::float32, .op = Op::none, .ranks = 2, .seed = 5};
  std::vector<std::byte> buffer(std::size_t{4} * 4096);
  lay(pattern.contribution(0), 4, 4096, 4096, buffer.data());
  CHECK(count_wrong(pattern.contribution(0), 4, 0, 4096, buffer.data()) > 4000);
  CHECK(count_wrong(pattern.contribution(1), 4, 4096, 4096, buffer.data()) > 4000);
}
