#include "emulated_cuda/runtime/queue.hpp"

#include <unistd.h>

#include <utility>

#include "emulated_cuda/runtime/settings.hpp"

namespace tutti::emulated {

void Mark::set() {
  const std::lock_guard lock(mutex_);
  reached_ = true;
  when_ = std::chrono::steady_clock::now();
  changed_.notify_all();
}
void Mark::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return reached_; });
}
bool Mark::reached() {
  const std::lock_guard lock(mutex_);
  return reached_;
}
std::chrono::steady_clock::time_point Mark::when() {
  const std::lock_guard lock(mutex_);
  return when_;
}

Queue::Queue(int device, unsigned flags, bool is_default)
    : device_(device),
      flags_(flags),
      is_default_(is_default),
      random_(settings().seed * 7919 + static_cast<unsigned>(device) + 1),
      thread_([this] { serve(); }) {}

Queue::~Queue() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Queue::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stop_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    auto [task, mark] = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    if (settings().jitter_us != 0) usleep(random_() % settings().jitter_us);
    if (task) task();
    task = nullptr;
    mark->set();
    lock.lock();
  }
}

void Queue::push(Task task, const MarkPointer& mark) {
  const std::lock_guard lock(mutex_);
  tasks_.emplace_back(std::move(task), mark);
  last_ = mark;
  changed_.notify_one();
}

MarkPointer Queue::last() {
  const std::lock_guard lock(mutex_);
  return last_;
}

MarkPointer Queue::add(Task task) {
  if (capture.status == cudaStreamCaptureStatusActive) {
    capture.graph->nodes.push_back({cudaGraphNodeTypeHost, std::move(task), capture.last});
    capture.last = {static_cast<int>(capture.graph->nodes.size()) - 1};
    return nullptr;
  }
  auto mark = std::make_shared<Mark>();
  Device& mine = emulated::device(device_);
  const std::lock_guard lock(mine.mutex);
  std::vector<MarkPointer> before;  // the legacy default stream waits for blocking ones, and they for it
  if (is_default_) {
    for (Queue* other : mine.queues) {
      if (!other->blocking()) continue;
      if (auto end = other->last(); end != nullptr && !end->reached()) before.push_back(std::move(end));
    }
  } else if (blocking() && mine.default_queue != nullptr) {
    if (auto end = mine.default_queue->last(); end != nullptr && !end->reached()) before.push_back(std::move(end));
  }
  if (before.empty()) {
    push(std::move(task), mark);
  } else {
    push(
        [before = std::move(before), task = std::move(task)] {
          for (const MarkPointer& end : before) end->wait();
          if (task) task();
        },
        mark);
  }
  return mark;
}

Queue* default_queue(int number) {
  Device& mine = device(number);
  const std::lock_guard lock(mine.mutex);
  if (mine.default_queue == nullptr) mine.default_queue = new Queue(number, 0, true);
  return mine.default_queue;
}

Queue* queue_of(cudaStream_t stream) {
  if (stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread) {
    return default_queue(current_device());
  }
  return reinterpret_cast<Queue*>(stream);
}

void drain(Device& mine) {
  std::vector<MarkPointer> ends;
  {
    const std::lock_guard lock(mine.mutex);
    for (Queue* queue : mine.queues) ends.push_back(queue->last());
    if (mine.default_queue != nullptr) ends.push_back(mine.default_queue->last());
  }
  for (const MarkPointer& end : ends) {
    if (end != nullptr) end->wait();
  }
}

}  // namespace tutti::emulated
