/// @file  CudaSettings: how a communicator uses tutti's own kernels, as one value.
#pragma once

#include <cstddef>
#include <string>

namespace tutti {

/// The same on all ranks. docs/cuda.md says what each costs.
struct CudaSettings {
  std::string
      kernels{};  ///< path of libtutti_kernels.so; empty: beside the program, where it was installed, or known to the system
  int channels = 8;   ///< blocks of a kernel that share a message: 1 to 64. A call takes fewer where it is short
  int threads = 512;  ///< of a block: whole warps, 32 to 512
  /// Bytes of each rank's device that its peers write messages to; divided among channels and peers.
  std::size_t wire_bytes = std::size_t{64} << 20;

  bool operator==(const CudaSettings&) const = default;
};

}  // namespace tutti
