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
  Wires(const Arena& arena, int rank);

  bool can_send(Protocol protocol, int to, int wire) {
    Sending& s = sending(protocol, to, wire);
    const std::uint64_t slots = shape(protocol).slots;
    if (s.sent - s.taken < slots) return true;
    s.taken = s.credit->load(std::memory_order_acquire);
    return s.sent - s.taken < slots;
  }
  /// Payload of the next message; to be filled, then posted. Precondition: can_send.
  std::byte* outgoing(Protocol protocol, int to, int wire) {
    const Sending& s = sending(protocol, to, wire);
    return slot(protocol, s.slots, s.sent) + shape(protocol).header;
  }
  void post(Protocol protocol, int to, int wire) {
    Sending& s = sending(protocol, to, wire);
    flag(slot(protocol, s.slots, s.sent)).store(s.sent + 1, std::memory_order_release);
    ++s.sent;
  }

  bool can_receive(Protocol protocol, int from, int wire) {
    const Receiving& r = receiving(protocol, from, wire);
    return flag(slot(protocol, r.slots, r.taken)).load(std::memory_order_acquire) == r.taken + 1;
  }
  /// Payload of the oldest message. Precondition: can_receive.
  const std::byte* incoming(Protocol protocol, int from, int wire) {
    const Receiving& r = receiving(protocol, from, wire);
    return slot(protocol, r.slots, r.taken) + shape(protocol).header;
  }
  /// Gives the slot back. Credits are returned in halves of the ring: the sender rarely looks, so its look finds many.
  void take(Protocol protocol, int from, int wire) {
    Receiving& r = receiving(protocol, from, wire);
    ++r.taken;
    if (r.taken - r.returned >= shape(protocol).slots / 2) {
      r.returned = r.taken;
      r.credit->store(r.taken, std::memory_order_release);
    }
  }

 private:
  struct Sending {
    std::byte* slots;
    std::atomic<std::uint64_t>* credit;
    std::uint64_t sent;   ///< messages posted
    std::uint64_t taken;  ///< of these, known to be taken
  };
  struct Receiving {
    std::byte* slots;
    std::atomic<std::uint64_t>* credit;
    std::uint64_t taken;     ///< messages taken
    std::uint64_t returned;  ///< of these, told to the sender
  };

  const SlotShape& shape(Protocol protocol) const { return shapes_[protocol == Protocol::packet ? 0 : 1]; }
  static std::size_t index(Protocol protocol, int peer, int wire) {
    return (static_cast<std::size_t>(peer) * wires_per_pair + static_cast<std::size_t>(wire)) * 2 +
           (protocol == Protocol::packet ? 0 : 1);
  }
  Sending& sending(Protocol protocol, int to, int wire) { return sending_[index(protocol, to, wire)]; }
  Receiving& receiving(Protocol protocol, int from, int wire) { return receiving_[index(protocol, from, wire)]; }
  std::byte* slot(Protocol protocol, std::byte* slots, std::uint64_t message) const {
    return slots + (message & (shape(protocol).slots - 1)) * shape(protocol).stride();
  }
  static std::atomic_ref<std::uint64_t> flag(std::byte* slot) {
    return std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(slot));
  }

  SlotShape shapes_[2];
  std::vector<Sending> sending_;  ///< [ranks][wires][2 protocols]; the own ones are not used
  std::vector<Receiving> receiving_;
};

}  // namespace tutti::host
