/// @file  Arena: what the ranks of one host share, and where each thing lies in it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "run/host/agreement.hpp"
#include "run/host/shared_memory.hpp"
#include "run/host/shown_call.hpp"
#include "tutti/base/types.hpp"
#include "tutti/plan/schedule.hpp"

namespace tutti::host {

/// Two things this far apart share neither a cache line nor the pair of lines the prefetcher fetches
/// together.
inline constexpr std::size_t line_bytes = 128;
/// Wires from one rank to another: those of schedules, and one for send and recv.
inline constexpr int wires_per_pair = plan::max_wires + 1;

/// The slots of one protocol, the same on every wire. A slot is a flag, then the payload.
struct SlotShape {
  std::size_t header = 0;    ///< bytes before the payload; the flag is the first eight
  std::size_t capacity = 0;  ///< payload bytes
  std::size_t slots = 0;     ///< a power of two, at least 2
  constexpr std::size_t stride() const { return header + capacity; }
  constexpr std::size_t wire_bytes() const { return stride() * slots; }
};

/// Sizes and places, a function of the number of ranks. Slots shrink as ranks grow: for up to eight ranks the
/// whole stays under 16 MiB, and beyond that pages that no collective touches cost nothing.
struct ArenaShape {
  int ranks = 1;
  SlotShape packet;  ///< the payload begins in the flag's cache line: lowest latency
  SlotShape fifo;    ///< the payload begins on a line of its own, aligned for vector stores

  static ArenaShape for_ranks(int ranks);

  const SlotShape& slots(Protocol protocol) const { return protocol == Protocol::packet ? packet : fifo; }
  std::size_t wires() const {
    return static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks - 1) * wires_per_pair;
  }
  /// All wires into one rank lie together, so that they can be placed near it.
  std::size_t wire_index(int from, int to, int wire) const {
    const int pair = to * (ranks - 1) + (from > to ? from - 1 : from);
    return static_cast<std::size_t>(pair) * wires_per_pair + static_cast<std::size_t>(wire);
  }
  std::size_t arrivals_offset() const { return line_bytes; }
  std::size_t credits_offset(Protocol protocol) const;
  std::size_t slots_offset(Protocol protocol) const;
  std::size_t board_offset() const;
  std::size_t shown_calls_offset() const;
  std::size_t total_bytes() const;
};

struct alignas(line_bytes) Line {
  std::atomic<std::uint64_t> value;
};

/// Where a rank's buffers are.
struct Shown {
  std::uint64_t in = 0;  ///< an address, or an offset in the segment
  std::uint64_t out = 0;
  std::int32_t in_segment = 0;  ///< a segment of this communicator; -1: an address, good in the same process only
  std::int32_t out_segment = 0;
};

/// What a rank shows when it comes to a barrier; written by that rank only. The barrier that opens a window
/// collective publishes the buffers. Peers may read them until they come to the next barrier; so that a rank may go on to
/// the next window collective meanwhile, buffers are shown in two places by turns.
struct alignas(line_bytes) Arrival {
  std::atomic<std::uint64_t> epoch;  ///< barriers this rank has come to
  Shown shown[2];
  std::atomic<std::int64_t> process;  ///< see Presence; 0: not there yet
  std::atomic<std::uint64_t> pid_namespace;
};

/// The first line of an arena.
struct alignas(line_bytes) ArenaHeader {
  /// 0: nobody has given up. Else 1 + the rank that did first, and, shifted by 32, 1 + the rank over whose loss; 0: of none.
  std::atomic<std::uint64_t> aborted_by;
};

/// Typed access to the shared memory. Zeroed memory is a valid, empty arena.
class Arena {
 public:
  Arena(const ArenaShape& shape, std::shared_ptr<SharedMemory> memory)
      : shape_(shape),
        memory_(std::move(memory)),
        credits_{at<Line>(shape_.credits_offset(Protocol::packet)), at<Line>(shape_.credits_offset(Protocol::fifo))},
        slots_{at<std::byte>(shape_.slots_offset(Protocol::packet)),
               at<std::byte>(shape_.slots_offset(Protocol::fifo))} {}

  const ArenaShape& shape() const { return shape_; }
  const SharedMemory& memory() const { return *memory_; }
  /// Where its ranks agree who goes on when one is lost.
  AgreementBoard board() const { return {memory_->data() + shape_.board_offset(), shape_.ranks}; }
  ShownCall& shown_call(int rank) const { return at<ShownCall>(shape_.shown_calls_offset())[rank]; }
  ArenaHeader& header() const { return *at<ArenaHeader>(0); }
  Arrival& arrival(int rank) const { return at<Arrival>(shape_.arrivals_offset())[rank]; }
  /// Messages taken from the wire so far; written by the receiver.
  std::atomic<std::uint64_t>& credit(Protocol protocol, std::size_t wire) const {
    return credits_[protocol == Protocol::packet ? 0 : 1][wire].value;
  }
  std::byte* slots(Protocol protocol, std::size_t wire) const {
    return slots_[protocol == Protocol::packet ? 0 : 1] + wire * shape_.slots(protocol).wire_bytes();
  }
  /// Asks that what peers write for `rank` lie on NUMA node `node`. Has no effect on pages already touched.
  void place_near(int rank, int node) const;

 private:
  template <class T>
  T* at(std::size_t offset) const {
    return reinterpret_cast<T*>(memory_->data() + offset);
  }
  ArenaShape shape_;
  std::shared_ptr<SharedMemory> memory_;
  Line* credits_[2];
  std::byte* slots_[2];
};

}  // namespace tutti::host
