/// @file  Staging: memory between a host's ranks and the network, kept from call to call.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace tutti::two_level {

/// What lies with the network is never the caller's own memory: a call that is given up leaves nothing behind that MPI
/// could still write to, once a buffer handed out here is no longer held by anybody.
class Staging {
 public:
  using Buffer = std::shared_ptr<std::byte>;

  /// At least `bytes`, of undefined content, nobody else's until the last copy is dropped.
  Buffer take(std::size_t bytes) {
    for (Kept& kept : kept_) {
      if (kept.bytes >= bytes && kept.buffer.use_count() == 1) return kept.buffer;
    }
    std::erase_if(kept_, [](const Kept& kept) { return kept.buffer.use_count() == 1; });  // too small
    const auto alignment = std::align_val_t{128};
    auto* data = static_cast<std::byte*>(::operator new(bytes, alignment));
    kept_.push_back({Buffer(data, [=](std::byte* memory) { ::operator delete(memory, alignment); }), bytes});
    return kept_.back().buffer;
  }

 private:
  struct Kept {
    Buffer buffer;
    std::size_t bytes;
  };
  std::vector<Kept> kept_;
};

}  // namespace tutti::two_level
