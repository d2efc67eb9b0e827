/// @file  Segments: memory that every rank of the host can reach, from comm.allocate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "run/host/shared_memory.hpp"

namespace tutti::host {

/// One collective allocation: the part of each rank, mapped here. Parts are pages apart and of one size.
struct Segment {
  std::vector<std::shared_ptr<SharedMemory>> parts;  ///< [ranks]
  std::size_t bytes = 0;                             ///< of each part
  bool released = false;                             ///< by this rank
};

/// Where a buffer lies, in words that mean the same to every rank.
struct SegmentAddress {
  std::int32_t segment = -1;
  std::uint64_t offset = 0;
};

/// The allocations of one communicator, numbered in the order they were made, which is the same on all ranks.
class Segments {
 public:
  explicit Segments(int rank) : rank_(rank) {}

  /// Collective; returns this rank's part.
  std::byte* allocate(const World& local, std::size_t bytes, Store::Deadline deadline);
  /// Forgets this rank's part and gives its memory back. Peers keep an empty mapping until the communicator
  /// goes.
  void release(const std::byte* data);

  /// Has this communicator ever allocated? The same answer on every rank, as allocating is collective.
  bool any() const { return !segments_.empty(); }
  /// The segment that holds all of [data, data + bytes) of this rank; nothing when none does.
  std::optional<SegmentAddress> find(const void* data, std::size_t bytes) const;
  std::byte* address(int rank, SegmentAddress where) const {
    return segments_[static_cast<std::size_t>(where.segment)].parts[static_cast<std::size_t>(rank)]->data() +
           where.offset;
  }

 private:
  int rank_;
  std::vector<Segment> segments_;
};

}  // namespace tutti::host
