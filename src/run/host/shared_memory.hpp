/// @file  SharedMemory: nameless memory that several processes map, and one mapping a process.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "tutti/bootstrap/world.hpp"

namespace tutti::host {

/// One mapping of a memfd, unmapped when its last user in this process goes.
///
/// Nothing of it has a name in a file system: whatever way the processes end, the kernel takes it back.
class SharedMemory {
 public:
  /// Collective over the ranks of `local` (a World whose ranks are all on this host): the rank `owner` makes
  /// `bytes` of zeroed memory, the others map it. Ranks that are threads of one process get the same mapping.
  /// Errors: resource (with the size and the limit that was hit), timeout, peer_lost.
  static std::shared_ptr<SharedMemory> open(const World& local, int owner, std::string_view key, std::size_t bytes,
                                            Store::Deadline deadline);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t resident() const;  ///< bytes that the kernel really holds for it
  /// Gives the memory back to the kernel; the mapping stays and reads as zeros, here and in other processes.
  void discard() const;

 private:
  SharedMemory(std::byte* data, std::size_t size) : data_(data), size_(size) {}
  static std::shared_ptr<SharedMemory> map(int fd, std::size_t bytes);

  std::byte* data_;
  std::size_t size_;
};

}  // namespace tutti::host
