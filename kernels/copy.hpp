/// @file  copy: one source, bit for bit, into every destination.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/lane_memory.hpp"

namespace tutti::kernels {

/// Threads take turns by sixteen bytes, or by four or one where a pointer is not aligned; what is left over at the end, by
/// single bytes. A copy onto itself, in place, writes nothing: peers may be reading. A function of its own: it is the same for all types.
template <class Crew>
class ByteCopy {
  using Machine = typename Crew::Machine;

 public:
  [[gnu::noinline]] TUTTI_HOST_DEVICE static void run(const Crew& crew, const LaneMemory& memory, std::size_t bytes) {
    const std::byte* const from = memory.sources[0];
    std::uintptr_t bits = reinterpret_cast<std::uintptr_t>(from);
#pragma unroll 1
    for (int d = 0; d < memory.destination_count; ++d) {
      bits |= reinterpret_cast<std::uintptr_t>(memory.destinations[d]);
    }
    std::size_t done = 0;
    if (bits % 16 == 0) {
      packs(crew, memory, from, bytes / 16);
      done = bytes / 16 * 16;
    } else if (bits % 4 == 0) {
#pragma unroll 1
      for (std::size_t i = crew.rank(); i < bytes / 4; i += crew.size()) single<std::uint32_t>(memory, from, i * 4);
      done = bytes / 4 * 4;
    }
#pragma unroll 1
    for (std::size_t i = done + crew.rank(); i < bytes; i += crew.size()) single<std::uint8_t>(memory, from, i);
  }

 private:
  /// Several packs are on their way at once.
  TUTTI_HOST_DEVICE static void packs(const Crew& crew, const LaneMemory& memory, const std::byte* from,
                                      std::size_t count) {
    constexpr int flight = 4;
    const std::size_t stride = crew.size();
#pragma unroll 1
    for (std::size_t i = crew.rank(); i < count; i += flight * stride) {
      Words words[flight]{};
#pragma unroll
      for (int f = 0; f < flight; ++f) {
        const std::size_t at = i + static_cast<std::size_t>(f) * stride;
        if (at < count) words[f] = Machine::load_words(from + at * 16);
      }
#pragma unroll 1
      for (int d = 0; d < memory.destination_count; ++d) {
        std::byte* const to = memory.destinations[d];
        if (to == from) continue;
#pragma unroll
        for (int f = 0; f < flight; ++f) {
          const std::size_t at = i + static_cast<std::size_t>(f) * stride;
          if (at < count) Machine::store_words(to + at * 16, words[f]);
        }
      }
    }
  }

  template <class U>
  TUTTI_HOST_DEVICE static void single(const LaneMemory& memory, const std::byte* from, std::size_t offset) {
    const U value = *reinterpret_cast<const U*>(from + offset);
#pragma unroll 1
    for (int d = 0; d < memory.destination_count; ++d) {
      if (memory.destinations[d] != from) *reinterpret_cast<U*>(memory.destinations[d] + offset) = value;
    }
  }
};

}  // namespace tutti::kernels
