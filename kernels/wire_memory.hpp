/// @file  WireMemory: where, in the memory that a rank lays open to its peers, slots, packets and flags lie.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tutti/base/host_device.hpp"
#include "tutti/base/types.hpp"
#include "tutti/plan/schedule.hpp"

namespace tutti::kernels {

/// Ranks that can reach one another's memory: an NVLink domain has 72 at most (GB200 NVL72).
inline constexpr int max_ranks = 72;

/// Each rank has one such memory, of equal shape, zeroed before the others learn of it. For every channel, protocol,
/// wire and peer there is an *end*:
///
///   tail   messages that the peer has sent; written by the peer, beside the slots it fills
///   head   messages that the peer has taken; written by the peer
///   sent, taken   the same as counted here; nobody else looks at them
///
/// and for every channel and peer, how often the peer came to the barrier, and how often it was met. All of them only
/// grow, from call to call, so that nothing is ever reset and a captured graph can be launched again. Words that
/// different ranks write lie in different lines.
struct WireShape {
  int ranks = 1;
  int channels = 1;
  std::uint32_t slots = 4;             ///< of a wire; a power of two
  std::uint32_t slot_bytes = 65536;    ///< a multiple of 16
  std::uint32_t packet_slots = 8;      ///< of a wire; a power of two
  std::uint32_t packet_bytes = 16384;  ///< payload of the largest packet, a multiple of 16

  bool operator==(const WireShape&) const = default;

  static constexpr int wires = plan::max_wires + 1;
  static constexpr std::size_t line = 128;

  TUTTI_HOST_DEVICE constexpr std::size_t slots_of(bool packets) const { return packets ? packet_slots : slots; }

  /// Bytes that a message may carry.
  TUTTI_HOST_DEVICE constexpr std::size_t capacity(bool packets) const { return packets ? packet_bytes : slot_bytes; }

  TUTTI_HOST_DEVICE constexpr std::size_t ends() const {
    return static_cast<std::size_t>(channels) * 2 * wires * static_cast<std::size_t>(ranks);
  }
  TUTTI_HOST_DEVICE constexpr std::size_t end(int channel, bool packets, int wire, int peer) const {
    return static_cast<std::size_t>(((channel * 2 + (packets ? 1 : 0)) * wires + wire) * ranks + peer);
  }
  TUTTI_HOST_DEVICE constexpr std::size_t meetings() const {
    return static_cast<std::size_t>(channels) * static_cast<std::size_t>(ranks);
  }
  TUTTI_HOST_DEVICE constexpr std::size_t meeting(int channel, int peer) const {
    return static_cast<std::size_t>(channel * ranks + peer);
  }

  // ---- offsets in bytes ----
  /// Non-zero once a call has failed: counters may differ between ranks, and nothing runs here any more.
  static constexpr std::size_t poisoned = 0;
  TUTTI_HOST_DEVICE constexpr std::size_t tail(std::size_t end) const { return (1 + end) * line; }
  TUTTI_HOST_DEVICE constexpr std::size_t head(std::size_t end) const { return tail(ends() + end); }
  TUTTI_HOST_DEVICE constexpr std::size_t came(std::size_t meeting) const { return head(ends() + meeting); }
  TUTTI_HOST_DEVICE constexpr std::size_t sent(std::size_t end) const { return came(meetings()) + end * 8; }
  TUTTI_HOST_DEVICE constexpr std::size_t taken(std::size_t end) const { return sent(ends() + end); }
  TUTTI_HOST_DEVICE constexpr std::size_t met(std::size_t meeting) const { return taken(ends() + meeting); }
  TUTTI_HOST_DEVICE constexpr std::size_t first_slot() const { return (met(meetings()) + line - 1) / line * line; }
  TUTTI_HOST_DEVICE constexpr std::size_t first_packet() const {
    return first_slot() + meetings() * wires * slots * slot_bytes;
  }
  TUTTI_HOST_DEVICE constexpr std::size_t bytes() const {
    return first_packet() + meetings() * wires * packet_slots * 2 * packet_bytes;
  }

  /// Where message `number` (from 0 on) from `peer` arrives. A packet takes twice its payload.
  TUTTI_HOST_DEVICE constexpr std::size_t slot(int channel, bool packets, int wire, int peer,
                                               std::uint64_t number) const {
    const auto ring = static_cast<std::size_t>((channel * wires + wire) * ranks + peer);
    const std::size_t each = packets ? std::size_t{2} * packet_bytes : slot_bytes;
    return (packets ? first_packet() : first_slot()) +
           (ring * slots_of(packets) + (number & (slots_of(packets) - 1))) * each;
  }
};

}  // namespace tutti::kernels
