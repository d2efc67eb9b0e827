/// @file  Packets: the same transfer where messages are lines that carry their own flag: no thread waits for another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/combine.hpp"
#include "kernels/watch.hpp"
#include "kernels/words.hpp"

namespace tutti::kernels {

/// Elements go in units of whole lines: as many as eight bytes hold, or one that takes several lines.
template <class T>
struct PacketUnit {
  static constexpr bool shares = sizeof(T) <= 8 && 8 % sizeof(T) == 0;
  static constexpr int elements = shares ? static_cast<int>(8 / sizeof(T)) : 1;
  static constexpr int lines = shares ? 1 : static_cast<int>((sizeof(T) + 7) / 8);
  static constexpr std::size_t bytes = std::size_t{16} * lines;

  std::uint32_t w[2 * lines];

  /// Bytes of a message that carries `count` elements.
  TUTTI_HOST_DEVICE static std::size_t message_bytes(std::size_t count) {
    return (count + static_cast<std::size_t>(elements) - 1) / static_cast<std::size_t>(elements) * bytes;
  }
};

/// Numbers of messages go around after 2^32 of them. So that no line can be left from the last time around, the first
/// messages of every 2^30 are written with all their lines, up to the end of the slot.
TUTTI_HOST_DEVICE constexpr bool rewrites_all_lines(std::uint32_t number, std::uint32_t slots) {
  return (number & 0x3fffffffU) < slots;
}

/// Each unit is read from all sources before it is stored anywhere, by one thread.
template <class T, class F, class Crew>
class PacketTransfer {
  using Machine = typename Crew::Machine;
  using How = Combine<T, F, Machine>;
  using A = typename How::A;
  using Unit = PacketUnit<T>;
  static constexpr int elements = Unit::elements;
  static constexpr int flight = 4;

 public:
  /// False: given up. Threads differ; the crew votes at its next meeting.
  TUTTI_HOST_DEVICE static bool run(const Crew& crew, const LaneMemory& memory, int index) {
    const std::size_t units = Unit::message_bytes(memory.count) / Unit::bytes;
    const bool plain = How::copies || (memory.source_count == 1 && !How::scales(memory) && !How::averages(memory));
#pragma unroll 1
    for (std::size_t u = crew.rank(); u < units; u += crew.size()) {
      if (!one(memory, u, index, plain)) return false;
    }
    return true;
  }

  /// After the last piece: see rewrites_all_lines.
  [[gnu::noinline]] TUTTI_HOST_DEVICE static void clear_old_lines(const Crew& crew, const LaneMemory& memory,
                                                                  std::size_t last_bytes) {
    const std::size_t used = memory.message_bytes + last_bytes;
    const std::size_t all = std::size_t{2} * memory.call.shape.packet_bytes;
#pragma unroll 1
    for (int d = memory.store_at + 1; d < memory.destination_count; ++d) {
      const std::uint32_t number = memory.destination_numbers[d];
      if (!rewrites_all_lines(number, memory.call.shape.packet_slots)) continue;
      std::byte* const slot = memory.destinations[d] - memory.message_bytes;
#pragma unroll 1
      for (std::size_t at = used + crew.rank() * 16; at < all; at += crew.size() * std::size_t{16}) {
        Machine::store_line(slot + at, {}, number);
      }
    }
  }

 private:
  TUTTI_HOST_DEVICE static int filled(const LaneMemory& memory, std::size_t unit) {
    const std::size_t rest = memory.count - unit * static_cast<std::size_t>(elements);
    return rest < static_cast<std::size_t>(elements) ? static_cast<int>(rest) : elements;
  }

