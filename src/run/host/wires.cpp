#include "run/host/wires.hpp"

#include <algorithm>

namespace tutti::host {

Wires::Wires(const Arena& arena, int rank) {
  const int ranks = arena.shape().ranks;
  const std::size_t ends = static_cast<std::size_t>(ranks) * wires_per_pair * 2;
  sending_.resize(ends);
  receiving_.resize(ends);
  for (int peer = 0; peer < ranks; ++peer) {
    if (peer == rank) continue;
    for (int wire = 0; wire < wires_per_pair; ++wire) {
      for (const Protocol protocol : {Protocol::packet, Protocol::fifo}) {
        const std::size_t out = arena.shape().wire_index(rank, peer, wire);
        const std::size_t in = arena.shape().wire_index(peer, rank, wire);
        const SlotShape& shape = arena.shape().slots(protocol);
        const auto ring = [&](std::size_t wire_index) -> Ring {
          const auto narrow = [](std::size_t value) { return static_cast<std::uint32_t>(value); };
          return {arena.slots(protocol, wire_index), narrow(shape.slots), narrow(shape.stride()), narrow(shape.header),
                  narrow(std::min<std::size_t>(shape.slots / 2, 4) - 1)};
        };
        const Ring to = ring(out), from = ring(in);
        sending_[end(protocol, peer, wire)] = {to, to.first, &arena.credit(protocol, out), 0, 0};
        receiving_[end(protocol, peer, wire)] = {from, from.first, &arena.credit(protocol, in), 0, 0, 0};
      }
    }
  }
}

}  // namespace tutti::host
