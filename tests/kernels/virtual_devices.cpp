#include "kernels/virtual_devices.hpp"

#include <atomic>
#include <cstring>
#include <new>
#include <thread>

namespace tutti::kernels::test {

void VirtualDevices::Free::operator()(std::byte* memory) const { ::operator delete (memory, std::align_val_t{128}); }

VirtualDevices::VirtualDevices(const WireShape& shape)
    : shape_(shape), outcomes_(static_cast<std::size_t>(shape.ranks)) {
  for (int rank = 0; rank < shape.ranks; ++rank) {
    auto* const memory = static_cast<std::byte*>(::operator new (shape.bytes(), std::align_val_t{128}));
    std::memset(memory, 0, shape.bytes());
    memory_.emplace_back(memory);
    wires_.push_back(memory);
  }
}

Arguments VirtualDevices::arguments(int rank) {
  Arguments call;
  call.shape = shape_;
  call.rank = rank;
  call.wires = wires_.data();
  call.abort = &abort_;
  call.outcome = &outcomes_[static_cast<std::size_t>(rank)];
  return call;
}

void VirtualDevices::pretend(std::uint64_t messages) {
  for (std::byte* const memory : wires_) {
    for (std::size_t end = 0; end < shape_.ends(); ++end) {
      for (const std::size_t at : {shape_.tail(end), shape_.head(end), shape_.sent(end), shape_.taken(end)}) {
        std::memcpy(memory + at, &messages, sizeof messages);
      }
    }
  }
}

bool launch(std::span<const RankLaunch> ranks, std::uint32_t threads) {
  std::vector<std::unique_ptr<HostBlock>> blocks;
  std::vector<std::thread> running;
  std::atomic<bool> good{true};
  for (const RankLaunch& rank : ranks) {
    if (rank.kernel == nullptr) continue;
    for (int channel = 0; channel < rank.call.channels; ++channel) {
      for (int lane = 0; lane < plan::lanes(rank.call.schedule); ++lane) {
        HostBlock& block = *blocks.emplace_back(std::make_unique<HostBlock>(threads));
        for (std::uint32_t thread = 0; thread < threads; ++thread) {
          running.emplace_back([&rank, &block, &good, channel, lane, thread] {
            HostCrew crew(block, thread);
            if (!rank.kernel(crew, block.memory, rank.call, channel, lane)) good = false;
          });
        }
      }
    }
  }
  for (std::thread& thread : running) thread.join();
  return good;
}

}  // namespace tutti::kernels::test
