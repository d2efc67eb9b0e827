/// @file  Wires: one rank's ends of all its wires; messages go into slots and are taken out of them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "run/host/arena.hpp"

namespace tutti::host {

/// A wire is a ring of slots from one rank to another. Message k (counted from 0) lies in slot k mod slots,
/// and its flag is k + 1: flags only grow, so no slot is ever cleared and nothing wraps. The receiver returns
/// credits by counting the messages it has taken; the sender looks at that count only when it has run out.
///
/// The flag is stored with release after the payload and loaded with acquire before it; the count likewise.
/// That is all the synchronisation there is, in either direction. One thread at a time uses an object.
class Wires {
 public:
  Wires(const Arena& arena, int rank)
      : arena_(arena),
        shape_(arena.shape()),
        rank_(rank),
        sending_(static_cast<std::size_t>(shape_.ranks) * wires_per_pair * 2),
        receiving_(sending_.size()) {}

  bool can_send(Protocol protocol, int to, int wire) {
    Sending& s = sending(protocol, to, wire);
    if (s.sent - s.taken < shape(protocol).slots) return true;
    s.taken = arena_.credit(protocol, shape_.wire_index(rank_, to, wire)).load(std::memory_order_acquire);
    return s.sent - s.taken < shape(protocol).slots;
  }
  /// Payload of the next message; to be filled, then posted. Precondition: can_send.
  std::byte* outgoing(Protocol protocol, int to, int wire) {
    return slot(protocol, shape_.wire_index(rank_, to, wire), sending(protocol, to, wire).sent) +
           shape(protocol).header;
  }
  void post(Protocol protocol, int to, int wire) {
    Sending& s = sending(protocol, to, wire);
    flag(slot(protocol, shape_.wire_index(rank_, to, wire), s.sent)).store(s.sent + 1, std::memory_order_release);
    ++s.sent;
  }

  bool can_receive(Protocol protocol, int from, int wire) {
    const Receiving& r = receiving(protocol, from, wire);
    return flag(slot(protocol, shape_.wire_index(from, rank_, wire), r.taken)).load(std::memory_order_acquire) ==
           r.taken + 1;
  }
  /// Payload of the oldest message. Precondition: can_receive.
  const std::byte* incoming(Protocol protocol, int from, int wire) {
    return slot(protocol, shape_.wire_index(from, rank_, wire), receiving(protocol, from, wire).taken) +
           shape(protocol).header;
  }
  /// Gives the slot back. Credits are returned in halves of the ring: the sender rarely looks, so that its
  /// look finds many.
  void take(Protocol protocol, int from, int wire) {
    Receiving& r = receiving(protocol, from, wire);
    ++r.taken;
    if (r.taken - r.returned >= shape(protocol).slots / 2) {
      r.returned = r.taken;
      arena_.credit(protocol, shape_.wire_index(from, rank_, wire)).store(r.taken, std::memory_order_release);
    }
  }

  std::size_t capacity(Protocol protocol) const { return shape(protocol).capacity; }

 private:
  struct Sending {
    std::uint64_t sent = 0;   ///< messages posted
    std::uint64_t taken = 0;  ///< of these, known to be taken
  };
  struct Receiving {
    std::uint64_t taken = 0;     ///< messages taken
    std::uint64_t returned = 0;  ///< of these, told to the sender
  };

  const SlotShape& shape(Protocol protocol) const { return shape_.slots(protocol); }
  std::size_t index(Protocol protocol, int peer, int wire) const {
    return (static_cast<std::size_t>(peer) * wires_per_pair + static_cast<std::size_t>(wire)) * 2 +
           (protocol == Protocol::packet ? 0 : 1);
  }
  Sending& sending(Protocol protocol, int to, int wire) { return sending_[index(protocol, to, wire)]; }
  Receiving& receiving(Protocol protocol, int from, int wire) { return receiving_[index(protocol, from, wire)]; }
  std::byte* slot(Protocol protocol, std::size_t wire, std::uint64_t message) const {
    return arena_.slots(protocol, wire) + (message & (shape(protocol).slots - 1)) * shape(protocol).stride();
  }
  static std::atomic_ref<std::uint64_t> flag(std::byte* slot) {
    return std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(slot));
  }

  const Arena& arena_;
  const ArenaShape& shape_;
  int rank_;
  std::vector<Sending> sending_;
  std::vector<Receiving> receiving_;
};

}  // namespace tutti::host