  TUTTI_HOST_DEVICE static bool one(const LaneMemory& memory, std::size_t unit, int index, bool plain) {
    A total[elements]{};
    T only[elements]{};
    T own[elements]{};
    if (memory.own_at >= 0) read_own(memory, unit, own);
#pragma unroll 1
    for (int s = 0; s < memory.source_count; s += flight) {
      Line lines[flight][Unit::lines]{};
      bool there[flight]{};
      // All are asked for before one is waited for.
#pragma unroll
      for (int f = 0; f < flight; ++f) {
        there[f] = true;
        if (s + f >= memory.source_count || s + f == memory.own_at) continue;
#pragma unroll
        for (int l = 0; l < Unit::lines; ++l) {
          there[f] &= Machine::load_line(at(memory, s + f, unit, l), lines[f][l], memory.source_numbers[s + f]);
        }
      }
#pragma unroll
      for (int f = 0; f < flight; ++f) {
        if (there[f]) continue;
#pragma unroll
        for (int l = 0; l < Unit::lines; ++l) {
          const Arrival arrival = await(memory, at(memory, s + f, unit, l), s + f, index);
          if (!arrival.good) return false;
          lines[f][l] = arrival.line;
        }
      }
#pragma unroll
      for (int f = 0; f < flight; ++f) {
        if (s + f >= memory.source_count) continue;
        T values[elements];
        unpack(lines[f], values);
        if (s + f == memory.own_at) {
#pragma unroll
          for (int e = 0; e < elements; ++e) values[e] = own[e];
        }
#pragma unroll
        for (int e = 0; e < elements; ++e) {
          const bool first = s == 0 && f == 0;
          if (first) only[e] = values[e];
          if (How::copies || plain) continue;
          total[e] = first ? How::take(values[e]) : How::join(memory, total[e], How::take(values[e]));
        }
      }
    }
    if (!How::copies && !plain) {
      if (How::averages(memory)) {
#pragma unroll
        for (int e = 0; e < elements; ++e) total[e] = How::divided(memory, total[e]);
      }
#pragma unroll
      for (int e = 0; e < elements; ++e) only[e] = How::give(total[e]);
    }
#pragma unroll 1
    for (int d = 0; d < memory.destination_count; ++d) write(memory, d, unit, only);
    return true;
  }

  TUTTI_HOST_DEVICE static const std::byte* at(const LaneMemory& memory, int source, std::size_t unit, int line) {
    return memory.sources[source] + unit * Unit::bytes + static_cast<std::size_t>(line) * 16;
  }

  struct Arrival {
    Line line;
    bool good;
  };
  [[gnu::noinline]] TUTTI_HOST_DEVICE static Arrival await(const LaneMemory& memory, const std::byte* at, int source,
                                                           int index) {
    Line line;
    const std::uint32_t number = memory.source_numbers[source];
    const bool good = Watch<Crew>::wait(memory, memory.source_peers[source], index,
                                        [&] { return Machine::load_line(at, line, number); });
    return {line, good};
  }

  /// This rank's own contribution, multiplied where the call wants that.
  TUTTI_HOST_DEVICE static void read_own(const LaneMemory& memory, std::size_t unit, T (&values)[elements]) {
    const T* const own =
        reinterpret_cast<const T*>(memory.sources[memory.own_at]) + unit * static_cast<std::size_t>(elements);
    const int count = filled(memory, unit);
#pragma unroll
    for (int e = 0; e < elements; ++e) values[e] = own[e < count ? e : 0];
    if (!How::scales(memory)) return;
#pragma unroll
    for (int e = 0; e < elements; ++e) values[e] = How::scaled(memory, values[e]);
  }

  TUTTI_HOST_DEVICE static void unpack(const Line (&lines)[Unit::lines], T (&values)[elements]) {
    Unit whole;
#pragma unroll
    for (int l = 0; l < Unit::lines; ++l) {
      whole.w[2 * l] = lines[l].low;
      whole.w[2 * l + 1] = lines[l].high;
    }
    if constexpr (Unit::shares) {
#pragma unroll
      for (int e = 0; e < elements; ++e) values[e] = element_of<T>(whole.w, e);
    } else {
      std::memcpy(values, whole.w, sizeof values);
    }
  }

  TUTTI_HOST_DEVICE static void write(const LaneMemory& memory, int destination, std::size_t unit,
                                      const T (&values)[elements]) {
    std::byte* const to = memory.destinations[destination];
    if (destination == memory.store_at) {
      T* const own = reinterpret_cast<T*>(to) + unit * static_cast<std::size_t>(elements);
      const int count = filled(memory, unit);
#pragma unroll
      for (int e = 0; e < elements; ++e) {
        if (e < count) own[e] = values[e];
      }
      return;
    }
    Unit whole{};
    if constexpr (Unit::shares) {
#pragma unroll
      for (int e = 0; e < elements; ++e) put_element(whole.w, e, values[e]);
    } else {
      std::memcpy(whole.w, values, sizeof values);
    }
#pragma unroll
    for (int l = 0; l < Unit::lines; ++l) {
      std::byte* const at = to + unit * Unit::bytes + static_cast<std::size_t>(l) * 16;
      Machine::store_line(at, {whole.w[2 * l], whole.w[2 * l + 1]}, memory.destination_numbers[destination]);
    }
  }
};

}  // namespace tutti::kernels
