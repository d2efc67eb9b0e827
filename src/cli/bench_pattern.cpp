#include "cli/bench_pattern.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

#include "cli/bench_options.hpp"
#include "tutti/base/error.hpp"

namespace tutti::bench {

namespace {

std::uint64_t mixed(std::uint64_t x) {  // splitmix64's finalizer
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9U;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

std::uint64_t noise(const Pattern& pattern, int source, std::size_t index) {
  return mixed(mixed(pattern.seed * 0x9e3779b97f4a7c15U + static_cast<std::uint64_t>(source)) + index);
}

/// The largest integer up to which all integers are exact; for integer types, whose sums wrap in any order alike, no
/// limit worth naming.
int exact_up_to(DataType type) {
  switch (type) {
    case DataType::float8_e5m2:
      return 8;
    case DataType::float8_e4m3:
      return 16;
    case DataType::bfloat16:
      return 256;
    case DataType::float16:
      return 2048;
    default:
      return 1 << 20;
  }
}

/// Does `source` put in something that is not neutral at this index? `most` ranks of all do, other ones at each index.
bool takes_part(const Pattern& pattern, int source, std::size_t index, int most) {
  const auto n = static_cast<std::size_t>(pattern.ranks);
  const std::size_t stride = (n + pattern_period - 1) / pattern_period;  // so that every rank has its turn
  return (static_cast<std::size_t>(source) + index * stride) % n < static_cast<std::size_t>(most);
}

template <class T>
T value(const Pattern& pattern, int source, std::size_t index) {
  using A = accumulator_t<T>;
  const std::uint64_t random = noise(pattern, source, index);
  const auto small = [](int number) { return static_cast<T>(static_cast<A>(number)); };
  switch (pattern.op) {
    case Op::sum:
    case Op::average:
    case Op::premultiplied_sum: {
      const int limit = exact_up_to(pattern.type) / (pattern.op == Op::premultiplied_sum ? 2 : 1);
      const int most = std::max(1, limit / 2);  // of values up to 2
      return small(takes_part(pattern, source, index, most) ? 1 + static_cast<int>(random % 2) : 0);
    }
    case Op::product: {  // powers of two are exact; at most 2 · 2 · 2
      const int magnitude = takes_part(pattern, source, index, 3) ? 2 : 1;
      return small(std::is_unsigned_v<A> || random % 2 == 0 ? magnitude : -magnitude);
    }
    case Op::minimum:
    case Op::maximum:
      return small(static_cast<int>(random % 101));
    default:  // any bits
      if constexpr (is_narrow_float<T>) {
        return T::from_bits(static_cast<decltype(T::bits)>(random));
      } else if constexpr (std::is_same_v<T, float>) {
        return std::bit_cast<float>(static_cast<std::uint32_t>(random));
      } else {
        return std::bit_cast<T>(static_cast<std::conditional_t<std::is_floating_point_v<T>, std::uint64_t, T>>(random));
      }
  }
}

template <class T, class F>
T combined(const Pattern& pattern, std::size_t index, F op) {
  using A = accumulator_t<T>;
  A total{};
  for (int source = 0; source < pattern.ranks; ++source) {
    T element = value<T>(pattern, source, index);
    if (pattern.op == Op::premultiplied_sum) element = premultiply(element, bench_scale);
    total = source == 0 ? static_cast<A>(element) : op(total, static_cast<A>(element));
  }
  if (pattern.op == Op::average) total = averaged(total, pattern.ranks);
  return static_cast<T>(total);
}

template <class T>
T combined(const Pattern& pattern, std::size_t index) {
  switch (pattern.op) {
    case Op::product:
      return combined<T>(pattern, index, Product{});
    case Op::minimum:
      return combined<T>(pattern, index, Minimum{});
    case Op::maximum:
      return combined<T>(pattern, index, Maximum{});
    case Op::bitwise_and:
      if constexpr (std::is_integral_v<T>) return combined<T>(pattern, index, BitwiseAnd{});
      break;
    case Op::bitwise_or:
      if constexpr (std::is_integral_v<T>) return combined<T>(pattern, index, BitwiseOr{});
      break;
    case Op::bitwise_xor:
      if constexpr (std::is_integral_v<T>) return combined<T>(pattern, index, BitwiseXor{});
      break;
    default:
      break;
  }
  return combined<T>(pattern, index, Sum{});
}

template <class T>
struct Tag {
  using type = T;
};

template <class F>
auto with_type(DataType type, F f) {
  switch (type) {
    case DataType::int8:
      return f(Tag<std::int8_t>{});
    case DataType::uint8:
      return f(Tag<std::uint8_t>{});
    case DataType::int16:
      return f(Tag<std::int16_t>{});
    case DataType::uint16:
      return f(Tag<std::uint16_t>{});
    case DataType::int32:
      return f(Tag<std::int32_t>{});
    case DataType::uint32:
      return f(Tag<std::uint32_t>{});
    case DataType::int64:
      return f(Tag<std::int64_t>{});
    case DataType::uint64:
      return f(Tag<std::uint64_t>{});
    case DataType::float16:
      return f(Tag<float16>{});
    case DataType::bfloat16:
      return f(Tag<bfloat16>{});
    case DataType::float8_e4m3:
      return f(Tag<float8_e4m3>{});
    case DataType::float8_e5m2:
      return f(Tag<float8_e5m2>{});
    case DataType::float32:
      return f(Tag<float>{});
    case DataType::float64:
      return f(Tag<double>{});
    case DataType::user:
      break;
  }
  throw Error(Code::internal, "a pattern of a user's type");
}

template <class T, class F>
std::vector<std::byte> period_of(F element) {
  std::vector<std::byte> bytes(pattern_period * sizeof(T));
  for (std::size_t index = 0; index < pattern_period; ++index) {
    const T one = element(index);
    std::memcpy(bytes.data() + index * sizeof(T), &one, sizeof(T));
  }
  return bytes;
}

/// Enough repetitions to copy and compare in pieces of some 16 KiB, and one more for any phase.
struct Tile {
  Tile(const std::vector<std::byte>& period, std::size_t count, std::size_t element_size) {
    const std::size_t wanted = std::min<std::size_t>(count * element_size, 16 << 10);
    piece = (wanted + period.size() - 1) / period.size() * period.size();
    bytes.reserve(piece + period.size());
    while (bytes.size() < piece + period.size()) bytes.insert(bytes.end(), period.begin(), period.end());
  }
  std::size_t piece = 0;  ///< bytes; a multiple of the period
  std::vector<std::byte> bytes;
};

/// Calls f(tile's bytes, offset, length) for pieces that cover `count` elements from `position` on.
template <class F>
void for_pieces(const std::vector<std::byte>& period, std::size_t element_size, std::size_t position, std::size_t count,
                F f) {
  if (count == 0) return;
  const Tile tile(period, count, element_size);
  const std::byte* phase = tile.bytes.data() + position % pattern_period * element_size;
  const std::size_t total = count * element_size;
  for (std::size_t begin = 0; begin < total; begin += tile.piece) f(phase, begin, std::min(tile.piece, total - begin));
}

}  // namespace

std::vector<std::byte> Pattern::contribution(int source) const {
  return with_type(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return period_of<T>([&](std::size_t index) { return value<T>(*this, source, index); });
  });
}

std::vector<std::byte> Pattern::combination() const {
  return with_type(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return period_of<T>([&](std::size_t index) { return combined<T>(*this, index); });
  });
}

void lay(const std::vector<std::byte>& period, std::size_t element_size, std::size_t position, std::size_t count,
         std::byte* to) {
  for_pieces(period, element_size, position, count, [&](const std::byte* from, std::size_t begin, std::size_t length) {
    std::memcpy(to + begin, from, length);
  });
}

std::size_t count_wrong(const std::vector<std::byte>& period, std::size_t element_size, std::size_t position,
                        std::size_t count, const std::byte* at) {
  std::size_t wrong = 0;
  for_pieces(period, element_size, position, count,
             [&](const std::byte* expected, std::size_t begin, std::size_t length) {
               if (std::memcmp(at + begin, expected, length) == 0) return;
               for (std::size_t i = 0; i < length; i += element_size) {
                 if (std::memcmp(at + begin + i, expected + i, element_size) != 0) ++wrong;
               }
             });
  return wrong;
}

}  // namespace tutti::bench
