/// @file  One request as calls of NCCL.
#pragma once

#include "run/nccl/nccl_communicator.hpp"
#include "tutti/base/request.hpp"

namespace tutti::nccl {

/// Puts the call into the stream. The current device is the communicator's; the caller has begun a group of NCCL's
/// (calls that are several calls to NCCL must not wait for one another). Afterwards the communicator may be unsettled.
/// Precondition: the request was decided for NCCL.
void issue(const NcclCommunicator& communicator, const Request& request, int rank, int ranks, Stream stream,
           const Context& context);

/// In place, where NCCL cannot: the input is copied first. Bytes of the copy; 0: there is no need.
std::size_t copy_needed(const Request& request, int ranks);

}  // namespace tutti::nccl
