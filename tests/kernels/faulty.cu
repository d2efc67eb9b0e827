/// @file  Kernels as they must not be, each behind a macro: the tests of resources and of PTX must find every fault.
#include <cstdint>

namespace tutti::kernels {

struct Faulty {};

template <class T, class F, bool Packets>
__global__ void __launch_bounds__(512, 1) collective(const uint4* from, uint4* to, std::uint64_t* flag, int count) {
#ifdef FAULT_STACK_FRAME
  int places[64];
  for (int i = 0; i < 64; ++i) places[(i * count) & 63] = static_cast<int>(from[i].x);
  to[0].x = static_cast<std::uint32_t>(places[count & 63]);
#endif
#ifdef FAULT_SPILLS
  std::uint32_t w[160];
  for (int i = 0; i < 160; ++i) w[i] = from[i * 512 + threadIdx.x].x * static_cast<std::uint32_t>(count);
  __syncthreads();
  for (int i = 0; i < 160; ++i) to[i * 512 + threadIdx.x].x = w[i] ^ w[(i * 7 + 3) % 160] ^ w[(i * 11 + 5) % 160];
#endif
#ifdef FAULT_READ_ONLY_LOAD
  to[threadIdx.x] = __ldg(from + threadIdx.x);
#elif defined(FAULT_NARROW_PAYLOAD)
  to[threadIdx.x].x = from[threadIdx.x].x;
#else
  to[threadIdx.x] = from[threadIdx.x];
#endif
#ifdef FAULT_FENCE
  __threadfence_system();
#endif
#ifdef FAULT_NO_RELEASE
  *flag = 1;
#elif defined(FAULT_GPU_SCOPE)
  asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(flag)), "l"(1ULL) : "memory");
#else
  asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(flag)), "l"(1ULL) : "memory");
#endif
  std::uint64_t seen = 0;
#ifndef FAULT_NO_ACQUIRE
  asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(seen) : "l"(__cvta_generic_to_global(flag)) : "memory");
#endif
#ifdef FAULT_VOLATILE
  seen += *const_cast<volatile std::uint64_t*>(flag);
#endif
  if (seen == 77) to[0].y = 1;
}

template __global__ void collective<float, Faulty, false>(const uint4*, uint4*, std::uint64_t*, int);

}  // namespace tutti::kernels
