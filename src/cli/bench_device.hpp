/// @file  Device memory in the benchmark: buffers there, and their contents made and compared on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "cli/bench_call.hpp"
#include "cli/bench_check.hpp"

namespace tutti::bench {

/// Devices that are visible; 0 where there is no CUDA.
int device_count();

/// Owned by what is returned. Throws resource.
std::shared_ptr<std::byte> device_memory(int device, std::size_t bytes);

/// A call on a device with copies of its buffers on the host.
class DeviceCopy {
 public:
  explicit DeviceCopy(const Call& call);

  void prepare(Place place, std::uint64_t seed);
  void touch(Place place);
  std::size_t wrong_elements(Place place, std::uint64_t seed);

 private:
  void send();
  void fetch();

  const Call& call_;
  std::vector<std::byte> in_, out_;
  Call host_;  ///< the same call on the copies, which are apart
};

}  // namespace tutti::bench
