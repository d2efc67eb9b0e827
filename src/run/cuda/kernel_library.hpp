/// @file  KernelLibrary: tutti's kernels, which nvcc compiled into a library of their own, loaded at run time.
#pragma once

#include <string>

#include "kernels/launch.hpp"

namespace tutti::cuda {

struct KernelLibrary {
  kernels::Kernel (*kernel_for)(DataType type, Op op) = nullptr;
  std::string trouble{};  ///< why there are none; empty: there are
  std::string remedy{};
};

/// Loads it when first asked, once for each path; empty: the usual places. Never throws.
const KernelLibrary& kernel_library(const std::string& path);

/// Loads all its kernels onto the current device, and gives the blocks of `threads` that each of its multiprocessors can
/// hold of any of them. To be called before the first of them waits for another rank: loading may wait for the device.
int load_all(const KernelLibrary& library, int threads);

}  // namespace tutti::cuda
