/// @file  Wires: one rank's ends of all its wires; messages go into slots and are taken out of them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "run/host/arena.hpp"
#include "run/operation.hpp"

namespace tutti::host {

/// A wire is a ring of slots from one rank to another. Message k (counted from 0) lies in slot k mod slots,
/// and its flag is k + 1: flags only grow, so no slot is ever cleared and nothing wraps. The receiver returns
/// credits by counting the messages it has taken; the sender looks at that count only when it has run out.
///
/// The flag is stored with release after the payload and loaded with acquire before it; the count likewise.
/// That is all the synchronisation there is, in either direction. One thread at a time uses an object.
class Wires {
 public:
  Wires(const Arena& arena, int rank);

  /// Names this rank's end of a wire to or from `peer`, for the functions below.
  static std::uint32_t end(Protocol protocol, int peer, int wire) {
    return static_cast<std::uint32_t>((peer * wires_per_pair + wire) * 2 + (protocol == Protocol::packet ? 0 : 1));
  }

  bool can_send(std::uint32_t end) {
    Sending& s = sending_[end];
    if (s.sent - s.taken < s.ring.slots) return true;
    s.taken = s.credit->load(std::memory_order_acquire);
    return s.sent - s.taken < s.ring.slots;
  }
  /// Payload of the next message; to be filled, then posted. Precondition: can_send.
  std::byte* outgoing(std::uint32_t end) const {
    const Sending& s = sending_[end];
    return s.next + s.ring.header;
  }
  void post(std::uint32_t end) {
    Sending& s = sending_[end];
    flag(s.next).store(s.sent + 1, std::memory_order_release);
    ++s.sent;
    s.next = s.ring.slot(s.sent);
    const std::uint64_t later = s.sent + s.ring.fetched_back;
    if (later - s.taken < s.ring.slots) fetch_to_write(s.ring.slot(later));
  }

  bool can_receive(std::uint32_t end) {
    Receiving& r = receiving_[end];
    if (flag(r.next).load(std::memory_order_acquire) == r.taken + 1) return true;
    r.found = 0;
    return false;
  }
  /// The word that changes when the next message comes, and to what.
  Operation::Watch arrival(std::uint32_t end) const {
    const Receiving& r = receiving_[end];
    return {reinterpret_cast<const std::atomic<std::uint64_t>*>(r.next), r.taken + 1};
  }
  /// Payload of the oldest message. Precondition: can_receive.
  const std::byte* incoming(std::uint32_t end) const {
    const Receiving& r = receiving_[end];
    return r.next + r.ring.header;
  }
  /// Gives the slot back. Credits are returned in halves of the ring: the sender rarely looks, so its look finds many.
  void take(std::uint32_t end) {
    Receiving& r = receiving_[end];
    ++r.taken;
    r.next = r.ring.slot(r.taken);
    // Of a peer that runs ahead, the next one is there already. Of one that does not, its line is better left alone.
    if (++r.found > found_in_a_row) __builtin_prefetch(r.next);
    if (r.taken - r.returned >= r.ring.slots / 2) {
      r.returned = r.taken;
      r.credit->store(r.taken, std::memory_order_release);
    }
  }

 private:
  static constexpr std::uint32_t found_in_a_row = 4;  ///< so many, and the sender is taken to run ahead

  struct Ring {
    std::byte* first;
    std::uint32_t slots;  ///< a power of two
    std::uint32_t stride;
    std::uint32_t header;
    std::uint32_t fetched_back;  ///< so many messages ahead
    std::byte* slot(std::uint64_t message) const { return first + (message & (slots - 1)) * stride; }
  };
  // An end is a cache line of its own: small calls touch nothing else of their wires.
  struct alignas(64) Sending {
    Ring ring;
    std::byte* next;  ///< the slot of the next message
    std::atomic<std::uint64_t>* credit;
    std::uint64_t sent;   ///< messages posted
    std::uint64_t taken;  ///< of these, known to be taken
  };
  struct alignas(64) Receiving {
    Ring ring;
    std::byte* next;  ///< the slot of the oldest message
    std::atomic<std::uint64_t>* credit;
    std::uint64_t taken;     ///< messages taken
    std::uint64_t returned;  ///< of these, told to the sender
    std::uint32_t found;     ///< messages in a row that were there at the first look
  };

  static std::atomic_ref<std::uint64_t> flag(std::byte* slot) {
    return std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(slot));
  }

  /// Asks for a cache line to be written soon. What was read there last is in the receiver's cache; to get it back takes as
  /// long as to send a message, unless it is on its way before.
  static void fetch_to_write(const std::byte* line) {
#if defined(__x86_64__) || defined(__i386__)
    asm volatile("prefetchw %0" ::"m"(*line));
#else
    __builtin_prefetch(line, 1);
#endif
  }

  std::vector<Sending> sending_;  ///< by `end`; those to this rank itself are not used
  std::vector<Receiving> receiving_;
};

}  // namespace tutti::host
