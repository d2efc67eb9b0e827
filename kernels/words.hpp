/// @file  Words: elements in registers: taken out of, and put into, the sixteen or eight bytes that move at once.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "tutti/base/host_device.hpp"

namespace tutti::kernels {

/// Sixteen bytes on their way between memory and registers.
struct alignas(16) Words {
  std::uint32_t w[4];
};

/// The eight bytes of payload that a line of a packet carries.
struct Line {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
};

template <std::size_t Bytes>
using Bits = std::conditional_t<
    Bytes == 1, std::uint8_t,
    std::conditional_t<Bytes == 2, std::uint16_t, std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>>;

/// Element `e` of the words, by shifts: indexed as an array, they would leave the registers.
template <class T>
TUTTI_HOST_DEVICE T element_of(const std::uint32_t* w, int e) {
  if constexpr (sizeof(T) == 16) {
    Words words{{w[0], w[1], w[2], w[3]}};
    return std::bit_cast<T>(words);
  } else if constexpr (sizeof(T) == 8) {
    return std::bit_cast<T>(w[2 * e] | static_cast<std::uint64_t>(w[2 * e + 1]) << 32);
  } else {
    constexpr int per_word = static_cast<int>(4 / sizeof(T));
    const std::uint32_t word = w[e / per_word] >> (e % per_word * static_cast<int>(8 * sizeof(T)));
    return std::bit_cast<T>(static_cast<Bits<sizeof(T)>>(word));
  }
}

/// The other way around, into words that are zero where nothing was put yet.
template <class T>
TUTTI_HOST_DEVICE void put_element(std::uint32_t* w, int e, const T& value) {
  if constexpr (sizeof(T) == 16) {
    const auto words = std::bit_cast<Words>(value);
#pragma unroll
    for (int i = 0; i < 4; ++i) w[i] = words.w[i];
  } else if constexpr (sizeof(T) == 8) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    w[2 * e] = static_cast<std::uint32_t>(bits);
    w[2 * e + 1] = static_cast<std::uint32_t>(bits >> 32);
  } else {
    constexpr int per_word = static_cast<int>(4 / sizeof(T));
    w[e / per_word] |= static_cast<std::uint32_t>(std::bit_cast<Bits<sizeof(T)>>(value))
                       << (e % per_word * static_cast<int>(8 * sizeof(T)));
  }
}

}  // namespace tutti::kernels
