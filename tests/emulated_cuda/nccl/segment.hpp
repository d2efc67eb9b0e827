/// @file  Segment: what the ranks of one emulated NCCL communicator share: who has come, and a mailbox for each pair.
#pragma once

#include <nccl.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace tutti::emulated_nccl {

inline constexpr int most_ranks = 16;
inline constexpr std::size_t mail_bytes = 16 << 10;

/// One piece on its way from one rank to another.
struct Mailbox {
  std::atomic<std::uint32_t> bytes;  ///< in it; 0: empty
  alignas(64) char data[mail_bytes];
};

/// Where another segment is: a descriptor of a process.
struct SegmentName {
  int process;
  int descriptor;
};

struct SegmentLayout {
  std::atomic<int> come;
  std::atomic<int> going;  ///< ranks that have finalized
  Mailbox mail[most_ranks][most_ranks];
  SegmentName children[64];  ///< of splits and shrinks, by number; process 0: not made yet
  std::atomic<int> child_ready[64];
};

/// A memfd: nothing is left behind, however the ranks end.
class Segment {
 public:
  /// A new one, which other processes find by its name.
  static std::shared_ptr<Segment> make();
  static std::shared_ptr<Segment> open(SegmentName name);
  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  SegmentLayout& layout() const { return *layout_; }
  SegmentName name() const;

 private:
  Segment(int descriptor, SegmentLayout* layout) : descriptor_(descriptor), layout_(layout) {}

  int descriptor_;
  SegmentLayout* layout_;
};

}  // namespace tutti::emulated_nccl
