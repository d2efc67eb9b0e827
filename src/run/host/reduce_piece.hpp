/// @file  A piece of a call: the same arrays from some element on, with some of them replaced by scratch.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "run/host/reduce_table.hpp"
#include "tutti/base/error.hpp"
#include "tutti/base/reduce_op.hpp"

namespace tutti::host {

/// Scratch of this many bytes stays in the first-level cache beside its sources.
inline constexpr std::size_t piece_bytes = 4096;

/// Moves over a call from its beginning to its end.
class CallPiece {
 public:
  CallPiece(const ReduceCall& whole, std::size_t element_size) : whole_(whole), size_(element_size) {
    expect(whole.source_count <= limit && whole.destination_count <= limit, Code::internal,
           "a reduction over more than 256 arrays at once");
    call_.sources = sources_;
    call_.destinations = destinations_;
    call_.source_count = whole.source_count;
    call_.destination_count = whole.destination_count;
  }
  CallPiece(const CallPiece&) = delete;
  CallPiece& operator=(const CallPiece&) = delete;

  /// The next elements, at most as many as scratch holds; false at the end.
  bool next() {
    begin_ += call_.count;
    call_.count = std::min(whole_.count - begin_, piece_bytes / size_);
    if (call_.count == 0) return false;
    for (int s = 0; s < whole_.source_count; ++s)
      sources_[s] = static_cast<const unsigned char*>(whole_.sources[s]) + begin_ * size_;
    for (int d = 0; d < whole_.destination_count; ++d)
      destinations_[d] = static_cast<unsigned char*>(whole_.destinations[d]) + begin_ * size_;
    return true;
  }

  const ReduceCall& call() const { return call_; }
  const void* source(int s) const { return sources_[s]; }
  void replace_source(int s, const void* scratch) { sources_[s] = scratch; }

  /// The same sources into `scratch` alone.
  ReduceCall into(void* const* scratch) const {
    ReduceCall call = call_;
    call.destinations = scratch;
    call.destination_count = 1;
    return call;
  }

  /// Copies scratch to every destination; those named in `streaming` around the caches, in no order.
  void spread(const void* scratch, std::uint32_t streaming) const {
    const std::size_t bytes = call_.count * size_;
    for (int d = 0; d < call_.destination_count; ++d) {
      if (d < 32 && ((streaming >> d) & 1U) != 0) {
        copy_streaming(scratch, destinations_[d], bytes);
      } else {
        std::memcpy(destinations_[d], scratch, bytes);
      }
    }
  }

 private:
  static constexpr int limit = 256;

  const ReduceCall& whole_;
  std::size_t size_;
  std::size_t begin_ = 0;
  ReduceCall call_;
  const void* sources_[limit];
  void* destinations_[limit];
};

}  // namespace tutti::host
