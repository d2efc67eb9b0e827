/// @file  Compiled by g++ here; by nvcc they would be device code under the same names.
#include "emulated_cuda/sample_kernels.hpp"

#include <cuda/atomic>

#include "emulated_cuda/simt.hpp"

namespace tutti::emulated::samples {

using Word = cuda::atomic_ref<unsigned, cuda::thread_scope_system>;

__global__ void exchange(Exchange e) {
  TUTTI_SHARED(float, sums, 32);
  const int blocks = static_cast<int>(gridDim.x), block = static_cast<int>(blockIdx.x);
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  const int begin = e.count * block / blocks, end = e.count * (block + 1) / blocks;
  for (int i = begin + thread; i < end; i += threads) e.to_peer[i] = e.mine[i];
  if (e.flaw != Flaw::no_barrier_before_post) __syncthreads();
  if (thread == 0) {
    Word(e.peer_flags[block])
        .store(e.epoch,
               e.flaw == Flaw::relaxed_post ? cuda::std::memory_order_relaxed : cuda::std::memory_order_release);
    while (Word(e.my_flags[block]).load(cuda::std::memory_order_acquire) < e.epoch) __nanosleep(32);
  }
  if (e.flaw != Flaw::no_barrier_after_wait) __syncthreads();
  float sum = 0;
  for (int i = begin + thread; i < end; i += threads) {
    e.out[i] = e.mine[i] + e.from_peer[i];
    sum += e.out[i];
  }
  for (unsigned distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffffU, sum, distance);
  if (thread % 32 == 0) sums[thread / 32] = sum;
  if (e.flaw != Flaw::no_barrier_in_block_sum) __syncthreads();
  if (thread == 0) {
    float total = 0;
    for (int warp = 0; warp < threads / 32; ++warp) total += sums[warp];
    e.block_sums[block] = total;
  }
}

__global__ void all_arrive(unsigned* counter, unsigned expected) {
  if (threadIdx.x == 0) {
    const Word word(*counter);
    word.fetch_add(1, cuda::std::memory_order_acq_rel);
    while (word.load(cuda::std::memory_order_acquire) < expected) __nanosleep(32);
  }
  __syncthreads();
}

__global__ void divergent(int* out) {
  if (threadIdx.x < 16) {
    __syncthreads();
  } else {
    __syncwarp();
  }
  *out = 1;
}

__global__ void reversed(int* out) {
  TUTTI_DYNAMIC_SHARED(int, values);
  values[threadIdx.x] = static_cast<int>(threadIdx.x) * 3;
  __syncthreads();
  out[threadIdx.x] = values[blockDim.x - 1 - threadIdx.x];
}

__global__ void add_one(int* out, int count) {
  for (unsigned i = threadIdx.x + blockIdx.x * blockDim.x; i < static_cast<unsigned>(count);
       i += blockDim.x * gridDim.x) {
    ++out[i];
  }
}

/// Every block sees what all others wrote before the grid's barrier.
__global__ void grid_sum(int* parts, int* sums) {
  if (threadIdx.x == 0) parts[blockIdx.x] = static_cast<int>(blockIdx.x) + 1;
  tutti_emulated_grid_sync();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (unsigned i = 0; i < gridDim.x; ++i) sum += parts[i];
    sums[blockIdx.x] = sum;
  }
}

__global__ void votes(unsigned* out) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned odd = __ballot_sync(0xffffffffU, static_cast<int>(lane % 2));
  const int any = __any_sync(0xffffffffU, lane == 7 ? 1 : 0), all = __all_sync(0xffffffffU, 1);
  const unsigned neighbour = __shfl_xor_sync(0xffffffffU, lane, 1);
  const unsigned below = __shfl_up_sync(0xffffffffU, lane, 1), first = __shfl_sync(0xffffffffU, lane, 0);
  const int below_ten = __syncthreads_count(threadIdx.x < 10 ? 1 : 0);
  const int everybody = __syncthreads_and(1), nobody = __syncthreads_or(0);
  out[threadIdx.x] = below_ten == 10 && everybody == 1 && nobody == 0 && odd == 0xaaaaaaaaU && any == 1 && all == 1 &&
                             neighbour == (lane ^ 1U) && below == (lane == 0 ? 0 : lane - 1) && first == 0
                         ? 1
                         : 0;
}

__global__ void trap_in_one_thread(int*) {
  if (threadIdx.x == 3) __trap();
  __syncthreads();
}

TUTTI_EMULATED_KERNEL(exchange);
TUTTI_EMULATED_KERNEL(all_arrive);
TUTTI_EMULATED_KERNEL(divergent);
TUTTI_EMULATED_KERNEL(reversed);
TUTTI_EMULATED_KERNEL(add_one);
TUTTI_EMULATED_KERNEL(grid_sum);
TUTTI_EMULATED_KERNEL(votes);
TUTTI_EMULATED_KERNEL(trap_in_one_thread);

}  // namespace tutti::emulated::samples
