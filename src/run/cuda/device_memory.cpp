#include "run/cuda/device_memory.hpp"

#include <cstring>

#include "run/device/cuda_runtime.hpp"

namespace tutti::cuda {

using device::check;
using device::cuda_runtime;

namespace {
constexpr unsigned portable_and_mapped = 1 | 2;
}

DeviceMemory::DeviceMemory(int device, std::size_t bytes) {
  const device::OnDevice here(device);
  void* memory = nullptr;
  check(cuda_runtime().calls.cudaMalloc(&memory, bytes), "cudaMalloc", {.operation = "making wires among devices"});
  data_ = static_cast<std::byte*>(memory);
  const device::OwnStream stream(device);
  check(cuda_runtime().calls.cudaMemsetAsync(memory, 0, bytes, stream.stream().handle), "cudaMemsetAsync");
  check(cuda_runtime().calls.cudaStreamSynchronize(stream.stream().handle), "cudaStreamSynchronize");
}
DeviceMemory::~DeviceMemory() {
  if (data_ != nullptr) cuda_runtime().calls.cudaFree(data_);
}

MappedMemory::MappedMemory(int device, std::size_t bytes) {
  const device::OnDevice here(device);
  void* memory = nullptr;
  check(cuda_runtime().calls.cudaHostAlloc(&memory, bytes, portable_and_mapped), "cudaHostAlloc");
  data_ = static_cast<std::byte*>(memory);
  std::memset(memory, 0, bytes);
  void* there = nullptr;
  check(cuda_runtime().calls.cudaHostGetDevicePointer(&there, memory, 0), "cudaHostGetDevicePointer");
  on_device_ = static_cast<std::byte*>(there);
}
MappedMemory::~MappedMemory() { cuda_runtime().calls.cudaFreeHost(data_); }

}  // namespace tutti::cuda
