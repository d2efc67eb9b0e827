/// @file  NvtxRanges: each call as a range with a payload, for Nsight Systems and whatever else listens to NVTX.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "tutti/run/call_record.hpp"

namespace tutti::trace {

/// Of one rank. Ranges begin where a call is made and end where it ends, on any thread, in the domain "tutti".
class NvtxRanges final : public CallObserver {
 public:
  /// Is there a tool that listens, in a build that has NVTX? Without one, nobody needs to make an object of this.
  static bool tool_attached();
  static bool built_in();

  void entered(const CallRecord& record) noexcept override;
  void ended(const CallRecord& record) noexcept override;

 private:
  std::array<std::uint64_t, recorded_calls> ranges_{};  ///< open ones, by number; 0: none
};

}  // namespace tutti::trace
