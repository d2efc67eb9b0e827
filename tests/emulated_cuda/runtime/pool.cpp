#include "emulated_cuda/runtime/pool.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

namespace tutti::emulated {

namespace {

class Pool {
 public:
  void submit(std::function<void()> task) {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    if (idle_ >= tasks_.size()) {
      arrived_.notify_one();
    } else {
      std::thread([this] { serve(); }).detach();
    }
  }

 private:
  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      while (tasks_.empty()) {
        ++idle_;
        arrived_.wait(lock);
        --idle_;
      }
      std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      task = nullptr;
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::function<void()>> tasks_;
  std::size_t idle_ = 0;
};

}  // namespace

void run_beside(std::function<void()> task) {
  static Pool* const pool = new Pool;  // its threads may outlive main
  pool->submit(std::move(task));
}

}  // namespace tutti::emulated
