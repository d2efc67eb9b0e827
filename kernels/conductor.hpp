/// @file  Conductor: everything about a step but the data: what it is, where it lies, who is waited for and told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/lane_memory.hpp"
#include "kernels/watch.hpp"
#include "tutti/plan/schedule.hpp"

namespace tutti::kernels {

/// Functions of their own, which kernels of all types call: they are long, and need not be compiled for each.
///
/// A lane waits for nobody but the same lane's peers on the same channel of other ranks. Each peer's words are the
/// business of one thread, always the same one, which needs no other's leave to count on.
template <bool Packets, class Crew>
class Conductor {
  using Machine = typename Crew::Machine;

 public:
  /// The crew begins. Gives the number of steps; -1: the wire memory is poisoned.
  [[gnu::noinline]] TUTTI_HOST_DEVICE static int open(Crew& crew, LaneMemory& memory) {
    if (crew.rank() == 0) {
      memory.deadline = memory.call.timeout == 0 ? 0 : Machine::now() + memory.call.timeout;
      memory.steps[0] = plan::step(memory.call.schedule, memory.call.rank, memory.lane, 0);
    }
    if (!crew.sync_and(Machine::load_relaxed(poison(memory)) == 0)) {
      if (crew.rank() == 0) Watch<Crew>::report(memory, Failure::poisoned, memory.call.rank, 0);
      return -1;
    }
    return plan::steps(memory.call.schedule, memory.call.rank, memory.lane);
  }

  /// One thread, preferably of a warp that waits for no peer, asks for a step while the others are at the one before.
  [[gnu::noinline]] TUTTI_HOST_DEVICE static void ask(const Crew& crew, LaneMemory& memory, int index,
                                                      std::uint32_t turn) {
    if (crew.rank() != (crew.size() > 96 ? 96U : 0U)) return;
    memory.steps[turn] = plan::step(memory.call.schedule, memory.call.rank, memory.lane, index);
  }

  /// Elements of the longest of a step's blocks.
  [[gnu::noinline]] TUTTI_HOST_DEVICE static std::size_t longest(const LaneMemory& memory, const plan::Step& step) {
    std::size_t longest = 0;
#pragma unroll 1
    for (int i = 0, block = step.blocks.first; i < step.blocks.count; ++i, block = step.blocks.after(block)) {
      const std::size_t length = memory.call.layout.length(step, block);
      if (length > longest) longest = length;
    }
    return longest;
  }

  /// Waits for what this thread minds, and says where it lies. False: given up. The crew meets afterwards.
  [[gnu::noinline]] TUTTI_HOST_DEVICE static bool prepare(const Crew& crew, LaneMemory& memory, const plan::Step& step,
                                                          int index, std::size_t begin, std::size_t unit) {
    if (crew.rank() == 0) {
      memory.source_count = step.from.count + (step.own != plan::Place::none ? 1 : 0);
      memory.own_at = step.own != plan::Place::none ? before(step.from, memory.call.rank) : -1;
      memory.own_is_input = step.own == plan::Place::input;
      memory.whole = step.finish;
      memory.destination_count = step.to.count + (step.store != plan::Place::none ? 1 : 0);
      memory.store_at = step.store != plan::Place::none ? 0 : -1;
      memory.message_bytes = 0;
      locate(memory, step, step.blocks.first, begin, unit);
    }
    const bool sources = find_sources(crew, memory, step, index, begin);
    const bool destinations = find_destinations(crew, memory, step, index, begin);
    return sources && destinations;
  }

  /// On to another block of the same step. One thread's work, between two meetings of the crew.
  [[gnu::noinline]] TUTTI_HOST_DEVICE static void go_on(LaneMemory& memory, const plan::Step& step, int block,
                                                        std::size_t begin, std::size_t unit, std::size_t done) {
    memory.message_bytes += done;
#pragma unroll 1
    for (int s = 0; s < memory.source_count; ++s) memory.sources[s] += done;  // where it is not the own one
#pragma unroll 1
    for (int d = memory.store_at + 1; d < memory.destination_count; ++d) memory.destinations[d] += done;
    locate(memory, step, block, begin, unit);
  }

