/// @file  The scheduler of a block's threads. Compiled without sanitizers, as is everything that switches fibres.
#include "emulated_cuda/runtime/block.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <utility>

#include "emulated_cuda/runtime/fibre.hpp"

namespace tutti::emulated {

namespace {

constexpr std::size_t arena_bytes = 64 << 10;  // static shared memory of a block
constexpr int poison = 0xA5;                   // shared memory is not zeroed on a GPU either

enum class State : std::uint8_t { ready, at_block_barrier, at_warp_barrier, at_grid_barrier, done };

struct Thread {
  ThreadFacts facts{};
  Fibre fibre{};
  State state = State::done;
  unsigned barrier = 0;  ///< of the grid: the one it waits for
};

struct Warp {
  unsigned arrived = 0, mask = 0, alive = 0;
  std::uint64_t words[32] = {};
  char ordered{};
};

struct alignas(64) Arena {
  char bytes[arena_bytes];
};

/// An OS thread that carries out one block at a time.
struct Worker {
  std::vector<std::unique_ptr<Thread>> threads;
  std::vector<Warp> warps;
  Scheduler scheduler;
  Thread* current = nullptr;
  unsigned live = 0, at_barrier = 0, at_grid_barrier = 0, votes = 0;
  bool moved = false;  ///< in this round
  char barrier_ordered{}, ordered{};
  Grid* grid = nullptr;
  std::vector<char> dynamic;
  std::unique_ptr<Arena> arena;
  std::size_t arena_used = 0;
  std::vector<std::pair<const void*, void*>> shared;
};
thread_local Worker* worker = nullptr;

void wait_in(State state) {
  Thread& me = *worker->current;
  me.state = state;
  me.fibre.suspend(worker->scheduler);
}

void thread_main() {
  Worker& w = *worker;
  Thread& me = *w.current;
  me.fibre.entered(w.scheduler);
  acquire(&w.grid->ordered);
  acquire(&w.ordered);
  w.grid->launch->kernel->call(const_cast<char*>(w.grid->launch->parameters.data()));
  release(&w.grid->ordered);
  release(&w.ordered);
  me.state = State::done;
  me.fibre.leave(w.scheduler);
}

void report(const Worker& w, const char* what) {
  const Launch& launch = *w.grid->launch;
  unsigned in[5] = {};
  for (unsigned i = 0; i < launch.threads(); ++i) ++in[static_cast<int>(w.threads[i]->state)];
  const Dim at = w.threads[0]->facts.block;
  std::fprintf(stderr,
               "emulated CUDA: %s: kernel %s, device %d, block (%u,%u,%u): %u runnable or spinning, %u at "
               "__syncthreads, %u at a warp's barrier, %u at the grid's barrier, %u exited\n",
               what, launch.name.c_str(), launch.device, at.x, at.y, at.z, in[0], in[1], in[2], in[3], in[4]);
}

/// Its threads will not go on: what they did comes before what the launch's end does.
void give_up(Worker& w, const char* what) {
  report(w, what);
  acquire(&w.scheduler);
  release(&w.grid->ordered);
}

[[noreturn]] void die(const Worker& w, const char* what) {
  report(w, what);
  std::abort();
}

void open_block_barrier(Worker& w) {
  if (w.live == 0 || w.at_barrier != w.live) return;
  for (unsigned i = 0; i < w.grid->launch->threads(); ++i) {
    if (w.threads[i]->state == State::at_block_barrier) w.threads[i]->state = State::ready;
  }
  w.at_barrier = 0;
  w.moved = true;
}

void open_warp_barrier(Worker& w, unsigned warp) {
  Warp& all = w.warps[warp];
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((all.arrived >> lane & 1U) != 0) w.threads[32 * warp + lane]->state = State::ready;
  }
  all.arrived = 0;
}

void exited(Worker& w, unsigned i) {
  --w.live;
  w.moved = true;
  Warp& warp = w.warps[i / 32];
  warp.alive &= ~(1U << (i % 32));
  if (warp.arrived != 0 && (warp.arrived & warp.alive) == (warp.mask & warp.alive)) open_warp_barrier(w, i / 32);
  open_block_barrier(w);
}

void prepare(Worker& w, Grid& grid, unsigned block) {
  const Launch& launch = *grid.launch;
  const unsigned threads = launch.threads();
  w.grid = &grid;
  w.scheduler.enter();
  while (w.threads.size() < threads) w.threads.push_back(std::make_unique<Thread>());
  w.warps.assign((threads + 31) / 32, Warp{});
  w.dynamic.assign(launch.dynamic_shared + 16, static_cast<char>(poison));
  if (w.arena == nullptr) {
    w.arena = std::make_unique<Arena>();
    w.arena_used = arena_bytes;
  }
  std::memset(w.arena->bytes, poison, w.arena_used);
  w.arena_used = 0;
  w.shared.clear();
  const Dim g = launch.grid, b = launch.block;
  const Dim at{block % g.x, block / g.x % g.y, block / (g.x * g.y)};
  char* dynamic =
      reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(w.dynamic.data()) + 15) & ~std::uintptr_t{15});
  for (unsigned i = 0; i < threads; ++i) {
    Thread& thread = *w.threads[i];
    thread.fibre.prepare(thread_main, grid.fresh_fibres);
    thread.state = State::ready;
    thread.facts = {{i % b.x, i / b.x % b.y, i / (b.x * b.y)}, at, b, g, i % 32, i / 32, i, launch.device, dynamic};
    w.warps[i / 32].alive |= 1U << (i % 32);
  }
  w.live = threads;
  w.at_barrier = w.at_grid_barrier = w.votes = 0;
  release(&w.ordered);
}

