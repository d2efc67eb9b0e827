/// @file  Memory: what is allocated where, in memfds between guard pages.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace tutti::emulated {

/// Physical memory: a memfd. Mappings and handles share it.
class Physical {
 public:
  /// Null: there is no more.
  static std::shared_ptr<Physical> make(std::size_t bytes, int device);
  /// Of a descriptor that is now its own; null when it is none of ours.
  static std::shared_ptr<Physical> adopt(int descriptor);
  ~Physical();
  Physical(const Physical&) = delete;
  Physical& operator=(const Physical&) = delete;

  int descriptor() const { return descriptor_; }
  std::size_t bytes() const { return bytes_; }
  int device() const { return device_; }

 private:
  Physical(int descriptor, std::size_t bytes, int device, bool counted)
      : descriptor_(descriptor), bytes_(bytes), device_(device), counted_(counted) {}

  int descriptor_;
  std::size_t bytes_;
  int device_;  ///< -1: the host's
  bool counted_;
};

enum class Origin : unsigned char { device, pinned, managed, registered, imported, mapped };

/// A stretch of addresses that CUDA knows.
struct Allocation {
  char* begin = nullptr;
  std::size_t bytes = 0;
  int device = 0;
  Origin origin = Origin::device;
  std::shared_ptr<Physical> physical{};

  bool on_device() const { return origin != Origin::pinned && origin != Origin::registered; }
};

/// Filled with 0xCD: memory of a GPU is not zeroed. Null when a device has no more.
char* allocate(std::size_t bytes, int device, Origin origin);
/// False when it is not the begin of such an allocation.
bool release_allocation(void* begin, Origin origin);
/// Makes physical memory known at an address; at one that it picks, where `at` is null.
char* map_physical(const std::shared_ptr<Physical>& physical, char* at, int device, Origin origin);
void know(const Allocation& allocation);
/// The allocation that an address lies in.
std::optional<Allocation> allocation_at(const void* address);

std::size_t page_up(std::size_t bytes);

}  // namespace tutti::emulated
