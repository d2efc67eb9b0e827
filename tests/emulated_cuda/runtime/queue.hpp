/// @file  Queue: a stream: operations in order, on a thread of its own; or, while it is captured, nodes of a graph.
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "emulated_cuda/runtime/graph.hpp"
#include "emulated_cuda/runtime/machine.hpp"

namespace tutti::emulated {

/// The end of an operation, to wait for.
class Mark {
 public:
  void set();
  void wait();
  bool reached();
  std::chrono::steady_clock::time_point when();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool reached_ = false;
  std::chrono::steady_clock::time_point when_{};
};
using MarkPointer = std::shared_ptr<Mark>;

class Queue {
 public:
  Queue(int device, unsigned flags, bool is_default);
  ~Queue();  ///< waits for what is in it
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  int device() const { return device_; }
  unsigned flags() const { return flags_; }
  bool is_default() const { return is_default_; }
  bool blocking() const { return (flags_ & cudaStreamNonBlocking) == 0; }

  /// Behind what is in it, and behind what the legacy default stream orders. Records a node while it is captured.
  MarkPointer add(Task task);
  /// The end of what is in it now; null when nothing ever was.
  MarkPointer last();

  Capture capture{};  ///< of the thread that captures

 private:
  void serve();
  void push(Task task, const MarkPointer& mark);

  int device_;
  unsigned flags_;
  bool is_default_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<Task, MarkPointer>> tasks_;
  MarkPointer last_;
  bool stop_ = false;
  std::mt19937 random_;
  std::thread thread_;
};

/// The queue of a handle; null handles and the two special ones are the current device's default.
Queue* queue_of(cudaStream_t stream);
Queue* default_queue(int device);
/// Waits for everything on the device.
void drain(Device& device);

struct Event {
  int device;
  unsigned flags;
  MarkPointer mark{};
  std::shared_ptr<GraphValue> captured_in{};  ///< recorded while it was captured: its place in that graph
  std::vector<int> captured_after{};
};

}  // namespace tutti::emulated
