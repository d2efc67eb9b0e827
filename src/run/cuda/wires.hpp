/// @file  Wires: the memory that the ranks of a host lay open to one another's devices, found, mapped and tried.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "kernels/wire_memory.hpp"
#include "run/cuda/device_memory.hpp"
#include "tutti/bootstrap/world.hpp"

namespace tutti::cuda {

/// Threads of one process share their devices' memory; other processes' is opened by CUDA's interprocess handles.
class Wires {
 public:
  /// Collective over the World, through its store, under "cuda/". Every pair of ranks writes to and reads from one
  /// another's memory before anything is built on it. Throws on all ranks alike when a pair cannot. `look` is called while
  /// others are waited for, and may throw.
  Wires(const World& world, int device, const kernels::WireShape& shape, const std::function<void()>& look);
  ~Wires();
  Wires(const Wires&) = delete;
  Wires& operator=(const Wires&) = delete;

  const kernels::WireShape& shape() const { return shape_; }
  /// In the device's memory: every rank's wire memory, as this device sees it.
  std::byte* const* table() const { return reinterpret_cast<std::byte* const*>(table_->data()); }

 private:
  struct Card;

  Wires(const World& world, int device, const kernels::WireShape& shape);
  /// Do other processes open this rank's memory?
  bool lends() const { return !world_.one_process && world_.size > 1; }
  Card card() const;
  void reach(int rank, const Card& card);
  void write_to_peers() const;
  std::string unlike_what_peers_wrote() const;
  bool all_left() noexcept;

  World world_;
  int device_;
  kernels::WireShape shape_;
  std::shared_ptr<DeviceMemory> mine_;
  std::vector<std::shared_ptr<DeviceMemory>> of_threads_;  ///< of ranks in this process, kept while this one may use it
  std::vector<void*> opened_;                              ///< of other processes
  std::vector<std::byte*> all_;
  std::unique_ptr<DeviceMemory> table_;
};

}  // namespace tutti::cuda
