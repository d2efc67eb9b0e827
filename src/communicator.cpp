/// @file  The path of a call, in one screen: check, choose, run.
#include "tutti/communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "choose/choose.hpp"
#include "communicator_state.hpp"
#include "run/shape.hpp"
#include "tutti/base/error.hpp"
#include "tutti/base/units.hpp"
#include "tutti/collectives.hpp"

namespace tutti {

namespace {

constexpr std::size_t most_allocated_bytes = std::size_t{1} << 46;

}  // namespace

Communicator::Communicator(World world, const Config& config)
    : state_(kept(new CommunicatorState(std::move(world), config))) {
  state_->family.watch = watch_calls(*this, *state_);
}

int Communicator::rank() const noexcept { return state_->world.rank; }
int Communicator::size() const noexcept { return state_->world.size; }
const Topology& Communicator::topology() const noexcept { return state_->family.topology; }
const World& Communicator::world() const noexcept { return state_->world; }
const Config& Communicator::config() const noexcept { return state_->config; }

Decision Communicator::decide(const Request& request) const {
  validate(request, rank(), size());
  if (request.memory == Memory::device) state_->find_devices(request);
  return tutti::decide(request, state_->facts);
}

Work Communicator::submit(const Request& request) {
  const auto lock = state_->family.loop->guard();
  return Work(state_->begin(request), *state_);
}

/// Calls of one engine on device memory are told to it as a group: on a stream they would wait for one another.
Work Communicator::submit_together(const std::vector<Request>& requests) {
  const auto lock = state_->family.loop->guard();
  std::vector<Work> parts;
  parts.reserve(requests.size());
  const bool on_device = std::any_of(requests.begin(), requests.end(),
                                     [](const Request& request) { return request.memory == Memory::device; });
  if (on_device) state_->device_engines.group_begins();
  try {
    for (const Request& request : requests) parts.emplace_back(state_->begin(request), *state_);
  } catch (...) {
    if (on_device) state_->device_engines.group_ends();
    throw;
  }
  if (on_device) state_->device_engines.group_ends();
  return Work(std::move(parts));
}

void Communicator::abort() noexcept {
  state_->engine->abort();
  state_->device_engines.abort();
}

namespace {

/// Throws on all ranks alike, so that none waits for memory that another will not bring.
void expect_same_size(Communicator& comm, std::size_t bytes) {
  const std::vector<std::uint64_t> mine{bytes};
  std::vector<std::uint64_t> all(static_cast<std::size_t>(comm.size()));
  all_gather(comm, on_host(mine), on_host(all)).wait();
  const auto fail = [&](Code code, const std::string& what, const char* remedy) {
    throw Error(code, what, {.rank = comm.rank(), .operation = "allocate", .remedy = remedy});
  };
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank] == all[0]) continue;
    fail(Code::mismatch, fmt::format("rank 0 asks for {} bytes and rank {} for {}", all[0], rank, all[rank]),
         "ask for the same number of elements on all ranks");
  }
  if (bytes > most_allocated_bytes) {
    fail(Code::invalid_argument, fmt::format("{} for one rank", format_bytes(bytes)),
         "no machine has so much memory; check the count");
  }
}

}  // namespace

std::shared_ptr<void> Communicator::allocate_bytes(std::size_t bytes) {
  expect_same_size(*this, bytes);
  CommunicatorState& state = *state_;
  const auto lock = state.family.loop->guard();
  std::byte* data = state.team.segments().allocate(state.team.local(), std::max<std::size_t>(bytes, 1),
                                                   std::chrono::steady_clock::now() + state.config.timeout);
  state.facts.has_segments = true;
  state.engine->set_facts(state.facts);
  state.memory.clear();
  return std::shared_ptr<void>(data, [state = state_](void* memory) {
    const auto guard = state->family.loop->guard();
    state->team.segments().release(static_cast<const std::byte*>(memory));
  });
}

std::optional<Communicator> Communicator::split(int color, int key) const {
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
  std::shared_ptr<DeviceEngines::Part> devices = state_->device_engines.split(color, key);
  if (color < 0) return std::nullopt;

  Communicator made(state_->part(members, fmt::format("split/{}/{}/", number, color)));
  made.state_->device_engines.take(std::move(devices));
  return made;
}

}  // namespace tutti
