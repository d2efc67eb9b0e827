/// @file  Copies: memcpy, and stores around the caches in whole cache lines.
#include "run/host/reduce_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "run/host/reduce_copy.cpp"
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "run/host/reduce.hpp"
#include "run/host/reduce_table.hpp"

HWY_BEFORE_NAMESPACE();
namespace tutti::host::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void copy_lines_of_target(const unsigned char* from, unsigned char* to, std::size_t bytes) {
  const hn::ScalableTag<std::uint8_t> d;
  constexpr std::size_t step = HWY_LANES(std::uint8_t);
  std::size_t at = 0;
  for (; bytes - at >= 4 * step; at += 4 * step) {
    const auto a = hn::LoadU(d, from + at);
    const auto b = hn::LoadU(d, from + at + step);
    const auto c = hn::LoadU(d, from + at + 2 * step);
    const auto e = hn::LoadU(d, from + at + 3 * step);
    hn::Stream(a, d, to + at);
    hn::Stream(b, d, to + at + step);
    hn::Stream(c, d, to + at + 2 * step);
    hn::Stream(e, d, to + at + 3 * step);
  }
  std::memcpy(to + at, from + at, bytes - at);
}

}  // namespace tutti::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tutti::host {

HWY_EXPORT(copy_lines_of_target);

void copy_streaming(const void* source, void* destination, std::size_t bytes) noexcept {
  const auto* from = static_cast<const unsigned char*>(source);
  auto* to = static_cast<unsigned char*>(destination);
  const std::size_t head = std::min(bytes, -reinterpret_cast<std::uintptr_t>(to) % 64);
  std::memcpy(to, from, head);
  HWY_DYNAMIC_DISPATCH(copy_lines_of_target)(from + head, to + head, bytes - head);
}

void order_streamed_writes() noexcept { hwy::FlushStream(); }

namespace {

/// A piece of a source that several destinations get stays in the first-level cache between them.
constexpr std::size_t shared_piece = 8192;
/// Shorter copies are not worth streaming.
constexpr std::size_t least_streamed = 512;

}  // namespace

void copy(const void* source, void* const* destinations, int count, std::size_t bytes,
          std::uint32_t streaming) noexcept {
  if (bytes < least_streamed) streaming = 0;
  if (count == 1 && streaming == 0) {
    if (destinations[0] != source && bytes != 0) std::memcpy(destinations[0], source, bytes);
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
        std::memcpy(to, from + at, length);
      }
    }
  }
  if (streamed) order_streamed_writes();
}

}  // namespace tutti::host
#endif
