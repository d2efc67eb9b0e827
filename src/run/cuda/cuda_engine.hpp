/// @file  CudaEngine: collectives among the devices of a host by tutti's own kernels.
#pragma once

#include <memory>
#include <vector>

#include "kernels/launch.hpp"
#include "run/cuda/kernel_library.hpp"
#include "run/cuda/outcomes.hpp"
#include "run/cuda/wires.hpp"
#include "run/device/stream_engine.hpp"
#include "tutti/plan/layout.hpp"
#include "tutti/run/cuda_settings.hpp"

namespace tutti::cuda {

/// Calls follow one another on the device, whatever streams they are in: they use the same wires. In a group, sends and
/// receives run beside each other. A call puts one kernel into its stream; nothing waits for the device there.
class CudaEngine final : public device::StreamEngine {
 public:
  struct Parts {
    const KernelLibrary& kernels;
    std::unique_ptr<Wires> wires;
    int blocks = 0;  ///< of `threads`, that every rank's device holds at once
    int channels = 1;
    int threads = 512;
    int connections = 8;  ///< of this process to its device: streams that do not wait for one another there
  };
  CudaEngine(Parts parts, ProgressLoop& loop, Settings settings);
  /// Ends what is still in the streams, after a while.
  ~CudaEngine() override;

  /// Ends this rank's part of all calls, also of those that nobody waits for. Any thread.
  void end_calls() noexcept { outcomes_.abort(); }

 private:
  void put(std::span<device::StreamOperation* const> operations) override;
  bool given_up() const override { return outcomes_.aborted(); }
  void give_up() noexcept override { outcomes_.abort(); }
  std::size_t most_in_progress() const override { return Outcomes::most; }
  void expect_done(const device::StreamOperation& operation) const override;

  bool others_are_gone() const noexcept;
  void expect_sound_graphs() const;
  void put_in_turn(device::StreamOperation& operation);
  void put_together(std::span<device::StreamOperation* const> operations);
  void launch(device::StreamOperation& operation, Stream stream);
  plan::LayoutView on_device(const plan::Layout& layout, const device::StreamOperation& operation);

  Parts parts_;
  Outcomes outcomes_;
  MappedMemory tables_;  ///< of uneven collectives, operation by operation: made now, as making it may wait for devices
  device::OwnStream sends_;
  device::OwnStream receives_;
  device::Event turn_;  ///< the end of the last call
};

}  // namespace tutti::cuda
