/// @file  ncclComm: a rank's end of an emulated NCCL communicator.
#pragma once

#include <nccl.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "emulated_cuda/nccl/job.hpp"
#include "emulated_cuda/nccl/segment.hpp"

struct ncclComm {
  std::shared_ptr<tutti::emulated_nccl::Segment> segment{};
  int rank = 0, ranks = 1, device = 0;
  bool blocking = true;
  std::atomic<int> state{ncclSuccess};  ///< what ncclCommGetAsyncError tells
  std::atomic<bool> stop{false};        ///< aborted
  std::thread background{};             ///< the start of a communicator that does not block
  int children = 0;                     ///< splits and shrinks so far: the same on all ranks

  std::mutex mutex{};
  std::condition_variable turned{};
  long next_turn = 0, turn_now = 0;
  int running = 0;
  std::vector<std::unique_ptr<tutti::emulated_nccl::Reduction>> made_operators{};

  ~ncclComm() {
    if (background.joinable()) background.join();
  }
};

namespace tutti::emulated_nccl {

/// EMULATED_NCCL_VERSION; calls that came later fail.
int version();
/// EMULATED_NCCL_SLOW_MS: how long a communicator that does not block is "in progress" after each group.
int slow_ms();

/// Keeps the words for ncclGetLastError.
ncclResult_t fail(ncclResult_t result, std::string words);
const std::string& last_words();

/// Fails unless the emulated version is at least that one.
ncclResult_t expect_version(int since, const char* call);
/// Fails for a null handle, one whose last call is in progress, or one that has failed.
ncclResult_t expect_usable(ncclComm* communicator, const char* call);

}  // namespace tutti::emulated_nccl
