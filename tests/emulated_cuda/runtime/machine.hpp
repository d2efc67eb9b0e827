/// @file  Machine: the virtual devices, the errors of this thread, and what tests want to go wrong.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

namespace tutti::emulated {

class Queue;

struct Device {
  int number = 0;
  std::atomic<int> lost{0};  ///< the error that every call gives from now on; 0: none
  std::atomic<std::size_t> used{0};
  std::mutex mutex;
  Queue* default_queue = nullptr;  ///< the legacy default stream; made when needed
  std::set<Queue*> queues;         ///< the others
  std::set<int> peers;             ///< with access enabled
};

int device_count();
Device& device(int number);
int& current_device();
inline Device& here() { return device(current_device()); }

/// Keeps it for cudaGetLastError, unless it is cudaErrorNotReady.
cudaError_t remember(cudaError_t error);
cudaError_t& last_error();

/// What this call of `what` on the current device shall fail with: an injected fault, or the error of a lost device.
cudaError_t fault(const char* what);
/// The same for the run of something on a device.
cudaError_t fault_on(const char* what, int number);

}  // namespace tutti::emulated

/// An entry point of the library.
#define TUTTI_EMULATED_API extern "C" __attribute__((visibility("default")))
/// Its first line: no driver, a lost device, or a fault that a test asked for.
#define TUTTI_EMULATED_BEGIN(name) \
  if (const cudaError_t fault_ = tutti::emulated::fault(name)) return tutti::emulated::remember(fault_)
