/// @file  Layout: where the blocks of a call lie in a rank's input, output and scratch, and how long they
/// are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

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
/// All lengths and offsets are in elements. Queries take constant time; only the uneven collectives (_v)
/// allocate.
class Layout {
 public:
  Layout() = default;

  /// `count` is what the collective's definition counts: the vector (all_reduce, reduce, broadcast, send,
  /// recv), one rank's output (reduce_scatter, scatter) or input (all_gather, gather), or what goes to each
  /// rank (all_to_all). The uneven ones ignore it and take `counts`, one per rank: of the blocks, or for
  /// all_to_all_v of what this rank sends to each; `receive_counts`, for all_to_all_v alone, of what it
  /// receives from each.
  Layout(const Schedule& schedule, int rank, std::size_t count, std::size_t element_size,
         std::span<const std::size_t> counts = {}, std::span<const std::size_t> receive_counts = {});

  /// Elements of `block`. Only all_to_all_v looks at the place: input when sending, output when receiving.
  std::size_t length(Place place, int block) const;
  /// The same, for a block that `step` moves.
  std::size_t length(const Step& step, int block) const {
    return length(step.own != Place::none ? step.own : step.store, block);
  }

  /// Where `block` begins in that place of this rank, or of `rank`. The place must hold the block.
  std::size_t offset(Place place, int block) const { return offset(place, block, rank_); }
  std::size_t offset(Place place, int block, int rank) const;

  /// The length of the longest block that this rank handles.
  std::size_t longest() const { return longest_; }
  std::size_t scratch_elements() const;

  /// Do the pieces of these blocks lie one behind the other, so that they can be moved as one? Only where a
  /// chunk of `chunk` elements holds whole blocks.
  bool contiguous(Place place, const Blocks& blocks, std::size_t chunk) const;

 private:
  enum class Shape : unsigned char {
    parts,      ///< of one vector
    per_rank,   ///< a block for each rank
    exchanged,  ///< a block for each distance
  };

  bool many_side(Place place) const {
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
  std::vector<std::size_t> begins_{};          ///< uneven: size + 1 of them; empty otherwise
  std::vector<std::size_t> receive_begins_{};  ///< all_to_all_v
};

/// Rounds of chunks until every block is through.
inline std::size_t rounds(const Layout& layout, std::size_t chunk) {
  return layout.longest() <= chunk ? (layout.longest() != 0 ? 1 : 0) : (layout.longest() - 1) / chunk + 1;
}

/// A stretch of elements.
struct Piece {
  std::size_t offset = 0;
  std::size_t length = 0;
};

/// What `round` handles of `block`, in that place; empty when the block is through already.
inline Piece piece(const Layout& layout, Place place, int block, std::size_t round, std::size_t chunk) {
  const std::size_t length = layout.length(place, block);
  const std::size_t begin = round * chunk;
  if (begin >= length) return {};
  return {layout.offset(place, block) + begin, std::min(chunk, length - begin)};
}

// --- Short, and on the way of every call: inlined.
// ----------------------------------------------------------------

inline std::size_t Layout::length(Place place, int block) const {
  const auto b = static_cast<std::size_t>(block);
  if (shape_ == Shape::parts) {
    const std::size_t begin = std::min(b * part_, count_);
    return std::min(part_, count_ - begin);
  }
  if (begins_.empty()) return count_;
  if (shape_ == Shape::per_rank) return begins_[b + 1] - begins_[b];
  const bool out = place == Place::output;
  const auto peer = static_cast<std::size_t>(out ? around(rank_ - block, size_) : around(rank_ + block, size_));
  const std::vector<std::size_t>& begins = out ? receive_begins_ : begins_;
  return begins[peer + 1] - begins[peer];
}

inline std::size_t Layout::offset(Place place, int block, int rank) const {
  const auto b = static_cast<std::size_t>(block);
  if (shape_ == Shape::parts) return std::min(b * part_, count_);
  if (shape_ == Shape::per_rank) {
    if (place == Place::scratch && bundles_) return static_cast<std::size_t>(around(block - rank, size_)) * count_;
    if (!many_side(place)) return 0;
    return begins_.empty() ? b * count_ : begins_[b];
  }
  if (place == Place::scratch) return b * count_;
  const bool out = place == Place::output;
  const auto peer = static_cast<std::size_t>(out ? around(rank - block, size_) : around(rank + block, size_));
  if (begins_.empty()) return peer * count_;
  return out ? receive_begins_[peer] : begins_[peer];
}

}  // namespace tutti::plan
