/// @file  HostCrew: host threads in the place of a block's, so that ThreadSanitizer sees what kernels do.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "kernels/host_machine.hpp"
#include "kernels/lane_memory.hpp"

namespace tutti::kernels::test {

/// A block: its shared memory, and the barrier of its threads, which is made of acquire and release alone.
class HostBlock {
 public:
  explicit HostBlock(std::uint32_t threads) : threads_(threads) {}

  LaneMemory memory;

  std::uint32_t threads() const { return threads_; }
  void arrive() {
    const std::uint32_t before = generation_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      arrived_.store(0, std::memory_order_relaxed);
      generation_.store(before + 1, std::memory_order_release);
      return;
    }
    while (generation_.load(std::memory_order_acquire) == before) std::this_thread::yield();
  }
  /// Three words take turns, so that one can be cleared while the one before is still read.
  bool vote(bool mine, std::uint32_t rank, std::uint32_t& turn) {
    const std::uint32_t now = turn;
    turn = (turn + 1) % 3;
    if (!mine) against_[now].store(1, std::memory_order_relaxed);
    if (rank == 0) against_[turn].store(0, std::memory_order_relaxed);
    arrive();
    return against_[now].load(std::memory_order_relaxed) == 0;
  }

 private:
  std::uint32_t threads_;
  std::atomic<std::uint32_t> arrived_{0};
  std::atomic<std::uint32_t> generation_{0};
  std::atomic<std::uint32_t> against_[3]{};
};

/// One thread of it.
class HostCrew {
 public:
  using Machine = HostMachine;

  HostCrew(HostBlock& block, std::uint32_t rank) : block_(block), rank_(rank) {}

  std::uint32_t rank() const { return rank_; }
  std::uint32_t size() const { return block_.threads(); }
  void sync() { block_.arrive(); }
  bool sync_and(bool mine) { return block_.vote(mine, rank_, turn_); }
  static void relax(std::uint32_t looks) {
    if (looks > 2) std::this_thread::yield();
  }

 private:
  HostBlock& block_;
  std::uint32_t rank_;
  std::uint32_t turn_ = 0;
};

using HostKernel = bool (*)(HostCrew&, LaneMemory&, const Arguments&, int channel, int lane);

}  // namespace tutti::kernels::test
