/// @file  cuda*: streams and events, as they run and as they are captured.
#include <algorithm>

#include "emulated_cuda/runtime/queue.hpp"

using namespace tutti::emulated;

namespace {

Event& event_of(cudaEvent_t event) { return *reinterpret_cast<Event*>(event); }

bool capturing(const Queue& queue) { return queue.capture.status == cudaStreamCaptureStatusActive; }

cudaError_t lost_error(int number) { return static_cast<cudaError_t>(device(number).lost.load()); }

}  // namespace

TUTTI_EMULATED_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  TUTTI_EMULATED_BEGIN("cudaStreamCreate");
  auto* queue = new Queue(current_device(), flags, false);
  const std::lock_guard lock(here().mutex);
  here().queues.insert(queue);
  *stream = reinterpret_cast<cudaStream_t>(queue);
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, 0); }
TUTTI_EMULATED_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
  return cudaStreamCreateWithFlags(stream, flags);
}
TUTTI_EMULATED_API cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (stream == nullptr) return remember(cudaErrorInvalidResourceHandle);
  auto* queue = reinterpret_cast<Queue*>(stream);
  {
    Device& mine = device(queue->device());
    const std::lock_guard lock(mine.mutex);
    if (mine.queues.erase(queue) == 0) return remember(cudaErrorInvalidResourceHandle);
  }
  delete queue;
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  *flags = queue_of(stream)->flags();
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaStreamGetPriority(cudaStream_t, int* priority) {
  *priority = 0;
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* number) {
  *number = queue_of(stream)->device();
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  *id = reinterpret_cast<std::uintptr_t>(queue_of(stream));
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  TUTTI_EMULATED_BEGIN("cudaStreamSynchronize");
  Queue& queue = *queue_of(stream);
  if (capturing(queue)) return remember(cudaErrorStreamCaptureUnsupported);
  if (const MarkPointer last = queue.last()) last->wait();
  return remember(lost_error(queue.device()));
}
TUTTI_EMULATED_API cudaError_t cudaStreamQuery(cudaStream_t stream) {
  TUTTI_EMULATED_BEGIN("cudaStreamQuery");
  Queue& queue = *queue_of(stream);
  if (capturing(queue)) return remember(cudaErrorStreamCaptureUnsupported);
  if (const MarkPointer last = queue.last(); last != nullptr && !last->reached()) return cudaErrorNotReady;
  return remember(lost_error(queue.device()));
}
TUTTI_EMULATED_API cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* user) {
  TUTTI_EMULATED_BEGIN("cudaLaunchHostFunc");
  queue_of(stream)->add([function, user] { function(user); });
  return cudaSuccess;
}

// ---- events ----------------------------------------------------------------------------------------------------------
TUTTI_EMULATED_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  TUTTI_EMULATED_BEGIN("cudaEventCreate");
  *event = reinterpret_cast<cudaEvent_t>(new Event{current_device(), flags});
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }
TUTTI_EMULATED_API cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete reinterpret_cast<Event*>(event);
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  TUTTI_EMULATED_BEGIN("cudaEventRecord");
  Queue& queue = *queue_of(stream);
  Event& mine = event_of(event);
  if (mine.device != queue.device()) return remember(cudaErrorInvalidResourceHandle);
  if (capturing(queue)) {
    mine.captured_in = queue.capture.graph;
    mine.captured_after = queue.capture.last;
    mine.mark = nullptr;
    return cudaSuccess;
  }
  mine.captured_in = nullptr;
  mine.mark = queue.add({});
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return cudaEventRecord(event, stream);
}
TUTTI_EMULATED_API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  TUTTI_EMULATED_BEGIN("cudaStreamWaitEvent");
  Queue& queue = *queue_of(stream);
  const Event& awaited = event_of(event);
  if (awaited.captured_in != nullptr) {  // the stream joins that capture, or is in it
    Capture& capture = queue.capture;
    if (capturing(queue) && capture.graph != awaited.captured_in) return remember(cudaErrorIllegalState);
    capture.status = cudaStreamCaptureStatusActive;
    capture.graph = awaited.captured_in;
    for (const int node : awaited.captured_after) {
      if (std::find(capture.last.begin(), capture.last.end(), node) == capture.last.end()) capture.last.push_back(node);
    }
    return cudaSuccess;
  }
  if (awaited.mark == nullptr) return cudaSuccess;
  queue.add([mark = awaited.mark] { mark->wait(); });
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaEventQuery(cudaEvent_t event) {
  const Event& mine = event_of(event);
  if (mine.captured_in != nullptr) return remember(cudaErrorCapturedEvent);
  if (mine.mark != nullptr && !mine.mark->reached()) return cudaErrorNotReady;
  return remember(lost_error(mine.device));
}
TUTTI_EMULATED_API cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const Event& mine = event_of(event);
  if (mine.captured_in != nullptr) return remember(cudaErrorCapturedEvent);
  if (mine.mark != nullptr) mine.mark->wait();
  return remember(lost_error(mine.device));
}
TUTTI_EMULATED_API cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  const MarkPointer from = event_of(begin).mark, to = event_of(end).mark;
  if (from == nullptr || to == nullptr) return remember(cudaErrorInvalidResourceHandle);
  if (!from->reached() || !to->reached()) return cudaErrorNotReady;
  *milliseconds = std::chrono::duration<float, std::milli>(to->when() - from->when()).count();
  return cudaSuccess;
}
