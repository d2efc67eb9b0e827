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

  bool can_send(std::uint32_t end) { return sending_[end].can_send(); }
  /// Payload of the next message; to be filled, then posted. Precondition: can_send.
  std::byte* outgoing(std::uint32_t end) const { return sending_[end].payload(); }
  void post(std::uint32_t end) { sending_[end].post(); }

  bool can_receive(std::uint32_t end) { return receiving_[end].can_receive(); }
  /// The word that changes when the next message comes, and to what.
  Operation::Watch arrival(std::uint32_t end) const {
    const Receiving& r = receiving_[end];
    return {reinterpret_cast<const std::atomic<std::uint64_t>*>(r.next), r.taken + 1};
  }
  /// Payload of the oldest message. Precondition: can_receive.
  const std::byte* incoming(std::uint32_t end) const { return receiving_[end].payload(); }
  /// Gives the slot back. Credits are returned in halves of the ring: the sender rarely looks, so its look finds many.
  void take(std::uint32_t end) { receiving_[end].take(); }

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

 public:
  // An end is a cache line of its own: small calls touch nothing else of their wires.
  struct alignas(64) Sending {
    Ring ring;
    std::byte* next;  ///< the slot of the next message
    std::atomic<std::uint64_t>* credit;
    std::uint64_t sent;   ///< messages posted
    std::uint64_t taken;  ///< of these, known to be taken

    bool can_send() {
      if (sent - taken < ring.slots) return true;
      taken = credit->load(std::memory_order_acquire);
      return sent - taken < ring.slots;
    }
    std::byte* payload() const { return next + ring.header; }
    /// `long_line`: messages like it fill the line behind the flag's, too.
    void post(bool long_line = false) {
      const std::uint64_t number = sent + 1;
      flag(next).store(number, std::memory_order_release);
      sent = number;
      next = ring.slot(number);
      const std::uint64_t later = number + ring.fetched_back;
      if (later - taken >= ring.slots) return;
      fetch_to_write(ring.slot(later));
      if (long_line) fetch_to_write(ring.slot(later) + 64);
    }
  };
  struct alignas(64) Receiving {
    Ring ring;
    std::byte* next;  ///< the slot of the oldest message
    std::atomic<std::uint64_t>* credit;
    std::uint64_t taken;     ///< messages taken
    std::uint64_t returned;  ///< of these, told to the sender
    std::uint32_t found;     ///< messages in a row that were there at the first look

    bool can_receive() {
      if (flag(next).load(std::memory_order_acquire) == taken + 1) return true;
      found = 0;
      return false;
    }
    const std::byte* payload() const { return next + ring.header; }
    void take() {
      const std::uint64_t number = ++taken;
      next = ring.slot(number);
      // Of a peer that runs ahead, the next one is there already. Of one that does not, its line is better left alone.
      if (++found > found_in_a_row) __builtin_prefetch(next);
      if (number - returned >= ring.slots / 2) {
        returned = number;
        credit->store(number, std::memory_order_release);
      }
    }
  };
  /// The ends themselves, for whoever asks one several things in a row.
  Sending& sending(std::uint32_t end) { return sending_[end]; }
  Receiving& receiving(std::uint32_t end) { return receiving_[end]; }

 private:
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
