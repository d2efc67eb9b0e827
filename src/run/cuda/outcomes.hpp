/// @file  Outcomes: where kernels look whether they shall end, and say how they ended: memory of the host.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/arguments.hpp"
#include "run/cuda/device_memory.hpp"

namespace tutti::cuda {

class Outcomes {
 public:
  /// Calls in progress at once, and one for all that are captured into graphs.
  static constexpr std::size_t most = 1023;

  explicit Outcomes(int device) : memory_(device, sizeof(kernels::Outcome) * (most + 2)) {}

  /// Kernels in progress leave, and later ones return at once. Any thread.
  void abort() { __atomic_store_n(word(memory_.data()), 1U, __ATOMIC_RELAXED); }
  bool aborted() const { return __atomic_load_n(word(memory_.data()), __ATOMIC_RELAXED) != 0; }
  const std::uint32_t* abort_on_device() const { return word(memory_.on_device()); }

  /// `slot` below `most`; `most` itself is for graphs.
  kernels::Outcome* on_device(std::size_t slot) const { return place(memory_.on_device(), slot); }
  /// Before a call takes the slot.
  void clear(std::size_t slot) { *place(memory_.data(), slot) = {}; }
  /// After the stream has come past it. `failure` is written last.
  kernels::Outcome read(std::size_t slot) const {
    kernels::Outcome outcome;
    outcome.failure = __atomic_load_n(&place(memory_.data(), slot)->failure, __ATOMIC_ACQUIRE);
    outcome.peer = place(memory_.data(), slot)->peer;
    outcome.lane = place(memory_.data(), slot)->lane;
    outcome.step = place(memory_.data(), slot)->step;
    return outcome;
  }

 private:
  static std::uint32_t* word(std::byte* memory) { return reinterpret_cast<std::uint32_t*>(memory); }
  static kernels::Outcome* place(std::byte* memory, std::size_t slot) {
    return reinterpret_cast<kernels::Outcome*>(memory) + 1 + slot;
  }

  MappedMemory memory_;
};

}  // namespace tutti::cuda