  /// Tells the peers what was sent and what was taken.
  [[gnu::noinline]] TUTTI_HOST_DEVICE static void post(const Crew& crew, LaneMemory& memory, const plan::Step& step) {
    const Arguments& call = memory.call;
#pragma unroll 1
    for (int i = 0; i < (step.to_place == plan::Place::none ? step.to.count : 0); ++i) {
      const int peer = step.to[i];
      if (!minds(crew, peer)) continue;
      std::uint64_t* const sent = word(memory, call.shape.sent(end(memory, step.to_wire, peer)));
      const std::uint64_t number = *sent + 1;
      *sent = number;
      if constexpr (!Packets) {
        const std::size_t there = end(memory, step.to_wire, call.rank);
        Machine::store_release(at(call.wires[peer], call.shape.tail(there)), number);
      }
    }
#pragma unroll 1
    for (int i = 0; i < (step.from_place == plan::Place::none ? step.from.count : 0); ++i) {
      const int peer = step.from[i];
      if (!minds(crew, peer)) continue;
      std::uint64_t* const taken = word(memory, call.shape.taken(end(memory, step.from_wire, peer)));
      const std::uint64_t number = *taken + 1;
      *taken = number;
      const std::size_t there = end(memory, step.from_wire, call.rank);
      Machine::store_release(at(call.wires[peer], call.shape.head(there)), number);
    }
  }

  /// The barrier: everybody says that it has come, and waits until all others have said so. False: given up.
  [[gnu::noinline]] TUTTI_HOST_DEVICE static bool meet(Crew& crew, LaneMemory& memory, int index) {
    crew.sync();  // nobody looks at the step before any more, whose place the next one takes
    const Arguments& call = memory.call;
    const plan::Peers peers = plan::others(call.rank, call.schedule.size);
    const std::size_t there = call.shape.meeting(memory.channel, call.rank);
#pragma unroll 1
    for (int i = 0; i < peers.count; ++i) {
      if (!minds(crew, peers[i])) continue;
      std::uint64_t* const met = word(memory, call.shape.met(call.shape.meeting(memory.channel, peers[i])));
      const std::uint64_t times = *met + 1;
      *met = times;
      Machine::store_release(at(call.wires[peers[i]], call.shape.came(there)), times);
    }
    bool ready = true;
#pragma unroll 1
    for (int i = 0; i < peers.count; ++i) {
      if (!minds(crew, peers[i])) continue;
      const std::size_t here = call.shape.meeting(memory.channel, peers[i]);
      const std::uint64_t times = *word(memory, call.shape.met(here));
      const std::uint64_t* const came = word(memory, call.shape.came(here));
      if (!Watch<Crew>::wait(memory, peers[i], index, [&] { return Machine::load_acquire(came) >= times; })) {
        ready = false;
      }
    }
    return ready;
  }

  [[gnu::noinline]] TUTTI_HOST_DEVICE static void give_up(const Crew& crew, LaneMemory& memory) {
    if (crew.rank() == 0) Machine::store_relaxed(poison(memory), 1);
  }

 private:
  TUTTI_HOST_DEVICE static std::uint64_t* at(std::byte* base, std::size_t offset) {
    return reinterpret_cast<std::uint64_t*>(base + offset);
  }
  TUTTI_HOST_DEVICE static std::uint64_t* word(const LaneMemory& memory, std::size_t offset) {
    return at(memory.call.wires[memory.call.rank], offset);
  }
  TUTTI_HOST_DEVICE static std::uint32_t* poison(const LaneMemory& memory) {
    return reinterpret_cast<std::uint32_t*>(memory.call.wires[memory.call.rank] + WireShape::poisoned);
  }
  TUTTI_HOST_DEVICE static std::size_t end(const LaneMemory& memory, int wire, int peer) {
    return memory.call.shape.end(memory.channel, Packets, wire, peer);
  }
  TUTTI_HOST_DEVICE static bool minds(const Crew& crew, int peer) {
    return static_cast<std::uint32_t>(peer) % crew.size() == crew.rank();
  }
  /// Sources are in the order of ranks, the own one among them.
  TUTTI_HOST_DEVICE static int before(const plan::Peers& peers, int rank) {
    int count = 0;
#pragma unroll 1
    for (int i = 0; i < peers.count; ++i) count += peers[i] < rank ? 1 : 0;
    return count;
  }

