/// @file  VirtualDevices: the memory that ranks lay open to one another, and launches among host threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/arguments.hpp"
#include "kernels/host_crew.hpp"

namespace tutti::kernels::test {

/// Wire memory of every rank in one address space, kept from launch to launch as on devices.
class VirtualDevices {
 public:
  explicit VirtualDevices(const WireShape& shape);

  const WireShape& shape() const { return shape_; }
  std::byte* wires(int rank) const { return wires_[static_cast<std::size_t>(rank)]; }
  std::uint32_t& abort() { return abort_; }
  Outcome& outcome(int rank) { return outcomes_[static_cast<std::size_t>(rank)]; }

  /// What all calls of a rank have in common.
  Arguments arguments(int rank);

  /// Sets the counters of all ends to `messages`, as after so many.
  void pretend(std::uint64_t messages);

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  WireShape shape_;
  std::vector<std::unique_ptr<std::byte, Free>> memory_;
  std::vector<std::byte*> wires_;
  std::vector<Outcome> outcomes_;
  std::uint32_t abort_ = 0;
};

/// A rank's part in a launch.
struct RankLaunch {
  Arguments call{};
  HostKernel kernel = nullptr;  ///< null: this rank stays away
};

/// Runs every (rank, channel, lane) as a block of `threads` host threads, all at once. False: a block gave up.
/// `threads` may differ by rank, as the sizes of blocks may.
bool launch(std::span<const RankLaunch> ranks, std::uint32_t threads);

}  // namespace tutti::kernels::test
