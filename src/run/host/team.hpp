/// @file  Team: one rank's view of the ranks of its host: wires, barrier and windows onto their buffers.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "run/host/arena.hpp"
#include "run/host/presence.hpp"
#include "run/host/segments.hpp"
#include "run/host/wires.hpp"
#include "run/operation.hpp"
#include "tutti/bootstrap/world.hpp"

namespace tutti::host {

/// Collective to make; then each rank uses its own, from one thread at a time.
class Team {
 public:
  /// `local` is a World of ranks that share this host.
  Team(World local, int numa_node, Store::Deadline deadline);
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int rank() const { return local_.rank; }
  int size() const { return local_.size; }
  const World& local() const { return local_; }
  const Arena& arena() const { return arena_; }
  Wires& wires() { return wires_; }
  Segments& segments() { return segments_; }

  // ---- the barrier ----
  struct Window {
    const void* in = nullptr;
    void* out = nullptr;
    std::size_t in_bytes = 0;
    std::size_t out_bytes = 0;
  };
  /// Says that this rank has come; `window`, when given, says where its buffers are.
  void arrive(const Window* window);
  /// Has everybody come to the barrier that this rank arrived at last? `missing()` names one who has not.
  bool all_arrived();
  int missing() const { return awaited_; }
  /// The word that changes when that one comes.
  Operation::Watch next_arrival() const { return {&arena_.arrival(awaited_).epoch, epoch_}; }
  /// After the barrier: can every rank reach both buffers that every rank has shown? All ranks get the same answer.
  /// Where the schedule does not work in place, no rank's two buffers may be one.
  bool windows_open(bool works_in_place) const;
  std::byte* window_in(int peer) const {
    const Shown& there = shown(peer);
    return address(peer, there.in_segment, there.in);
  }
  std::byte* window_out(int peer) const {
    const Shown& there = shown(peer);
    return address(peer, there.out_segment, there.out);
  }

  // ---- giving up ----
  /// `lost`: the rank that is gone, if that is why.
  void give_up(int lost = -1) noexcept;
  /// The rank that gave up first; -1: nobody has.
  int given_up_by() const noexcept;
  /// The rank over whose loss it did; -1: of none that it knew.
  int given_up_over() const noexcept;
  /// Somebody has: all that most calls ask.
  bool is_given_up() const noexcept { return arena_.header().aborted_by.load(std::memory_order_acquire) != 0; }
  /// From now on it counts, too, when somebody gives up in `parent`, or in what that heeds. `ranks`: the numbers of the
  /// parent's ranks in its communicator.
  void heed(const Team& parent, std::vector<int> ranks);
  /// The rank, in a communicator of those, that gave up; -1: nobody has.
  int given_up_above() const noexcept;
  const Presence& presence() const { return presence_; }

  /// Memory of this rank alone, kept between calls. Grows; never shrinks.
  std::byte* scratch(std::size_t bytes);

 private:
  std::byte* address(int peer, std::int32_t segment, std::uint64_t where) const {
    if (segment < 0) return reinterpret_cast<std::byte*>(where);  // NOLINT: one process, one address space
    return segments_.address(peer, {segment, where});
  }

  const Shown& shown(int peer) const { return arena_.arrival(peer).shown[shown_]; }

  World local_;
  Arena arena_;
  Wires wires_;
  Segments segments_;
  Presence presence_;
  struct Heeded {
    Arena arena;
    std::vector<int> ranks;
  };
  std::vector<Heeded> above_;
  std::uint64_t epoch_ = 0;  ///< barriers arrived at
  unsigned shown_ = 0;       ///< where buffers were shown last: the same on all ranks
  int awaited_ = 0;          ///< ranks before this one have come
  std::vector<std::byte> scratch_;
};

}  // namespace tutti::host
