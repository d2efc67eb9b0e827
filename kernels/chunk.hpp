/// @file  chunk_of: how many elements of each block a message carries, so that it fits a slot and all channels have work.
#pragma once

#include <cstddef>

#include "kernels/wire_memory.hpp"
#include "tutti/plan/layout.hpp"
#include "tutti/plan/schedule.hpp"

namespace tutti::kernels {

/// Elements that begin and end on a multiple of 16 bytes: the fewest.
constexpr std::size_t elements_in_line(std::size_t element_size) {
  const std::size_t common = element_size & (~element_size + 1);  // the largest power of two in it
  return common == 0 || common >= 16 ? 1 : 16 / common;
}

/// Every rank comes to the same number: it depends on nothing that is a rank's own. (all_to_all_v, where each rank knows
/// other counts, fills its slots.) At least 1. `element_size` is at most 32, and no message is shorter than that.
constexpr std::size_t chunk_of(const plan::Schedule& schedule, const plan::LayoutView& layout, const WireShape& shape,
                               int channels, bool packets, std::size_t element_size) {
  const std::size_t line = elements_in_line(element_size);
  const auto share = static_cast<std::size_t>(channels);
  const std::size_t even = ((layout.longest() + share - 1) / share + line - 1) / line * line;
  const std::size_t wanted = even == 0 ? line : even;
  if (schedule.window) return wanted;

  const std::size_t bytes = shape.capacity(packets) / static_cast<std::size_t>(plan::blocks_per_step(schedule));
  // A packet's elements share lines of eight bytes, or take some of their own.
  const std::size_t each =
      !packets || (element_size <= 8 && 8 % element_size == 0) ? element_size : (element_size + 7) / 8 * 8;
  std::size_t most = bytes / 16 * 16 / each;
  if (most > line) most -= most % line;
  if (most == 0) most = 1;
  if (schedule.collective == Collective::all_to_all_v) return most;
  return most < wanted ? most : wanted;
}

/// The least that a message must hold, for any schedule among so many ranks to be possible: an element of every block
/// that one step moves.
constexpr std::size_t least_capacity(int ranks) { return std::size_t{32} * static_cast<std::size_t>(ranks); }

}  // namespace tutti::kernels
