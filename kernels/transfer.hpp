/// @file  transfer: sources, combined, into every destination, where all of them are memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/combine.hpp"
#include "kernels/copy.hpp"

namespace tutti::kernels {

/// Threads take turns by packs of sixteen bytes; what is left over at the end, or everything where a pointer is not
/// aligned, by elements. Each position is loaded from all sources before it is stored anywhere, and by one thread, so
/// that a destination may be a source.
template <class T, class F, class Crew>
class Transfer {
  using Machine = typename Crew::Machine;
  using How = Combine<T, F, Machine>;
  using A = typename How::A;
  static constexpr bool fits = 16 % sizeof(T) == 0;
  static constexpr int per_pack = fits ? static_cast<int>(16 / sizeof(T)) : 1;
  static constexpr int flight = sizeof(T) == 1 ? 2 : 4;  // packs on their way at once: as many as registers hold

 public:
  TUTTI_HOST_DEVICE static void run(const Crew& crew, const LaneMemory& memory) {
    const bool scales = How::scales(memory);
    const bool averages = How::averages(memory);
    if (How::copies || (memory.source_count == 1 && !scales && !averages)) {
      ByteCopy<Crew>::run(crew, memory, memory.count * sizeof(T));
      return;
    }
    std::size_t done = 0;
    if constexpr (fits && !How::copies) {
      // What is rare goes by elements: a factor, and the division of integers.
      if (aligned(memory) && !scales && (!averages || !std::is_integral_v<T>)) {
        const std::size_t packs = memory.count / static_cast<std::size_t>(per_pack);
        if (memory.source_count == 2 && !averages) {
          two(crew, memory, packs);
        } else {
          many(crew, memory, packs, averages);
        }
        done = packs * static_cast<std::size_t>(per_pack);
      }
    }
    if constexpr (!How::copies) {
#pragma unroll 1
      for (std::size_t i = done + crew.rank(); i < memory.count; i += crew.size()) {
        one(memory, i * sizeof(T), scales, averages);
      }
    }
  }

 private:
  TUTTI_HOST_DEVICE static bool aligned(const LaneMemory& memory) {
    std::uintptr_t bits = 0;
#pragma unroll 1
    for (int s = 0; s < memory.source_count; ++s) bits |= reinterpret_cast<std::uintptr_t>(memory.sources[s]);
#pragma unroll 1
    for (int d = 0; d < memory.destination_count; ++d) bits |= reinterpret_cast<std::uintptr_t>(memory.destinations[d]);
    return bits % 16 == 0;
  }

  TUTTI_HOST_DEVICE static void spread(const LaneMemory& memory, std::size_t offset, const Words& words) {
#pragma unroll 1
    for (int d = 0; d < memory.destination_count; ++d) Machine::store_words(memory.destinations[d] + offset, words);
  }

  /// A ring's step: several packs of both sources are on their way at once.
  TUTTI_HOST_DEVICE static void two(const Crew& crew, const LaneMemory& memory, std::size_t packs) {
    const std::byte* const left = memory.sources[0];
    const std::byte* const right = memory.sources[1];
    const std::size_t stride = crew.size();
    std::size_t i = crew.rank();
#pragma unroll 1
    for (; i + (flight - 1) * stride < packs; i += flight * stride) {
      Words a[flight];
      Words b[flight];
#pragma unroll
      for (int f = 0; f < flight; ++f) {
        a[f] = Machine::load_words(left + (i + static_cast<std::size_t>(f) * stride) * 16);
        b[f] = Machine::load_words(right + (i + static_cast<std::size_t>(f) * stride) * 16);
      }
#pragma unroll
      for (int f = 0; f < flight; ++f) a[f] = joined(memory, a[f], b[f]);
#pragma unroll 1
      for (int d = 0; d < memory.destination_count; ++d) {
        std::byte* const to = memory.destinations[d];
#pragma unroll
        for (int f = 0; f < flight; ++f)
          Machine::store_words(to + (i + static_cast<std::size_t>(f) * stride) * 16, a[f]);
      }
    }
#pragma unroll 1
    for (; i < packs; i += stride) {
      spread(memory, i * 16, joined(memory, Machine::load_words(left + i * 16), Machine::load_words(right + i * 16)));
    }
  }

  TUTTI_HOST_DEVICE static Words joined(const LaneMemory& memory, const Words& left, const Words& right) {
    Words result{};
#pragma unroll
    for (int e = 0; e < per_pack; ++e) {
      const A x = How::take(element_of<T>(left.w, e));
      const A y = How::take(element_of<T>(right.w, e));
      put_element(result.w, e, How::give(How::join(memory, x, y)));
    }
    return result;
  }

  /// Any number of sources: several of them are on their way at once.
  TUTTI_HOST_DEVICE static void many(const Crew& crew, const LaneMemory& memory, std::size_t packs, bool averages) {
#pragma unroll 1
    for (std::size_t i = crew.rank(); i < packs; i += crew.size()) {
      A total[per_pack]{};
#pragma unroll 1
      for (int s = 0; s < memory.source_count; s += flight) {
        Words words[flight]{};
#pragma unroll
        for (int f = 0; f < flight; ++f) {
          if (s + f < memory.source_count) words[f] = Machine::load_words(memory.sources[s + f] + i * 16);
        }
#pragma unroll
        for (int f = 0; f < flight; ++f) {
          if (s + f >= memory.source_count) continue;
#pragma unroll
          for (int e = 0; e < per_pack; ++e) {
            const A value = How::take(element_of<T>(words[f].w, e));
            total[e] = f == 0 && s == 0 ? value : How::join(memory, total[e], value);
          }
        }
      }
      if (averages) {
#pragma unroll
        for (int e = 0; e < per_pack; ++e) total[e] = How::divided(memory, total[e]);
      }
      Words result{};
#pragma unroll
      for (int e = 0; e < per_pack; ++e) put_element(result.w, e, How::give(total[e]));
      spread(memory, i * 16, result);
    }
  }

  TUTTI_HOST_DEVICE static void one(const LaneMemory& memory, std::size_t offset, bool scales, bool averages) {
    A total{};
#pragma unroll 1
    for (int s = 0; s < memory.source_count; ++s) {
      T element = *reinterpret_cast<const T*>(memory.sources[s] + offset);
      if (scales && s == memory.own_at) element = How::scaled(memory, element);
      total = s == 0 ? How::take(element) : How::join(memory, total, How::take(element));
    }
    if (averages) total = How::divided(memory, total);
    const T result = How::give(total);
#pragma unroll 1
    for (int d = 0; d < memory.destination_count; ++d) *reinterpret_cast<T*>(memory.destinations[d] + offset) = result;
  }
};

}  // namespace tutti::kernels
