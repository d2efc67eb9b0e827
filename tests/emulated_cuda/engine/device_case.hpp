/// @file  A case of the conformance suite with its buffers in the memory of a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/case.hpp"
#include "conformance/suite.hpp"
#include "tutti/communicator.hpp"

namespace tutti::emulated {

/// Room on this rank's device: rank modulo devices, which becomes the thread's current one.
class DevicePlayground {
 public:
  DevicePlayground(int rank, std::size_t bytes);
  ~DevicePlayground();
  DevicePlayground(const DevicePlayground&) = delete;
  DevicePlayground& operator=(const DevicePlayground&) = delete;

  std::byte* buffer(std::size_t which) const { return buffers_[which]; }
  std::int32_t* side() const { return side_; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_;
  std::byte* buffers_[2] = {};
  std::int32_t* side_ = nullptr;
};

/// Collective. What is wrong on this rank; nothing when all is right.
std::optional<std::string> run_on_device(Communicator& comm, const conformance::Case& c, DevicePlayground& playground,
                                         std::uint64_t seed, Backend backend);

/// Of a covering array over all axes, what NCCL can: one in `every`.
std::vector<conformance::Case> cases_for_nccl(int least_ranks, int most_ranks, std::uint64_t seed, std::size_t every);

/// The same for tutti's own kernels, with the algorithms and protocols of the cases.
std::vector<conformance::Case> cases_for_kernels(int least_ranks, int most_ranks, std::uint64_t seed,
                                                 std::size_t every);

/// Those of `cases` that have this communicator's ranks.
conformance::Failures run_all_on_device(Communicator& comm, const std::vector<conformance::Case>& cases,
                                        std::uint64_t seed, Backend backend);

}  // namespace tutti::emulated