  TUTTI_HOST_DEVICE static std::byte* here(const Arguments& call, plan::Place place, int block, std::size_t begin) {
    std::byte* const base = place == plan::Place::input    ? const_cast<std::byte*>(call.in)
                            : place == plan::Place::output ? call.out
                                                           : call.scratch;
    return base + (call.layout.offset(place, block) + begin) * call.element_size;
  }
  TUTTI_HOST_DEVICE static std::byte* there(const Arguments& call, plan::Place place, int peer, int block,
                                            std::size_t begin) {
    const std::size_t distance = (call.layout.offset(place, block, peer) + begin) * call.element_size;
    return place == plan::Place::input ? call.windows_in[peer] + call.window_in_distance + distance
                                       : call.windows_out[peer] + call.window_out_distance + distance;
  }

  /// This rank's own ends of a block, and how much there is to do. `unit`: bytes of what is counted.
  TUTTI_HOST_DEVICE static void locate(LaneMemory& memory, const plan::Step& step, int block, std::size_t begin,
                                       std::size_t unit) {
    const Arguments& call = memory.call;
    const std::size_t length = call.layout.length(step, block);
    const std::size_t rest = begin < length ? length - begin : 0;
    memory.count = (call.chunk < rest ? call.chunk : rest) * (call.element_size / unit);
    if (memory.own_at >= 0) memory.sources[memory.own_at] = here(call, step.own, block, begin);
    if (memory.store_at >= 0) memory.destinations[0] = here(call, step.store, block, begin);
  }

  TUTTI_HOST_DEVICE static bool find_sources(const Crew& crew, LaneMemory& memory, const plan::Step& step, int index,
                                             std::size_t begin) {
    const Arguments& call = memory.call;
    bool ready = true;
#pragma unroll 1
    for (int i = 0; i < step.from.count; ++i) {
      const int peer = step.from[i];
      if (!minds(crew, peer)) continue;
      const int turn = before(step.from, peer) + (step.own != plan::Place::none && call.rank < peer ? 1 : 0);
      if (step.from_place != plan::Place::none) {
        memory.sources[turn] = there(call, step.from_place, peer, step.blocks.first, begin);
        continue;
      }
      const std::size_t from = end(memory, step.from_wire, peer);
      const std::uint64_t number = *word(memory, call.shape.taken(from));
      memory.sources[turn] =
          call.wires[call.rank] + call.shape.slot(memory.channel, Packets, step.from_wire, peer, number);
      if constexpr (Packets) {
        memory.source_numbers[turn] = static_cast<std::uint32_t>(number + 1);
        memory.source_peers[turn] = peer;
      } else {
        const std::uint64_t* const tail = word(memory, call.shape.tail(from));
        if (!Watch<Crew>::wait(memory, peer, index, [&] { return Machine::load_acquire(tail) > number; }))
          ready = false;
      }
    }
    return ready;
  }

  TUTTI_HOST_DEVICE static bool find_destinations(const Crew& crew, LaneMemory& memory, const plan::Step& step,
                                                  int index, std::size_t begin) {
    const Arguments& call = memory.call;
    bool ready = true;
#pragma unroll 1
    for (int i = 0; i < step.to.count; ++i) {
      const int peer = step.to[i];
      if (!minds(crew, peer)) continue;
      const int turn = i + (step.store != plan::Place::none ? 1 : 0);
      if (step.to_place != plan::Place::none) {
        memory.destinations[turn] = there(call, step.to_place, peer, step.blocks.first, begin);
        continue;
      }
      const std::size_t to = end(memory, step.to_wire, peer);
      const std::uint64_t number = *word(memory, call.shape.sent(to));
      memory.destinations[turn] =
          call.wires[peer] + call.shape.slot(memory.channel, Packets, step.to_wire, call.rank, number);
      if constexpr (Packets) memory.destination_numbers[turn] = static_cast<std::uint32_t>(number + 1);
      const std::uint64_t* const head = word(memory, call.shape.head(to));
      const std::uint64_t slots = call.shape.slots_of(Packets);
      if (!Watch<Crew>::wait(memory, peer, index, [&] { return Machine::load_acquire(head) + slots > number; })) {
        ready = false;
      }
    }
    return ready;
  }
};

}  // namespace tutti::kernels
