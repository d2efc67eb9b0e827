#include "run/host/arena.hpp"

#include <algorithm>
#include <bit>

#include "topology/numa.hpp"

namespace tutti::host {

namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t round_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

ArenaShape ArenaShape::for_ranks(int ranks) {
  constexpr std::size_t budget = std::size_t{13} << 20;  // for all slots, while ranks are few
  ArenaShape shape;
  shape.ranks = ranks;
  const std::size_t per_wire = budget / std::max<std::size_t>(1, shape.wires());
  const std::size_t share = std::bit_floor(per_wire);  // what one wire may use
  // Packets are small and many, so that one rank may run ahead of another; their capacity counts the flag, so that slots
  // begin on lines. Two ranks have so many that their strides are odd numbers of lines: else all first lines would meet in
  // a few sets of a cache. Four large slots are enough to fill one while another is emptied, and stay in the caches.
  const bool pair = ranks <= 2;
  const std::size_t packet_stride = std::clamp<std::size_t>(share / 64, 512, 1024) + (pair ? line_bytes : 0);
  shape.packet = {.header = 8, .capacity = packet_stride - 8, .slots = std::size_t{pair ? 64U : ranks <= 8 ? 16U : 4U}};
  shape.fifo = {.header = line_bytes, .capacity = std::clamp<std::size_t>(share / 4, 4096, 131072), .slots = 4};
  return shape;
}

std::size_t ArenaShape::credits_offset(Protocol protocol) const {
  const std::size_t first = arrivals_offset() + static_cast<std::size_t>(ranks) * sizeof(Arrival);
  return protocol == Protocol::packet ? first : first + wires() * sizeof(Line);
}

std::size_t ArenaShape::slots_offset(Protocol protocol) const {
  const std::size_t first = round_up(credits_offset(Protocol::fifo) + wires() * sizeof(Line), page);
  return protocol == Protocol::packet ? first : round_up(first + wires() * packet.wire_bytes(), page);
}

std::size_t ArenaShape::board_offset() const {
  return round_up(slots_offset(Protocol::fifo) + wires() * fifo.wire_bytes(), page);
}

std::size_t ArenaShape::shown_calls_offset() const {
  return round_up(board_offset() + AgreementBoard::bytes(ranks), line_bytes);
}

std::size_t ArenaShape::total_bytes() const {
  return round_up(shown_calls_offset() + static_cast<std::size_t>(ranks) * sizeof(ShownCall), page);
}

void Arena::place_near(int rank, int node) const {
  if (shape_.ranks < 2) return;
  const std::size_t first = shape_.wire_index(rank == 0 ? 1 : 0, rank, 0);
  const std::size_t count = static_cast<std::size_t>(shape_.ranks - 1) * wires_per_pair;
  for (const Protocol protocol : {Protocol::packet, Protocol::fifo}) {
    place_memory(slots(protocol, first), count * shape_.slots(protocol).wire_bytes(), node);
  }
}

}  // namespace tutti::host
