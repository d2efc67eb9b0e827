/// @file  Arguments: one call on one rank, as its kernel gets it; a plain value that a graph can keep.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/wire_memory.hpp"
#include "tutti/plan/layout.hpp"
#include "tutti/plan/schedule.hpp"

namespace tutti::kernels {

/// How a call ended, in memory that the host reads without asking the device. Zero: well, or not yet.
enum class Failure : std::uint32_t { none, aborted, timeout, poisoned };
struct Outcome {
  std::uint32_t failure = 0;  ///< a Failure
  std::uint32_t peer = 0;     ///< who was waited for
  std::uint32_t lane = 0;
  std::uint32_t step = 0;
};

/// Nothing here is different from replay to replay: what must be, lies in the wire memory.
struct Arguments {
  plan::Schedule schedule{};
  plan::LayoutView layout{};  ///< uneven collectives: its tables lie in memory of the device
  WireShape shape{};
  int rank = 0;
  int channels = 1;  ///< that this call uses; equal on all ranks, and no more than the shape has

  std::byte* const* wires = nullptr;  ///< [size] every rank's wire memory, as this device sees it
  const std::byte* in = nullptr;
  std::byte* out = nullptr;
  std::byte* scratch = nullptr;  ///< null where the schedule needs none
  /// Windows: [size] where every rank's two buffers begin, but for the two distances, which are the same for all.
  std::byte* const* windows_in = nullptr;
  std::byte* const* windows_out = nullptr;
  std::size_t window_in_distance = 0;
  std::size_t window_out_distance = 0;

  std::size_t element_size = 1;
  std::size_t chunk = 1;  ///< elements of a block that a message carries; equal on all ranks
  std::size_t rounds = 0;

  bool scales = false;  ///< contributions are multiplied by `factor` first: a premultiplied sum
  bool averages = false;
  double factor = 1;
  alignas(16) unsigned char op[32] = {};  ///< a user's function object

  const std::uint32_t* abort = nullptr;  ///< non-zero: give up; in memory of the host that the device can read
  std::uint64_t timeout = 0;             ///< nanoseconds that the kernel may take; 0: no limit
  Outcome* outcome = nullptr;            ///< in such memory too
};

}  // namespace tutti::kernels
