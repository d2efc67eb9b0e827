#include "run/progress_loop.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "tutti/base/error.hpp"

namespace tutti {

namespace {

/// Beyond, clocks would overflow.
constexpr std::chrono::hours longest_wait{24 * 365};

/// Waits a moment, longer and longer. Every so often it is time to look at the clock.
class Pause {
 public:
  explicit Pause(WaitPolicy policy) : spins_(static_cast<std::uint64_t>(policy.spins_before_yield)) {}

  /// True when clocks and peers should be looked at.
  bool operator()() {
    ++count_;
    if (count_ < spins_) {
#if defined(__x86_64__) || defined(__i386__)
      __builtin_ia32_pause();
#elif defined(__aarch64__)
      asm volatile("yield" ::: "memory");
#endif
      return count_ % 1024 == 0;
    }
    std::this_thread::yield();
    return count_ % 16 == 0;  // each may have taken a slice of the system's time
  }
  /// A new wait begins.
  void restart() { count_ = 0; }

 private:
  std::uint64_t spins_;  ///< before it yields
  std::uint64_t count_ = 0;
};

Code code_of(const std::exception_ptr& error) noexcept {
  try {
    std::rethrow_exception(error);
  } catch (const Error& known) {
    return known.code();
  } catch (...) {
    return Code::internal;
  }
}

}  // namespace

ProgressLoop::ProgressLoop(WaitPolicy policy, bool with_thread) : policy_(policy), threaded_(with_thread) {
  active_.reserve(16);
  if (with_thread) thread_ = std::thread([this] { serve(); });
}

ProgressLoop::~ProgressLoop() {
  if (!threaded_) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  arrived_.notify_one();
  thread_.join();
}

/// True when it is finished.
inline bool ProgressLoop::attempt(Operation& operation) noexcept {
  try {
    if (!operation.advance()) return false;
  } catch (...) {
    end(operation, std::current_exception());
    return true;
  }
  operation.finished_ = true;
  if (operation.recorder_ != nullptr) [[likely]]
    operation.recorder_->done(operation.entry_);
  return true;
}

void ProgressLoop::add(Operation& operation) noexcept {
  if (attempt(operation)) return;
  try {
    active_.push_back(&operation);
  } catch (...) {  // no memory for so many calls at once
    return end(operation, std::current_exception());
  }
  if (threaded_) arrived_.notify_one();
}

void ProgressLoop::drive(Operation& operation) noexcept {
  Pause pause(policy_);
  std::uint64_t progress = 0;
  {
    const auto lock = guard();
    progress = operation.progress();
  }
  for (;;) {
    bool look = false;
    // Alone and waiting for one word: nothing else can have happened until it changes.
    const bool alone = !threaded_ && active_.size() == 1 && active_.front() == &operation;
    const Operation::Watch watch = alone ? operation.watch() : Operation::Watch{};
    if (watch.word != nullptr) {
      while (watch.word->load(std::memory_order_relaxed) < watch.until && !look) {
        for (int line = 1; line <= watch.lines; ++line) {
          __builtin_prefetch(reinterpret_cast<const std::byte*>(watch.word) + 64 * line);
        }
        look = pause();
      }
      if (!look) {
        if (attempt(operation)) return active_.clear();
        pause.restart();  // it has got further: what it waits for now is a new wait
        continue;
      }
    }
    {
      const auto lock = guard();
      if (operation.finished()) return;
      round();
      if (operation.finished()) return;
      // A long operation waits often: none of its waits is longer for that.
      if (operation.progress() != progress) {
        progress = operation.progress();
        pause.restart();
      }
    }
    if (watch.word == nullptr) look = pause() || operation.is_slow();
    if (look) {
      const auto lock = guard();
      check_clocks();
    }
  }
}

std::exception_ptr ProgressLoop::finish(Operation& operation, Ending ending) noexcept {
  if (threaded_ || !operation.finished()) drive(operation);
  const auto lock = guard();
  if (!operation.failed_) [[likely]] {
    operation.released(nullptr);
    return nullptr;
  }
  std::exception_ptr error = std::exchange(operation.error_, nullptr);
  operation.released(ending == Ending::dropped ? error : nullptr);
  return error;
}

bool ProgressLoop::poll(const Operation& operation) noexcept {
  const auto lock = guard();
  round();
  return operation.finished();
}

void ProgressLoop::round() noexcept {
  for (std::size_t i = 0; i < active_.size();) {
    if (attempt(*active_[i])) {
      active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
}

void ProgressLoop::check_clocks() noexcept {
  const auto now = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < active_.size();) {
    Operation& operation = *active_[i];
    std::exception_ptr error;
    try {
      operation.note_wait();
      operation.check_peers();
      if (!operation.deadline_)
        operation.deadline_ = now + std::min<std::chrono::milliseconds>(operation.timeout_, longest_wait);
      if (now >= *operation.deadline_) error = operation.timed_out();
    } catch (...) {
      error = std::current_exception();
    }
    if (error != nullptr) {
      active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(i));
      end(operation, error);
    } else {
      ++i;
    }
  }
}

void ProgressLoop::end(Operation& operation, std::exception_ptr error) noexcept {
  operation.error_ = std::move(error);
  operation.failed_ = true;
  operation.failed(operation.error_);
  if (operation.recorder_ != nullptr) operation.recorder_->failed(operation.entry_, code_of(operation.error_));
  operation.finished_ = true;
}

void ProgressLoop::serve() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    if (active_.empty()) {
      arrived_.wait(lock, [this] { return stop_ || !active_.empty(); });
      continue;
    }
    Pause pause(policy_);
    while (!active_.empty() && !stop_) {
      round();
      lock.unlock();
      const bool look = pause();
      lock.lock();
      if (look || (!active_.empty() && active_.front()->is_slow())) check_clocks();
    }
  }
}

}  // namespace tutti
