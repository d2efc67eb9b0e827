/// @file  Span: a buffer and the memory it lives in. A view, never an owner.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include "tutti/base/types.hpp"

namespace tutti {

/// `count` elements of T in memory of kind M. The caller keeps the buffer alive until the work that uses it
/// is done.
template <class T, Memory M>
struct Span {
  T* data = nullptr;
  std::size_t count = 0;

  constexpr Span() = default;
  constexpr Span(T* data, std::size_t count) : data(data), count(count) {}
  /// Adding const, as for pointers.
  template <class U>
  requires std::same_as<const U, T>
  constexpr Span(Span<U, M> other) : data(other.data), count(other.count) {}

  constexpr std::size_t size_bytes() const { return count * sizeof(T); }
};

template <class T>
constexpr Span<T, Memory::host> on_host(T* data, std::size_t count) {
  return {data, count};
}
template <class T>
constexpr Span<T, Memory::device> on_device(T* data, std::size_t count) {
  return {data, count};
}
/// Any contiguous container: std::vector, std::array, std::span.
template <class Container>
requires requires(Container& c) { c.data(), c.size(); }
constexpr auto on_host(Container& container) { return on_host(container.data(), container.size()); }

}  // namespace tutti
