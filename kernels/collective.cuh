/// @file  The one kernel: a lane for each block of the grid, (channel, lane).
#pragma once

#ifndef __CUDACC__
#include "emulated_cuda/simt.hpp"
#endif
#include "kernels/device_machine.cuh"
#include "kernels/lane.hpp"
#include "kernels/launch.hpp"

namespace tutti::kernels {

struct DeviceCrew {
  using Machine = DeviceMachine;

  __device__ std::uint32_t rank() const { return threadIdx.x; }
  __device__ std::uint32_t size() const { return blockDim.x; }
  __device__ void sync() { __syncthreads(); }
  __device__ bool sync_and(bool mine) { return __syncthreads_and(mine ? 1 : 0) != 0; }
  __device__ static void relax(std::uint32_t looks) {
    if (looks > 64) __nanosleep(32);
  }
};

/// Blocks wait for blocks of other grids: all blocks of a launch must be resident at once (cooperative launch).
/// `Packets`: messages are packets; else slots, or windows where the schedule says so.
template <class T, class F, bool Packets>
__global__ void __launch_bounds__(most_threads, 1) collective(const __grid_constant__ Arguments call) {
#ifdef __CUDACC__
  __shared__ LaneMemory memory[1];
#else
  TUTTI_SHARED(LaneMemory, memory, 1);
#endif
  DeviceCrew crew;
  play_lane<T, F, Packets>(crew, *memory, call, static_cast<int>(blockIdx.x), static_cast<int>(blockIdx.y));
}

}  // namespace tutti::kernels