/// One turn for each thread that can run. False: none could.
bool round_of(Worker& w, const std::vector<unsigned>& order) {
  bool any = false;
  for (const unsigned i : order) {
    Thread& thread = *w.threads[i];
    if (thread.state == State::at_grid_barrier && w.grid->barrier.load(std::memory_order_acquire) != thread.barrier) {
      thread.state = State::ready;
      --w.at_grid_barrier;
      w.moved = true;
    }
    if (thread.state != State::ready) continue;
    any = true;
    w.current = &thread;
    thread.fibre.resume(w.scheduler);
    w.current = nullptr;
    if (thread.state == State::done) exited(w, i);
  }
  return any;
}

}  // namespace

bool run_block(Grid& grid, unsigned block) {
  thread_local std::unique_ptr<Worker> own;
  if (own == nullptr) own = std::make_unique<Worker>();
  Worker& w = *(worker = own.get());
  prepare(w, grid, block);
  std::vector<unsigned> order(grid.launch->threads());
  for (unsigned i = 0; i < order.size(); ++i) order[i] = i;
  std::mt19937 random(grid.seed + block);
  if (grid.seed != 0) std::shuffle(order.begin(), order.end(), random);

  const auto begun = std::chrono::steady_clock::now();
  unsigned idle = 0;
  while (w.live > 0) {
    w.moved = false;
    const bool any = round_of(w, order);
    if (grid.stop.load(std::memory_order_relaxed) || grid.lost->load(std::memory_order_relaxed) != 0) {
      give_up(w, "stopped");
      return false;
    }
    if (!any && !w.moved && w.at_grid_barrier == 0) {
      give_up(w, "DEADLOCK: no runnable thread (a divergent barrier?)");
      return false;
    }
    if (w.moved) {
      idle = 0;
      continue;
    }
    // Blocks that wait for one another share few processors: give ours away.
    if (++idle < 64) {
      sched_yield();
    } else {
      usleep(idle < 1000 ? 20 : 200);
    }
    if (idle % 256 == 0 && std::chrono::steady_clock::now() - begun > std::chrono::nanoseconds(grid.timeout_ns)) {
      give_up(w, "TIMEOUT");
      return false;
    }
  }
  acquire(&w.ordered);
  return true;
}

}  // namespace tutti::emulated

// ---- what a kernel calls ---------------------------------------------------------------------------------------------

using namespace tutti::emulated;

extern "C" ThreadFacts* tutti_emulated_self() { return &worker->current->facts; }

