/// @file  Streams, events and graphs of emulated devices: what comes after what.
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "emulated_cuda/checks.hpp"

using namespace tutti::emulated;

namespace {

/// Holds up a stream until it is let go.
struct Gate {
  std::atomic<bool> open{false};
  void hold(cudaStream_t stream) {
    ok(cudaLaunchHostFunc(
        stream,
        [](void* gate) {
          while (!static_cast<Gate*>(gate)->open.load()) std::this_thread::yield();
        },
        this));
  }
};

cudaStream_t new_stream(unsigned flags = cudaStreamNonBlocking) {
  cudaStream_t stream = nullptr;
  ok(cudaStreamCreateWithFlags(&stream, flags));
  return stream;
}

void set(void* flag) { *static_cast<std::atomic<int>*>(flag) = 1; }

}  // namespace

TEST_CASE("a stream runs in order, and an event says when it has come so far") {
  cudaStream_t stream = new_stream();
  cudaEvent_t event = nullptr;
  ok(cudaEventCreate(&event));
  Gate gate;
  gate.hold(stream);
  ok(cudaEventRecord(event, stream));
  CHECK(cudaEventQuery(event) == cudaErrorNotReady);
  CHECK(cudaStreamQuery(stream) == cudaErrorNotReady);
  gate.open = true;
  ok(cudaEventSynchronize(event));
  ok(cudaStreamSynchronize(stream));
  ok(cudaEventQuery(event));
  CHECK(cudaGetLastError() == cudaSuccess);
  ok(cudaEventDestroy(event));
  ok(cudaStreamDestroy(stream));
}

TEST_CASE("a stream waits for an event of another stream, and the default stream for blocking ones only") {
  cudaStream_t first = new_stream(), second = new_stream(), blocking = new_stream(cudaStreamDefault);
  cudaEvent_t event = nullptr;
  ok(cudaEventCreate(&event));
  Gate gate, other;
  std::atomic<int> later{0};
  gate.hold(first);
  ok(cudaEventRecord(event, first));
  ok(cudaStreamWaitEvent(second, event, 0));
  ok(cudaLaunchHostFunc(second, set, &later));
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  CHECK(later == 0);
  std::atomic<int> by_default{0};
  ok(cudaLaunchHostFunc(nullptr, set, &by_default));
  ok(cudaStreamSynchronize(nullptr));  // does not wait for streams that do not block
  CHECK(by_default == 1);
  gate.open = true;
  ok(cudaStreamSynchronize(second));
  CHECK(later == 1);
  other.hold(blocking);
  ok(cudaLaunchHostFunc(nullptr, set, &by_default));
  CHECK(cudaStreamQuery(nullptr) == cudaErrorNotReady);
  other.open = true;
  ok(cudaDeviceSynchronize());
  for (cudaStream_t stream : {first, second, blocking}) ok(cudaStreamDestroy(stream));
  ok(cudaEventDestroy(event));
}

TEST_CASE("a captured graph does nothing until it is launched, and then the same each time") {
  const DeviceArray<int> array(std::vector<int>(64, 0));
  cudaStream_t stream = new_stream(), side = new_stream();
  cudaEvent_t fork = nullptr, join = nullptr;
  ok(cudaEventCreate(&fork));
  ok(cudaEventCreate(&join));
  std::atomic<int> beside{0};
  int* data = array.data();
  int count = 64;
  void* parameters[] = {&data, &count};
  const void* stub = stub_for("_ZN5tutti8emulated7samples7add_oneEPii");

  ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  ok(cudaLaunchKernel(stub, {2}, {32}, parameters, 0, stream));
  ok(cudaEventRecord(fork, stream));
  ok(cudaStreamWaitEvent(side, fork, 0));
  ok(cudaLaunchHostFunc(
      side, [](void* n) { ++*static_cast<std::atomic<int>*>(n); }, &beside));
  ok(cudaEventRecord(join, side));
  ok(cudaStreamWaitEvent(stream, join, 0));
  ok(cudaLaunchKernel(stub, {1}, {32}, parameters, 0, stream));
  cudaStreamCaptureStatus status{};
  ok(cudaStreamIsCapturing(stream, &status));
  CHECK(status == cudaStreamCaptureStatusActive);
  CHECK(cudaStreamSynchronize(stream) == cudaErrorStreamCaptureUnsupported);
  CHECK(cudaEventQuery(fork) == cudaErrorCapturedEvent);
  cudaGraph_t graph = nullptr;
  ok(cudaStreamEndCapture(stream, &graph));
  std::size_t nodes = 0;
  ok(cudaGraphGetNodes(graph, nullptr, &nodes));
  CHECK(nodes == 3);
  CHECK(array.values() == std::vector<int>(64, 0));

  cudaGraphExec_t instance = nullptr;
  ok(cudaGraphInstantiate(&instance, graph, 0));
  ok(cudaGraphDestroy(graph));
  for (int turn = 1; turn <= 3; ++turn) {
    ok(cudaGraphLaunch(instance, stream));
    ok(cudaStreamSynchronize(stream));
    CHECK(array.values() == std::vector<int>(64, 2 * turn));
    CHECK(beside == turn);
  }
  ok(cudaGraphExecDestroy(instance));
  for (cudaEvent_t event : {fork, join}) ok(cudaEventDestroy(event));
  for (cudaStream_t each : {stream, side}) ok(cudaStreamDestroy(each));
  cudaGetLastError();
}

TEST_CASE("a capture with a branch that does not come back is refused") {
  cudaStream_t stream = new_stream(), side = new_stream();
  cudaEvent_t fork = nullptr;
  ok(cudaEventCreate(&fork));
  std::atomic<int> flag{0};
  ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  ok(cudaEventRecord(fork, stream));
  ok(cudaStreamWaitEvent(side, fork, 0));
  ok(cudaLaunchHostFunc(side, set, &flag));
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(side, &graph) == cudaErrorStreamCaptureUnmatched);
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureUnjoined);
  ok(cudaLaunchHostFunc(side, set, &flag));  // not captured any more
  ok(cudaStreamSynchronize(side));
  CHECK(flag == 1);
  ok(cudaEventDestroy(fork));
  for (cudaStream_t each : {stream, side}) ok(cudaStreamDestroy(each));
  cudaGetLastError();
}
