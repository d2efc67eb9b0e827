/// @file  DeviceMemory, MappedMemory: memory of a device, and memory of the host that devices reach, each with its owner.
#pragma once

#include <cstddef>

namespace tutti::cuda {

/// Zeroed.
class DeviceMemory {
 public:
  DeviceMemory(int device, std::size_t bytes);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  std::byte* data() const { return data_; }
  /// Others may still use it, and nobody knows: it stays until the process ends.
  void leak() { data_ = nullptr; }

 private:
  std::byte* data_ = nullptr;
};

/// Zeroed, and the same for all devices.
class MappedMemory {
 public:
  MappedMemory(int device, std::size_t bytes);
  ~MappedMemory();
  MappedMemory(const MappedMemory&) = delete;
  MappedMemory& operator=(const MappedMemory&) = delete;

  std::byte* data() const { return data_; }
  std::byte* on_device() const { return on_device_; }  ///< as the device that it was made for sees it

 private:
  std::byte* data_ = nullptr;
  std::byte* on_device_ = nullptr;
};

}  // namespace tutti::cuda
