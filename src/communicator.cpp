/// @file  The path of a call, in one screen: check, choose, run.
#include "tutti/communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "choose/choose.hpp"
#include "communicator_state.hpp"
#include "run/shape.hpp"
#include "tutti/base/error.hpp"
#include "tutti/collectives.hpp"

namespace tutti {

namespace {

/// Handles share it; calls in progress may outlive them.
std::shared_ptr<CommunicatorState> kept(CommunicatorState* state) {
  return {state, [](CommunicatorState* orphan) { orphan->orphan(); }};
}

}  // namespace

Communicator::Communicator(World world, const Config& config)
    : state_(kept(new CommunicatorState(std::move(world), config, nullptr))) {}

int Communicator::rank() const noexcept { return state_->world.rank; }
int Communicator::size() const noexcept { return state_->world.size; }
const Topology& Communicator::topology() const noexcept { return state_->topology; }
const World& Communicator::world() const noexcept { return state_->world; }
const Config& Communicator::config() const noexcept { return state_->config; }

Decision Communicator::decide(const Request& request) const {
  validate(request, rank(), size());
  return choose(request, state_->facts);
}

Work Communicator::submit(const Request& request) {
  const auto lock = state_->loop->guard();
  return Work(state_->begin(request), *state_);
}

void Communicator::abort() noexcept { state_->host_engine.abort(); }

std::shared_ptr<void> Communicator::allocate_bytes(std::size_t bytes) {
  CommunicatorState& state = *state_;
  const auto lock = state.loop->guard();
  std::byte* data = state.team.segments().allocate(state.team.local(), std::max<std::size_t>(bytes, 1),
                                                   std::chrono::steady_clock::now() + state.config.timeout);
  state.facts.has_segments = true;
  state.host_engine.set_facts(state.facts);
  state.memory.clear();
  return std::shared_ptr<void>(data, [state = state_](void* memory) {
    const auto guard = state->loop->guard();
    state->team.segments().release(static_cast<const std::byte*>(memory));
  });
}

std::optional<Communicator> Communicator::split(int color, int key) const {
  struct Choice {
    std::int32_t color;
    std::int32_t key;
  };
  std::vector<std::int32_t> mine{color, key};
  std::vector<std::int32_t> all(2 * static_cast<std::size_t>(size()));
  Communicator self = *this;
  all_gather(self, on_host(std::as_const(mine)), on_host(all)).wait();

  std::vector<int> members;
  for (int rank = 0; rank < size(); ++rank) {
    if (all[2 * static_cast<std::size_t>(rank)] == color) members.push_back(rank);
  }
  std::stable_sort(members.begin(), members.end(), [&](int a, int b) {
    return all[2 * static_cast<std::size_t>(a) + 1] < all[2 * static_cast<std::size_t>(b) + 1];
  });
  const std::uint64_t number = state_->splits++;
  if (color < 0) return std::nullopt;

  World world = state_->world;
  world.rank = static_cast<int>(std::find(members.begin(), members.end(), rank()) - members.begin());
  world.size = static_cast<int>(members.size());
  world.store = prefixed(state_->world.store, fmt::format("split/{}/{}/", number, color));
  world.keep_alive = state_->world.keep_alive;
  Config config = state_->config;
  config.topology = state_->topology;
  return Communicator(kept(new CommunicatorState(std::move(world), config, state_->loop)));
}

}  // namespace tutti
