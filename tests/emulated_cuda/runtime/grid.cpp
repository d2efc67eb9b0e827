#include "emulated_cuda/runtime/grid.hpp"

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>

#include "emulated_cuda/runtime/fibre.hpp"
#include "emulated_cuda/runtime/pool.hpp"
#include "emulated_cuda/runtime/settings.hpp"

namespace tutti::emulated {

namespace {

/// The blocks of a grid, handed out to threads.
struct Blocks {
  std::atomic<unsigned> next{0};
  std::atomic<bool> well{true};
  std::mutex mutex;
  std::condition_variable ended;
  unsigned working = 0;
};

std::atomic<unsigned> launches{0};

}  // namespace

unsigned resident_blocks() {
  return settings().multiprocessors * static_cast<unsigned>(settings().blocks_per_multiprocessor);
}

bool run_grid(const Launch& launch, const std::atomic<int>& lost) {
  Grid grid;
  grid.launch = &launch;
  grid.seed = settings().seed == 0 ? 0 : settings().seed + 1000 * launches.fetch_add(1);
  grid.fresh_fibres = settings().fresh_fibres;
  grid.timeout_ns = settings().timeout_ms * 1'000'000;
  grid.lost = &lost;
  const auto blocks = std::make_shared<Blocks>();
  blocks->working = std::min(launch.blocks(), resident_blocks());
  release(&grid.ordered);
  for (unsigned i = blocks->working; i > 0; --i) {
    run_beside([blocks, &grid, all = launch.blocks()] {
      for (unsigned block = blocks->next.fetch_add(1); block < all && blocks->well.load();
           block = blocks->next.fetch_add(1)) {
        if (!run_block(grid, block)) {
          blocks->well.store(false);
          grid.stop.store(true);
        }
      }
      const std::lock_guard lock(blocks->mutex);
      if (--blocks->working == 0) blocks->ended.notify_one();
    });
  }
  std::unique_lock lock(blocks->mutex);
  blocks->ended.wait(lock, [&] { return blocks->working == 0; });
  acquire(&grid.ordered);
  return blocks->well.load();
}

}  // namespace tutti::emulated
