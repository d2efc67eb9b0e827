/// @file  Copies: ordinary ones, and by stores around the caches, in whole cache lines.
#include "run/host/reduce_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "run/host/reduce_copy.cpp"
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "run/host/copy.hpp"
#include "run/host/reduce.hpp"
#include "run/host/reduce_table.hpp"

HWY_BEFORE_NAMESPACE();
namespace tutti::host::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// From the first byte of a line of `to`.
template <bool Streams>
HWY_INLINE void copy_lines(const unsigned char* from, unsigned char* to, std::size_t bytes) {
  const hn::ScalableTag<std::uint8_t> d;
  const auto put = [&](auto value, unsigned char* place) HWY_ATTR {
    if constexpr (Streams) {
      hn::Stream(value, d, place);
    } else {
      hn::Store(value, d, place);
    }
  };
  constexpr std::size_t step = HWY_LANES(std::uint8_t);
  std::size_t at = 0;
  for (; bytes - at >= 4 * step; at += 4 * step) {
    const auto a = hn::LoadU(d, from + at);
    const auto b = hn::LoadU(d, from + at + step);
    const auto c = hn::LoadU(d, from + at + 2 * step);
    const auto e = hn::LoadU(d, from + at + 3 * step);
    put(a, to + at);
    put(b, to + at + step);
    put(c, to + at + 2 * step);
    put(e, to + at + 3 * step);
  }
  std::memcpy(to + at, from + at, bytes - at);
}

void stream_lines_of_target(const unsigned char* from, unsigned char* to, std::size_t bytes) {
  copy_lines<true>(from, to, bytes);
}
void store_lines_of_target(const unsigned char* from, unsigned char* to, std::size_t bytes) {
  copy_lines<false>(from, to, bytes);
}

}  // namespace tutti::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tutti::host {

HWY_EXPORT(stream_lines_of_target);
HWY_EXPORT(store_lines_of_target);

namespace {

/// A piece of a source that several destinations get stays in the first-level cache between them.
constexpr std::size_t shared_piece = 8192;
/// Shorter copies are not worth streaming.
constexpr std::size_t least_streamed = 512;
/// Up to here memcpy copies by vectors itself.
constexpr std::size_t most_by_memcpy = 1024;

/// The bytes before the first line of `to` that begins in it.
std::size_t before_lines(const void* to, std::size_t bytes) {
  return std::min(bytes, -reinterpret_cast<std::uintptr_t>(to) % 64);
}

}  // namespace

void copy_streaming(const void* source, void* destination, std::size_t bytes) noexcept {
  const auto* from = static_cast<const unsigned char*>(source);
  auto* to = static_cast<unsigned char*>(destination);
  const std::size_t head = before_lines(to, bytes);
  std::memcpy(to, from, head);
  HWY_DYNAMIC_DISPATCH(stream_lines_of_target)(from + head, to + head, bytes - head);
}

void copy(const void* source, void* destination, std::size_t bytes) noexcept {
  const auto* from = static_cast<const unsigned char*>(source);
  auto* to = static_cast<unsigned char*>(destination);
  const std::uintptr_t later = (reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from)) % 4096;
  if (bytes <= most_by_memcpy || later == 0 || later >= 64) {
    std::memcpy(to, from, bytes);
    return;
  }
  const std::size_t head = before_lines(to, bytes);
  std::memcpy(to, from, head);
  HWY_DYNAMIC_DISPATCH(store_lines_of_target)(from + head, to + head, bytes - head);
}

void order_streamed_writes() noexcept { hwy::FlushStream(); }

void copy(const void* source, void* const* destinations, int count, std::size_t bytes,
          std::uint32_t streaming) noexcept {
  if (bytes < least_streamed) streaming = 0;
  if (count == 1 && streaming == 0) {
    if (destinations[0] != source && bytes != 0) copy(source, destinations[0], bytes);
    return;
  }
  const auto* from = static_cast<const unsigned char*>(source);
  const std::size_t piece = count > 1 ? shared_piece : bytes;
  bool streamed = false;
  for (std::size_t at = 0; at < bytes; at += piece) {
    const std::size_t length = std::min(piece, bytes - at);
    for (int d = 0; d < count; ++d) {
      if (destinations[d] == source) continue;
      auto* const to = static_cast<unsigned char*>(destinations[d]) + at;
      if (d < 32 && ((streaming >> d) & 1U) != 0) {
        copy_streaming(from + at, to, length);
        streamed = true;
      } else {
        copy(from + at, to, length);
      }
    }
  }
  if (streamed) order_streamed_writes();
}

}  // namespace tutti::host
#endif
