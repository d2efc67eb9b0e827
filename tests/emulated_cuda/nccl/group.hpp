/// @file  Group: what a thread says between ncclGroupStart and ncclGroupEnd, and how it comes into streams.
#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include "emulated_cuda/nccl/job.hpp"

namespace tutti::emulated_nccl {

/// Takes a call in: at once, or with the others of the thread's group.
ncclResult_t say(ncclComm* communicator, const Call& call, cudaStream_t stream);

ncclResult_t group_start();
ncclResult_t group_end();

}  // namespace tutti::emulated_nccl
