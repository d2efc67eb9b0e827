/// @file  The calls between kernels that g++ compiled and the emulated CUDA runtime that runs them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tutti::emulated {

struct Dim {
  unsigned x, y, z;
};

/// What one CUDA thread knows of itself.
struct ThreadFacts {
  Dim thread, block, block_size, grid_size;
  unsigned lane;    ///< in its warp
  unsigned warp;    ///< in its block
  unsigned linear;  ///< in its block
  int device;
  char* dynamic_shared;
};

/// How to copy a kernel's parameters and how to call it with a copy.
struct KernelEntry {
  const void* function;  ///< its symbol is the name that nvcc gives the device code, too
  std::size_t parameter_bytes;
  void (*pack)(void* to, void** parameters);
  void (*call)(void* packed);
};

}  // namespace tutti::emulated

extern "C" {
tutti::emulated::ThreadFacts* tutti_emulated_self();
void tutti_emulated_register(const tutti::emulated::KernelEntry* entry);
void tutti_emulated_sync_block();
/// A barrier of the block that counts for how many threads the predicate holds.
unsigned tutti_emulated_sync_block_count(int predicate);
/// Static shared memory of the running block; the same for the same tag.
void* tutti_emulated_shared(const void* tag, std::size_t bytes, std::size_t alignment);
void tutti_emulated_sync_warp(unsigned mask);
std::uint64_t tutti_emulated_shuffle(unsigned mask, std::uint64_t value, unsigned source_lane);
unsigned tutti_emulated_ballot(unsigned mask, int predicate);
void tutti_emulated_grid_sync();
/// Lets the other threads of the block run.
void tutti_emulated_yield();
[[noreturn]] void tutti_emulated_trap();

// ---- for tests: what goes wrong, and which library this is ----------------------------------------------------------
/// The `after`-th next call of `what` (a CUDA function, or "kernel" for the run of a kernel) fails with `error`, on
/// `device`, or on any where that is -1. Every later one, too, when `stays`.
void tutti_emulated_fail(const char* what, int device, int after, int error, int stays);
void tutti_emulated_fail_nothing();
/// From now on every call on the device fails with `error`; kernels on it end.
void tutti_emulated_lose_device(int device, int error);
/// 1: this process has got the emulated runtime.
int tutti_emulated_is_here();
/// Live allocations of a device, in bytes.
std::size_t tutti_emulated_bytes_in_use(int device);
}
