/// @file  Layout: where the blocks of a call lie in a rank's input, output and scratch, and how long they
/// are.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "tutti/plan/schedule.hpp"

namespace tutti::plan {

/// Names of blocks, equal on all ranks:
///
///   all_reduce, reduce, broadcast   parts of the vector, equal but for the last ones (short or empty); each
///   begins at a
///                                   multiple of 64 bytes
///   reduce_scatter, scatter (_v)    block b is rank b's output: one behind the other in the input, alone in
///   the output all_gather, gather (_v)         block b is rank b's input: alone in the input, one behind the
///   other in the output all_to_all (_v)                 block d of rank r goes to rank r + d: input and
///   output are in rank order barrier                         one block of one element of 0 bytes send, recv
///   one block
///
/// All lengths and offsets are in elements. Queries take constant time.
///
/// The view is a plain value for hosts and devices: it holds no memory, and the tables of the uneven collectives (_v)
/// lie where it was told.
class LayoutView {
 public:
  LayoutView() = default;

  /// Elements of `block`. Only all_to_all_v looks at the place: input when sending, output when receiving.
  TUTTI_HOST_DEVICE constexpr std::size_t length(Place place, int block) const;
  /// The same, for a block that `step` moves.
  TUTTI_HOST_DEVICE constexpr std::size_t length(const Step& step, int block) const {
    return length(step.own != Place::none ? step.own : step.store, block);
  }

  /// Where `block` begins in that place of this rank, or of `rank`. The place must hold the block.
  TUTTI_HOST_DEVICE constexpr std::size_t offset(Place place, int block) const { return offset(place, block, rank_); }
  TUTTI_HOST_DEVICE constexpr std::size_t offset(Place place, int block, int rank) const;

  /// The length of the longest block that this rank handles.
  TUTTI_HOST_DEVICE constexpr std::size_t longest() const { return longest_; }
  std::size_t scratch_elements() const;

  /// Do the pieces of these blocks lie one behind the other, so that they can be moved as one? Only where a
  /// chunk of `chunk` elements holds whole blocks.
  bool contiguous(Place place, const Blocks& blocks, std::size_t chunk) const;

  /// The sums of the counts before each rank, and of all: `size` + 1 numbers; null where all blocks are alike.
  const std::size_t* begins() const { return begins_; }
  const std::size_t* receive_begins() const { return receive_begins_; }
  /// The same layout with its tables elsewhere: in the memory of a device.
  LayoutView with_tables(const std::size_t* begins, const std::size_t* receive_begins) const {
    LayoutView view = *this;
    view.begins_ = begins;
    view.receive_begins_ = receive_begins;
    return view;
  }

 protected:
  enum class Shape : unsigned char {
    parts,      ///< of one vector
    per_rank,   ///< a block for each rank
    exchanged,  ///< a block for each distance
  };

  TUTTI_HOST_DEVICE constexpr bool many_side(Place place) const {
    return place == Place::scratch || (place == Place::input ? many_in_ : !many_in_);
  }

  Shape shape_ = Shape::parts;
  bool many_in_ = false;  ///< per_rank: the input holds all blocks; else the output
  bool bundles_ = false;  ///< scratch holds a run of blocks that begins with this rank's own
  bool scratch_ = false;
  int rank_ = 0;
  int size_ = 1;
  int blocks_ = 1;
  int run_ = 1;            ///< of bundles: blocks
  std::size_t count_ = 0;  ///< parts: the vector; else a block
  std::size_t part_ = 0;   ///< parts: elements of all but the last ones
  std::size_t longest_ = 0;
  const std::size_t* begins_ = nullptr;          ///< uneven: size + 1 of them
  const std::size_t* receive_begins_ = nullptr;  ///< all_to_all_v
};

/// A layout with its tables; only those of the uneven collectives allocate. Copies share them.
class Layout : public LayoutView {
 public:
  Layout() = default;

  /// `count` is what the collective's definition counts: the vector (all_reduce, reduce, broadcast, send,
  /// recv), one rank's output (reduce_scatter, scatter) or input (all_gather, gather), or what goes to each
  /// rank (all_to_all). The uneven ones ignore it and take `counts`, one per rank: of the blocks, or for
  /// all_to_all_v of what this rank sends to each; `receive_counts`, for all_to_all_v alone, of what it
  /// receives from each.
  Layout(const Schedule& schedule, int rank, std::size_t count, std::size_t element_size,
         std::span<const std::size_t> counts = {}, std::span<const std::size_t> receive_counts = {});

 private:
  std::shared_ptr<const std::size_t[]> tables_{};  ///< both, one behind the other
};

/// Rounds of chunks until every block is through.
TUTTI_HOST_DEVICE constexpr std::size_t rounds(const LayoutView& layout, std::size_t chunk) {
  return layout.longest() <= chunk ? (layout.longest() != 0 ? 1 : 0) : (layout.longest() - 1) / chunk + 1;
}

/// A stretch of elements.
struct Piece {
  std::size_t offset = 0;
  std::size_t length = 0;
};

/// What `round` handles of `block`, in that place; empty when the block is through already.
TUTTI_HOST_DEVICE constexpr Piece piece(const LayoutView& layout, Place place, int block, std::size_t round,
                                        std::size_t chunk) {
  const std::size_t length = layout.length(place, block);
  const std::size_t begin = round * chunk;
  if (begin >= length) return {};
  return {layout.offset(place, block) + begin, chunk < length - begin ? chunk : length - begin};
}

// --- Short, and on the way of every call: inlined.
// ----------------------------------------------------------------

TUTTI_HOST_DEVICE constexpr std::size_t LayoutView::length(Place place, int block) const {
  const auto b = static_cast<std::size_t>(block);
  if (shape_ == Shape::parts) {
    const std::size_t begin = b * part_;
    const std::size_t rest = begin < count_ ? count_ - begin : 0;
    return part_ < rest ? part_ : rest;
  }
  if (begins_ == nullptr) return count_;
  if (shape_ == Shape::per_rank) return begins_[b + 1] - begins_[b];
  const bool out = place == Place::output;
  const auto peer = static_cast<std::size_t>(out ? around(rank_ - block, size_) : around(rank_ + block, size_));
  const std::size_t* const begins = out ? receive_begins_ : begins_;
  return begins[peer + 1] - begins[peer];
}

TUTTI_HOST_DEVICE constexpr std::size_t LayoutView::offset(Place place, int block, int rank) const {
  const auto b = static_cast<std::size_t>(block);
  if (shape_ == Shape::parts) return b * part_ < count_ ? b * part_ : count_;
  if (shape_ == Shape::per_rank) {
    if (place == Place::scratch && bundles_) return static_cast<std::size_t>(around(block - rank, size_)) * count_;
    if (!many_side(place)) return 0;
    return begins_ == nullptr ? b * count_ : begins_[b];
  }
  if (place == Place::scratch) return b * count_;
  const bool out = place == Place::output;
  const auto peer = static_cast<std::size_t>(out ? around(rank - block, size_) : around(rank + block, size_));
  if (begins_ == nullptr) return peer * count_;
  return out ? receive_begins_[peer] : begins_[peer];
}

}  // namespace tutti::plan
