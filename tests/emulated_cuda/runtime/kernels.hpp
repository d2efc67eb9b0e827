/// @file  Kernels: from the stub that nvcc's host code launches, by the name of its device code, to what g++ compiled.
#pragma once

#include <string>

#include "emulated_cuda/abi.hpp"

namespace tutti::emulated {

/// What the host code of nvcc tells before main: this stub stands for the kernel of this name.
void name_stub(const void* stub, const char* name);
/// Nothing when nobody has named it.
std::string name_of_stub(const void* stub);

/// Null when no library of EMULATED_CUDA_KERNELS has registered it. Loads them when it is first asked.
const KernelEntry* kernel_named(const std::string& name);

/// Bytes of dynamic shared memory that launches of the stub may have.
void allow_dynamic_shared(const void* stub, int bytes);
int allowed_dynamic_shared(const void* stub);

}  // namespace tutti::emulated
