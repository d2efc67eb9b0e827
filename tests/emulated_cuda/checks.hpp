/// @file  What tests of emulated GPUs share: a call that must succeed, buffers, launches, and the library's test calls.
#pragma once

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"

extern "C" void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*, dim3*,
                                       int*);

namespace tutti::emulated {

/// Of the library's own test calls, which the real one does not have: null with the real one.
template <class Function>
Function test_call(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

/// The program got the emulated library, not the real one it was linked with.
inline bool is_emulated() {
  const auto here = test_call<int (*)()>("tutti_emulated_is_here");
  return here != nullptr && here() == 1;
}

inline void fail(const char* what, int device, int after, int error, bool stays = false) {
  test_call<void (*)(const char*, int, int, int, int)>("tutti_emulated_fail")(what, device, after, error,
                                                                              stays ? 1 : 0);
}
inline void lose_device(int device, int error) {
  test_call<void (*)(int, int)>("tutti_emulated_lose_device")(device, error);
}
inline std::size_t bytes_in_use(int device) {
  return test_call<std::size_t (*)(int)>("tutti_emulated_bytes_in_use")(device);
}

/// Throws otherwise: ranks that are threads may call it, which Catch2's checks may not be.
inline void ok(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorName(error));
}

/// Elements in the memory of the current device.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count) : count_(count) {
    ok(cudaMalloc(reinterpret_cast<void**>(&data_), count * sizeof(T)));
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    ok(cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* data() const { return data_; }
  std::vector<T> values() const {
    std::vector<T> all(count_);
    ok(cudaMemcpy(all.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return all;
  }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

/// A stub for the kernel with this mangled name, such as nvcc's host code registers before main.
inline const void* stub_for(const std::string& mangled) {
  static std::vector<std::pair<std::string, const char*>> known;
  for (const auto& [name, stub] : known) {
    if (name == mangled) return stub;
  }
  const char* stub = new char;  // an address that is nothing else's; as long-lived as the table of stubs
  known.emplace_back(mangled, stub);
  __cudaRegisterFunction(nullptr, stub, nullptr, known.back().first.c_str(), -1, nullptr, nullptr, nullptr, nullptr,
                         nullptr);
  return stub;
}

}  // namespace tutti::emulated
