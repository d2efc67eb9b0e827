/// @file  Settings: what the virtual machine is like, from the EMULATED_ variables, read once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tutti::emulated {

struct Settings {
  int devices = 8;                ///< EMULATED_CUDA_DEVICES; 0: a driver and no device
  std::vector<unsigned> buses{};  ///< of the machine that EMULATED_MACHINE describes (machine_file.hpp); empty: made up
  int visible_first = 0;          ///< CUDA_VISIBLE_DEVICES=N…: the first of those that this process sees
  unsigned multiprocessors = 4;   ///< EMULATED_CUDA_MULTIPROCESSORS: blocks resident at once
  int blocks_per_multiprocessor = 1;    ///< EMULATED_CUDA_OCCUPANCY
  std::size_t memory_bytes = 1U << 30;  ///< EMULATED_CUDA_MEMORY_MB, of a device
  unsigned jitter_us = 0;               ///< EMULATED_CUDA_JITTER_US: the most that an operation of a stream is delayed
  unsigned seed = 0;                    ///< EMULATED_CUDA_SEED: shuffles the order of threads; 0: in order
  std::uint64_t timeout_ms = 60'000;    ///< EMULATED_CUDA_TIMEOUT_MS, of a block
  int compute_major = 9;                ///< EMULATED_CUDA_COMPUTE: "90"
  int compute_minor = 0;
  int driver_version = 13000;  ///< EMULATED_CUDA_DRIVER_VERSION; 0: no driver
  std::string kernels{};       ///< EMULATED_CUDA_KERNELS: libraries with kernels, separated by colons
  std::string no_peer{};       ///< EMULATED_CUDA_NO_PEER: pairs without peer access, "0-1,2-3", or "all"
  std::string fail{};          ///< EMULATED_CUDA_FAIL: "cudaMalloc@2:3=2": on device 2, the third call, error 2
  bool fresh_fibres = false;   ///< EMULATED_CUDA_FRESH_FIBRES: ThreadSanitizer sees new threads in each block
};

const Settings& settings();

/// May `from` read and write the memory of `to`?
bool peers(int from, int to);

}  // namespace tutti::emulated
