#include "device_engines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <span>
#include <utility>
#include <vector>

#include "communicator_state.hpp"
#include "run/device/cuda_runtime.hpp"
#include "run/nccl/nccl_engine.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

class DeviceEngines::Part {
 public:
  std::unique_ptr<nccl::NcclCommunicator> nccl;
};

namespace {

/// "22809", or "!" with what is wrong and, behind a line break, what to do.
std::string what_is_here(const Config& config) {
  const device::CudaRuntime& cuda = device::cuda_runtime();
  if (!cuda.trouble.empty()) return fmt::format("!{}\n{}", cuda.trouble, cuda.remedy);
  const nccl::Library& library = nccl::library(config.nccl.library);
  if (!library.trouble.empty()) return fmt::format("!{}\n{}", library.trouble, library.remedy);
  if (config.device && (*config.device < 0 || *config.device >= cuda.devices)) {
    return fmt::format("!Config::device is {}, and {} devices are visible\nuse 0 to {}", *config.device, cuda.devices,
                       cuda.devices - 1);
  }
  return std::to_string(library.version);
}

/// Looks at the other ranks of this host, on behalf of whoever waits for NCCL.
class Lookout {
 public:
  explicit Lookout(const CommunicatorState& state)
      : state_(state), ranks_(state.family.roll.placement.on(state.family.roll.placement.host(state.world.rank))) {}

  /// Throws when one has given up or its process has ended. (One that has left has done its part: NCCL sees to that.)
  void operator()(Context where) {
    if (const int rank = state_.team.given_up_by(); rank >= 0) throw_peer_gave_up(world_rank(rank), std::move(where));
    if (const int rank = state_.team.given_up_above(); rank >= 0) throw_gave_up_above(rank, std::move(where));
    const auto now = std::chrono::steady_clock::now();
    if (now < next_ask_) return;
    next_ask_ = now + std::chrono::milliseconds(100);
    for (int rank = 0; rank < state_.team.size(); ++rank) {
      if (rank == state_.team.rank() || state_.team.presence().of(rank, true) != host::Presence::Of::dead) continue;
      throw_peer_lost(world_rank(rank), "its process has ended", std::move(where));
    }
  }

 private:
  int world_rank(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }

  const CommunicatorState& state_;
  std::span<const int> ranks_;
  std::chrono::steady_clock::time_point next_ask_{};
};

}  // namespace

DeviceEngines::DeviceEngines(CommunicatorState& state) : state_(state) {}
DeviceEngines::~DeviceEngines() = default;

DeviceFacts DeviceEngines::find(const std::string& operation) const {
  const World& world = state_.world;
  std::vector<std::string> all(static_cast<std::size_t>(world.size));
  const std::string mine = what_is_here(state_.config);
  if (world.size > 1) world.store->set(fmt::format("device/{}", world.rank), mine);
  DeviceFacts facts{.known = true};
  const Store::Deadline deadline = world.deadline();
  for (int rank = 0; rank < world.size; ++rank) {
    const std::string there =
        rank == world.rank ? mine : text_of(world.store->wait(fmt::format("device/{}", rank), deadline));
    if (there.starts_with('!')) {
      const std::size_t line = std::min(there.find('\n'), there.size() - 1);
      throw Error(Code::unsupported, there.substr(1, line - 1),
                  {.rank = world.rank,
                   .operation = operation,
                   .peer = rank == world.rank ? -1 : rank,
                   .remedy = there.substr(line + 1)});
    }
    int version = 0;
    std::from_chars(there.data(), there.data() + there.size(), version);
    if (facts.nccl_version != 0 && version != facts.nccl_version) {
      throw Error(Code::mismatch,
                  fmt::format("it has NCCL {}, and rank 0 has {}", nccl::version_text(version),
                              nccl::version_text(facts.nccl_version)),
                  {.rank = world.rank,
                   .operation = operation,
                   .peer = rank,
                   .remedy = "let all ranks load the same NCCL (LD_LIBRARY_PATH, NcclSettings::library)"});
    }
    facts.nccl_version = version;
  }
  return facts;
}

Engine& DeviceEngines::nccl() {
  if (nccl_ != nullptr) return *nccl_;
  CommunicatorState& state = state_;
  std::unique_ptr<nccl::NcclCommunicator> communicator;
  if (part_ != nullptr && part_->nccl != nullptr) {
    communicator = std::move(part_->nccl);
  } else {
    const int device = state.config.device.value_or(state.family.device_turn % device::cuda_runtime().devices);
    communicator = std::make_unique<nccl::NcclCommunicator>(
        nccl::library(state.config.nccl.library), state.world, device, state.config.nccl, state.world.deadline(),
        [look = Lookout(state), rank = state.world.rank]() mutable {
          look({.rank = rank, .operation = "making an NCCL communicator", .engine = "nccl"});
        });
  }
  nccl_ = std::make_unique<nccl::NcclEngine>(std::move(communicator), *state.family.loop,
                                             nccl::NcclEngine::Settings{.rank = state.world.rank,
                                                                        .ranks = state.world.size,
                                                                        .timeout = state.config.timeout,
                                                                        .give_up = [&state] { state.engine->abort(); },
                                                                        .look = Lookout(state)});
  return *nccl_;
}

Operation& DeviceEngines::run(const Decision& decision, const Request& request) {
  const bool first = nccl_ == nullptr;
  Engine& engine = nccl();
  if (first && grouping_) engine.group_begins();
  return engine.run(decision, request, nullptr);
}

void DeviceEngines::group_begins() {
  grouping_ = true;
  if (nccl_ != nullptr) nccl_->group_begins();
}

void DeviceEngines::group_ends() {
  grouping_ = false;
  if (nccl_ != nullptr) nccl_->group_ends();
}

std::shared_ptr<DeviceEngines::Part> DeviceEngines::split(int color, int key) const {
  if (nccl_ == nullptr) return nullptr;
  nccl::NcclCommunicator& whole = static_cast<nccl::NcclEngine&>(*nccl_).communicator();
  if (whole.aborted() || !whole.library().can_split()) return nullptr;
  auto part = std::make_shared<Part>();
  part->nccl = whole.split(color, key, state_.config.nccl, state_.world.deadline());
  return part;
}

void DeviceEngines::take(std::shared_ptr<Part> part) { part_ = std::move(part); }

}  // namespace tutti
