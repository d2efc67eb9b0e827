/// @file  Compiled without sanitizers: they are told of every switch instead.
#include "emulated_cuda/runtime/fibre.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

extern "C" {  // weak: present when the program runs under a sanitizer
void* __tsan_create_fiber(unsigned) __attribute__((weak));
void __tsan_destroy_fiber(void*) __attribute__((weak));
void __tsan_switch_to_fiber(void*, unsigned) __attribute__((weak));
void* __tsan_get_current_fiber() __attribute__((weak));
void __tsan_acquire(void*) __attribute__((weak));
void __tsan_release(void*) __attribute__((weak));
void __sanitizer_start_switch_fiber(void**, const void*, std::size_t) __attribute__((weak));
void __sanitizer_finish_switch_fiber(void*, const void**, std::size_t*) __attribute__((weak));
void tutti_emulated_switch(void** save, void* to);
}

// The registers that a call preserves, on the stack that is left.
#if defined(__x86_64__)
asm(R"(
.text
.globl tutti_emulated_switch
.hidden tutti_emulated_switch
.type tutti_emulated_switch,@function
tutti_emulated_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp,(%rdi)
  movq %rsi,%rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size tutti_emulated_switch,.-tutti_emulated_switch
)");
#else
#error "the switch of fibres is written for x86-64"
#endif

namespace tutti::emulated {

namespace {

constexpr std::size_t guard_bytes = 4096;
constexpr unsigned no_sync = 1;  // a switch orders nothing: only what the kernel itself does

}  // namespace

void acquire(void* place) {
  if (__tsan_acquire != nullptr) __tsan_acquire(place);
}
void release(void* place) {
  if (__tsan_release != nullptr) __tsan_release(place);
}

void Scheduler::enter() {
  if (__tsan_get_current_fiber != nullptr) tsan = __tsan_get_current_fiber();
}

Fibre::~Fibre() {
  if (tsan_ != nullptr) __tsan_destroy_fiber(tsan_);
  if (stack_ != nullptr) munmap(stack_ - guard_bytes, stack_bytes + guard_bytes);
}

void Fibre::prepare(void (*entry)(), bool fresh) {
  if (stack_ == nullptr) {
    void* memory = mmap(nullptr, stack_bytes + guard_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
      std::perror("emulated CUDA: the stack of a fibre");
      std::abort();
    }
    mprotect(memory, guard_bytes, PROT_NONE);
    stack_ = static_cast<char*>(memory) + guard_bytes;
  }
  if (__tsan_create_fiber != nullptr) {
    if (tsan_ != nullptr && fresh) {
      __tsan_destroy_fiber(tsan_);
      tsan_ = nullptr;
    }
    if (tsan_ == nullptr) tsan_ = __tsan_create_fiber(0);
  }
  void** top = reinterpret_cast<void**>(stack_ + stack_bytes);
  *--top = nullptr;
  *--top = reinterpret_cast<void*>(entry);
  for (int saved = 0; saved < 6; ++saved) *--top = nullptr;
  stack_pointer_ = top;
}

void Fibre::resume(Scheduler& from) {
  if (__sanitizer_start_switch_fiber != nullptr) {
    __sanitizer_start_switch_fiber(&from.asan_fake_stack, stack_, stack_bytes);
  }
  if (__tsan_switch_to_fiber != nullptr) __tsan_switch_to_fiber(tsan_, no_sync);
  tutti_emulated_switch(&from.stack_pointer, stack_pointer_);
  if (__sanitizer_finish_switch_fiber != nullptr) {
    __sanitizer_finish_switch_fiber(from.asan_fake_stack, nullptr, nullptr);
  }
}

void Fibre::entered(Scheduler& from) {
  if (__sanitizer_finish_switch_fiber != nullptr) {
    __sanitizer_finish_switch_fiber(nullptr, &from.stack_bottom, &from.stack_bytes);
  }
}

void Fibre::switch_to(Scheduler& to, bool dying) {
  if (__sanitizer_start_switch_fiber != nullptr) {
    __sanitizer_start_switch_fiber(dying ? nullptr : &asan_fake_stack_, to.stack_bottom, to.stack_bytes);
  }
  if (__tsan_switch_to_fiber != nullptr) __tsan_switch_to_fiber(to.tsan, no_sync);
  tutti_emulated_switch(&stack_pointer_, to.stack_pointer);
  if (__sanitizer_finish_switch_fiber != nullptr) __sanitizer_finish_switch_fiber(asan_fake_stack_, nullptr, nullptr);
}

void Fibre::suspend(Scheduler& to) {
  release(&to);  // for the scheduler of a block that is given up: no thread of it acquires this
  switch_to(to, false);
}

void Fibre::leave(Scheduler& to) {
  switch_to(to, true);
  __builtin_unreachable();
}

}  // namespace tutti::emulated
