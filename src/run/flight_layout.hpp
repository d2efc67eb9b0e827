/// @file  The flight recorder's memory, byte for byte: a header, the communicators, a ring of calls.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tutti/run/call_record.hpp"

namespace tutti::flight {

inline constexpr std::uint64_t magic = 0x3152464954545554ULL;  // "TUTTIFR1", low byte first
inline constexpr std::uint32_t version = 1;
inline constexpr std::size_t most_communicators = 512;

/// One call in two cache lines. A call that does not wait touches the first only. Words are written by one thread at a
/// time and may be read by others meanwhile.
///
///     0  turn                          8   number, when 9 to 12 are of this call
///     1  count                         9   ticks when it was looked at
///     2  kinds: eight bytes            10  awaited rank (32) · step (32)
///     3  root (32) · index of the      11  steps (32) · lane (8) · flags (8)
///        communicator (16) · element   12  chunk (32) · chunks (32)
///        size (8) · flags (8)          13  to 15: not used
///     4  ticks at entry
///     5  ticks at its turn; 0: not yet
///     6  ticks at its end
///     7  number (48) · error (8) · state (8); written last
struct alignas(128) Slot {
  std::atomic<std::uint64_t> word[16];
};
static_assert(sizeof(Slot) == 128);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

inline constexpr std::uint8_t in_place = 1;
inline constexpr std::uint8_t deterministic = 2;

inline constexpr std::uint8_t for_room = 1;
inline constexpr std::uint8_t at_barrier = 2;
inline constexpr std::uint8_t with_network = 4;
inline constexpr std::uint8_t comparing = 8;

/// A communicator that this rank has been in. Its place may be taken by another, whose `after` is written first: who sees
/// anything else of that one sees its `after`, too.
struct Membership {
  std::atomic<std::uint64_t> id;
  std::atomic<std::uint64_t> parent;  ///< that it was made from; 0: none
  std::atomic<std::int32_t> rank;
  std::atomic<std::int32_t> size;
  std::atomic<std::uint64_t>
      after;                        ///< calls recorded before it was made: older ones belonged to another in this place
  std::atomic<std::uint32_t> gone;  ///< 1: dropped again
  std::uint32_t spare[7];
};
static_assert(sizeof(Membership) == 64);

/// Texts end with a zero.
struct Header {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t bytes;   ///< of the whole
  std::uint64_t family;  ///< of the first communicator; the same on all ranks
  std::int32_t rank;     ///< in it
  std::int32_t size;
  std::int64_t process;
  std::uint64_t pid_namespace;
  std::uint64_t first_ticks;  ///< two moments in both clocks, so that ticks mean something
  std::uint64_t first_ns;
  std::atomic<std::uint64_t> last_ticks;
  std::atomic<std::uint64_t> last_ns;
  std::uint64_t began;                  ///< seconds since 1970
  std::atomic<std::uint32_t> finished;  ///< 1: its communicators went as they should
  std::uint32_t memberships;            ///< used so far
  char host[64];
  char host_id[128];
  char job[256];
  char library[16];
};
static_assert(sizeof(Header) <= 1024);

inline constexpr std::size_t memberships_offset = 4096;
inline constexpr std::size_t slots_offset = memberships_offset + most_communicators * sizeof(Membership);
inline constexpr std::size_t total_bytes = slots_offset + recorded_calls * sizeof(Slot);

}  // namespace tutti::flight
