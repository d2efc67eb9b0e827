/// @file  The kernels that the emulation is tested with, and how a test launches them without nvcc.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

namespace tutti::emulated::samples {

/// What `exchange` leaves out, to see that it is found out.
enum class Flaw : int { none, no_barrier_before_post, relaxed_post, no_barrier_after_wait, no_barrier_in_block_sum };

/// Two devices swap vectors through flags, add what came, and sum each block's part.
struct Exchange {
  const float* mine;
  float* out;
  float* to_peer;
  const float* from_peer;
  unsigned* peer_flags;
  unsigned* my_flags;
  unsigned epoch;
  int count;
  float* block_sums;
  Flaw flaw;
};

}  // namespace tutti::emulated::samples
