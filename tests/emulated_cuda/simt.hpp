/// @file  What CUDA C++ means in the g++ compile of a kernel: every CUDA thread is a fibre, every block an OS thread.
#pragma once

#ifdef __CUDACC__
#error "emulated_cuda/simt.hpp is for the host compile of kernels only"
#endif

#include <cuda_runtime.h>

#include <cstring>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

#include "emulated_cuda/abi.hpp"

// The words of the language. cuda_runtime.h has defined some of them.
#undef __shared__
#undef __global__
#undef __device__
#undef __host__
#undef __forceinline__
#undef __launch_bounds__
#undef __grid_constant__
#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __grid_constant__
// A plain __shared__ does not compile here, on purpose: storage of one block is not that of a thread.
#define __shared__ "use TUTTI_SHARED(T, name, N)"
#define TUTTI_SHARED(T, name, N)  \
  static const char name##_tag{}; \
  T* const name = static_cast<T*>(tutti_emulated_shared(&name##_tag, sizeof(T) * (N), alignof(T)))
#define TUTTI_DYNAMIC_SHARED(T, name) T* const name = reinterpret_cast<T*>(tutti_emulated_self()->dynamic_shared)
#define threadIdx (tutti_emulated_self()->thread)
#define blockIdx (tutti_emulated_self()->block)
#define blockDim (tutti_emulated_self()->block_size)
#define gridDim (tutti_emulated_self()->grid_size)
#define warpSize 32

inline void __syncthreads() { tutti_emulated_sync_block(); }
inline int __syncthreads_count(int predicate) { return static_cast<int>(tutti_emulated_sync_block_count(predicate)); }
inline int __syncthreads_or(int predicate) { return tutti_emulated_sync_block_count(predicate) != 0 ? 1 : 0; }
inline int __syncthreads_and(int predicate) { return tutti_emulated_sync_block_count(predicate == 0) == 0 ? 1 : 0; }
inline void __syncwarp(unsigned mask = 0xffffffffU) { tutti_emulated_sync_warp(mask); }
/// Every loop that waits calls it: that is where other threads of the block come to run.
inline void __nanosleep(unsigned) { tutti_emulated_yield(); }
[[noreturn]] inline void __trap() { tutti_emulated_trap(); }

namespace tutti::emulated {

template <class T>
T shuffle(unsigned mask, T value, unsigned source) {
  static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>);
  std::uint64_t word = 0;
  std::memcpy(&word, &value, sizeof value);
  word = tutti_emulated_shuffle(mask, word, source);
  T result;
  std::memcpy(&result, &word, sizeof result);
  return result;
}

inline unsigned lane() { return tutti_emulated_self()->lane; }

/// Ordering that ThreadSanitizer sees, which an atomic_thread_fence is not: too strong, never too weak.
inline void fence() {
  static int word;
  __atomic_fetch_add(&word, 1, __ATOMIC_ACQ_REL);
}

/// Registers a kernel under its own symbol.
template <auto K>
struct Registration;
template <class... P, void (*K)(P...)>
struct Registration<K> {
  using Pack = std::tuple<std::decay_t<P>...>;

  template <std::size_t... I>
  static void pack_all(void* to, void** parameters, std::index_sequence<I...>) {
    new (to) Pack(*static_cast<std::decay_t<P>*>(parameters[I])...);
  }
  static void pack(void* to, void** parameters) { pack_all(to, parameters, std::index_sequence_for<P...>{}); }
  static void call(void* packed) { std::apply(K, *static_cast<Pack*>(packed)); }

  static inline const KernelEntry entry{reinterpret_cast<const void*>(K), sizeof(Pack), &pack, &call};
  Registration() { tutti_emulated_register(&entry); }
};

/// What TUTTI_EMULATED_KERNEL does, for lists of kernels that are functions.
template <auto K>
void register_kernel() {
  tutti_emulated_register(&Registration<K>::entry);
}

}  // namespace tutti::emulated

template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  const unsigned w = static_cast<unsigned>(width);
  return tutti::emulated::shuffle(mask, value,
                                  (tutti::emulated::lane() & ~(w - 1)) | (static_cast<unsigned>(source) & (w - 1)));
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const unsigned lane = tutti::emulated::lane(), w = static_cast<unsigned>(width);
  return tutti::emulated::shuffle(mask, value, (lane & (w - 1)) + delta < w ? lane + delta : lane);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const unsigned lane = tutti::emulated::lane(), w = static_cast<unsigned>(width);
  return tutti::emulated::shuffle(mask, value, (lane & (w - 1)) >= delta ? lane - delta : lane);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {
  const unsigned lane = tutti::emulated::lane(), w = static_cast<unsigned>(width);
  const unsigned source = lane ^ static_cast<unsigned>(bits);
  return tutti::emulated::shuffle(mask, value, source / w == lane / w ? source : lane);
}
inline unsigned __ballot_sync(unsigned mask, int predicate) { return tutti_emulated_ballot(mask, predicate); }
inline int __any_sync(unsigned mask, int predicate) { return tutti_emulated_ballot(mask, predicate) != 0; }
inline int __all_sync(unsigned mask, int predicate) { return tutti_emulated_ballot(mask, predicate) == mask; }
inline unsigned __activemask() { return 0xffffffffU; }
inline void __threadfence() { tutti::emulated::fence(); }
inline void __threadfence_system() { tutti::emulated::fence(); }
inline void __threadfence_block() { tutti::emulated::fence(); }

#define TUTTI_EMULATED_JOIN_(a, b) a##b
#define TUTTI_EMULATED_JOIN(a, b) TUTTI_EMULATED_JOIN_(a, b)
/// At namespace scope, once for each instantiation that is launched.
#define TUTTI_EMULATED_KERNEL(...) \
  static const tutti::emulated::Registration<&__VA_ARGS__> TUTTI_EMULATED_JOIN(emulated_kernel_, __COUNTER__)
