#include "run/host/team.hpp"

#include <utility>

#include "tutti/bootstrap/rendezvous.hpp"

namespace tutti::host {

Team::Team(World local, int numa_node, Store::Deadline deadline)
    : local_(std::move(local)),
      arena_(ArenaShape::for_ranks(local_.size),
             SharedMemory::open(local_, 0, "arena", ArenaShape::for_ranks(local_.size).total_bytes(), deadline)),
      wires_(arena_, local_.rank),
      segments_(local_.rank),
      presence_(arena_, local_.rank) {
  if (numa_node >= 0) arena_.place_near(local_.rank, numa_node);
}

void Team::arrive(const Window* window) {
  Arrival& mine = arena_.arrival(local_.rank);
  if (window != nullptr) {
    shown_ ^= 1U;
    Shown& buffers = mine.shown[shown_];
    const auto publish = [&](const void* data, std::size_t bytes, std::uint64_t& where, std::int32_t& segment) {
      where = reinterpret_cast<std::uint64_t>(data);
      segment = bytes == 0 ? 0 : -1;  // an empty buffer can be reached by everybody
      if (local_.one_process || bytes == 0) return;
      if (const auto found = segments_.find(data, bytes)) {
        where = found->offset;
        segment = found->segment;
      }
    };
    publish(window->in, window->in_bytes, buffers.in, buffers.in_segment);
    publish(window->out, window->out_bytes, buffers.out, buffers.out_segment);
  }
  ++epoch_;
  awaited_ = 0;
  mine.epoch.store(epoch_, std::memory_order_release);
}

bool Team::all_arrived() {
  for (; awaited_ < local_.size; ++awaited_) {
    if (awaited_ == local_.rank) continue;
    if (arena_.arrival(awaited_).epoch.load(std::memory_order_acquire) < epoch_) return false;
  }
  return true;
}

bool Team::windows_open(bool works_in_place) const {
  for (int rank = 0; rank < local_.size; ++rank) {
    const Shown& there = shown(rank);
    if (!local_.one_process && (there.in_segment < 0 || there.out_segment < 0)) return false;
    if (!works_in_place && there.in == there.out && there.in_segment == there.out_segment) return false;
  }
  return true;
}

void Team::give_up(int lost) noexcept {
  std::uint64_t nobody = 0;
  const std::uint64_t this_rank = static_cast<std::uint32_t>(local_.rank) + 1U;
  const std::uint64_t that_rank = static_cast<std::uint32_t>(lost + 1);
  arena_.header().aborted_by.compare_exchange_strong(nobody, this_rank | that_rank << 32, std::memory_order_acq_rel);
}

namespace {

int first_to_give_up(const Arena& arena) noexcept {
  return static_cast<int>(arena.header().aborted_by.load(std::memory_order_acquire) & 0xffffffffU) - 1;
}

}  // namespace

int Team::given_up_by() const noexcept { return first_to_give_up(arena_); }

int Team::given_up_over() const noexcept {
  return static_cast<int>(arena_.header().aborted_by.load(std::memory_order_acquire) >> 32) - 1;
}

void Team::heed(const Team& parent, std::vector<int> ranks) {
  above_ = parent.above_;
  above_.push_back({parent.arena_, std::move(ranks)});
}

int Team::given_up_above() const noexcept {
  for (const Heeded& heeded : above_) {
    if (const int local = first_to_give_up(heeded.arena); local >= 0) {
      return heeded.ranks[static_cast<std::size_t>(local)];
    }
  }
  return -1;
}

std::byte* Team::scratch(std::size_t bytes) {
  if (scratch_.size() < bytes) scratch_.resize(bytes);
  return scratch_.data();
}

}  // namespace tutti::host
