/// @file  Fibre: a stack of its own to switch to and from, in a way that the sanitizers follow.
#pragma once

#include <cstddef>

namespace tutti::emulated {

/// The side that fibres come back to: an OS thread.
struct Scheduler {
  void* stack_pointer = nullptr;
  void* tsan = nullptr;
  void* asan_fake_stack = nullptr;
  const void* stack_bottom = nullptr;
  std::size_t stack_bytes = 0;

  void enter();  ///< on the thread that will resume fibres
};

class Fibre {
 public:
  static constexpr std::size_t stack_bytes = 128 << 10;

  Fibre() = default;
  ~Fibre();
  Fibre(const Fibre&) = delete;
  Fibre& operator=(const Fibre&) = delete;

  /// Makes it begin at `entry` when it is next resumed; `entry` never returns, it ends with leave().
  void prepare(void (*entry)(), bool fresh);
  void resume(Scheduler& from);
  /// Called on the fibre: first thing, then whenever it waits, then as the last thing.
  void entered(Scheduler& from);
  void suspend(Scheduler& to);
  [[noreturn]] void leave(Scheduler& to);

 private:
  void switch_to(Scheduler& to, bool dying);

  void* stack_pointer_ = nullptr;
  char* stack_ = nullptr;
  void* tsan_ = nullptr;
  void* asan_fake_stack_ = nullptr;
};

/// Happens-before, told to ThreadSanitizer where it runs.
void acquire(void* place);
void release(void* place);

}  // namespace tutti::emulated
