/// @file  Buffers: a rank's input and output, its own memory or the communicator's.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <optional>

#include "cli/bench_call.hpp"
#include "cli/bench_options.hpp"
#include "tutti/communicator.hpp"

namespace tutti::bench {

/// Two buffers of equal size. Collective to make when they are shared.
class Buffers {
 public:
  Buffers(Communicator& communicator, BufferKind kind, std::size_t bytes);
  /// In the memory of a device.
  Buffers(int device, std::size_t bytes);

  std::byte* in() const { return in_.get(); }
  std::byte* out() const { return out_.get(); }

 private:
  std::shared_ptr<std::byte> in_;
  std::shared_ptr<std::byte> out_;
};

/// Sets where input and output of a call lie in two buffers: apart, or both in the second.
void place_buffers(Call& call, const Buffers& buffers, int rank);

}  // namespace tutti::bench