extern "C" void* tutti_emulated_shared(const void* tag, std::size_t bytes, std::size_t alignment) {
  Worker& w = *worker;
  for (const auto& [known, memory] : w.shared) {
    if (known == tag) return memory;
  }
  const std::size_t at = (w.arena_used + alignment - 1) / alignment * alignment;
  if (at + bytes > arena_bytes) die(w, "static shared memory over 64 KiB");
  w.arena_used = at + bytes;
  w.shared.emplace_back(tag, w.arena->bytes + at);
  return w.arena->bytes + at;
}

extern "C" void tutti_emulated_yield() { worker->current->fibre.suspend(worker->scheduler); }

extern "C" void tutti_emulated_trap() {
  report(*worker, "__trap");
  worker->grid->stop.store(true);
  for (;;) tutti_emulated_yield();
}

extern "C" void tutti_emulated_sync_block() {
  Worker& w = *worker;
  Thread& me = *w.current;
  release(&w.barrier_ordered);
  me.state = State::at_block_barrier;
  ++w.at_barrier;
  open_block_barrier(w);
  if (me.state == State::at_block_barrier) me.fibre.suspend(w.scheduler);
  acquire(&w.barrier_ordered);
  w.moved = true;
}

extern "C" unsigned tutti_emulated_sync_block_count(int predicate) {
  Worker& w = *worker;
  if (predicate != 0) ++w.votes;
  tutti_emulated_sync_block();
  const unsigned result = w.votes;
  tutti_emulated_sync_block();
  if (w.current->facts.linear == 0) w.votes = 0;
  tutti_emulated_sync_block();
  return result;
}

extern "C" void tutti_emulated_sync_warp(unsigned mask) {
  Worker& w = *worker;
  const ThreadFacts& me = w.current->facts;
  Warp& warp = w.warps[me.warp];
  if ((mask >> me.lane & 1U) == 0) die(w, "a warp primitive called by a lane outside its mask");
  if (warp.arrived != 0 && warp.mask != mask) die(w, "a warp primitive with different masks");
  warp.mask = mask;
  release(&warp.ordered);
  warp.arrived |= 1U << me.lane;
  w.moved = true;
  if ((warp.arrived & warp.alive) == (mask & warp.alive)) {
    w.current->state = State::at_warp_barrier;
    open_warp_barrier(w, me.warp);
  } else {
    wait_in(State::at_warp_barrier);
  }
  acquire(&warp.ordered);
}

extern "C" std::uint64_t tutti_emulated_shuffle(unsigned mask, std::uint64_t value, unsigned source) {
  const ThreadFacts& me = worker->current->facts;
  Warp& warp = worker->warps[me.warp];
  warp.words[me.lane] = value;
  tutti_emulated_sync_warp(mask);
  // From a lane that takes no part the value is undefined on a GPU.
  const std::uint64_t result = (mask >> source & 1U) != 0 ? warp.words[source] : 0xdeadbeefdeadbeefULL;
  tutti_emulated_sync_warp(mask);
  return result;
}

extern "C" unsigned tutti_emulated_ballot(unsigned mask, int predicate) {
  const ThreadFacts& me = worker->current->facts;
  Warp& warp = worker->warps[me.warp];
  warp.words[me.lane] = predicate != 0 ? 1 : 0;
  tutti_emulated_sync_warp(mask);
  unsigned result = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1U) != 0) result |= static_cast<unsigned>(warp.words[lane]) << lane;
  }
  tutti_emulated_sync_warp(mask);
  return result;
}

extern "C" void tutti_emulated_grid_sync() {
  Worker& w = *worker;
  Grid& grid = *w.grid;
  if (!grid.launch->cooperative) die(w, "a grid's barrier in a launch that is not cooperative");
  tutti_emulated_sync_block();
  if (w.current->facts.linear == 0) {
    const unsigned barrier = grid.barrier.load(std::memory_order_acquire);
    release(&grid.barrier_ordered);
    if (grid.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == grid.launch->blocks()) {
      grid.arrived.store(0);
      grid.barrier.store(barrier + 1, std::memory_order_release);
    } else {
      w.current->barrier = barrier;
      ++w.at_grid_barrier;
      wait_in(State::at_grid_barrier);
    }
    acquire(&grid.barrier_ordered);
  }
  tutti_emulated_sync_block();
}
