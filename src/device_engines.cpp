#include "device_engines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <span>
#include <utility>
#include <vector>

#include "communicator_state.hpp"
#include "run/cuda/cuda_engine.hpp"
#include "run/cuda/verdicts.hpp"
#include "run/cuda/wire_shape.hpp"
#include "run/device/cuda_runtime.hpp"
#include "run/nccl/nccl_engine.hpp"
#include "tutti/base/environment.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

class DeviceEngines::Part {
 public:
  std::unique_ptr<nccl::NcclCommunicator> nccl;
};

namespace {

/// What one rank has for device memory. Ranks tell one another as lines.
struct Findings {
  std::string no_device{}, device_remedy{};  ///< why there is no device at all, and what to do; empty: there is
  int nccl_version = 0;                      ///< 22809
  std::string no_nccl{}, nccl_remedy{};
  int blocks = 0;  ///< of tutti's kernels, that the device holds at once
  std::string no_cuda{};
  std::string bus{};  ///< the device's address, by which ranks that share it are found

  std::string text() const {
    return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", no_device, device_remedy, nccl_version, no_nccl, nccl_remedy,
                       blocks, no_cuda, bus);
  }
  static Findings of(const std::string& text) {
    std::array<std::string, 8> lines;
    std::size_t at = 0;
    for (std::string& line : lines) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      line = text.substr(at, end - at);
      at = std::min(end + 1, text.size());
    }
    Findings all{lines[0], lines[1], 0, lines[3], lines[4], 0, lines[6], lines[7]};
    std::from_chars(lines[2].data(), lines[2].data() + lines[2].size(), all.nccl_version);
    std::from_chars(lines[5].data(), lines[5].data() + lines[5].size(), all.blocks);
    return all;
  }
};

constexpr int multiprocessor_count = 16, cooperative_launch = 95;  // cudaDeviceAttr

/// CUDA's own variables, which decide whether kernels can wait for one another.
int number_in(const char* variable, int fallback) {
  const std::string text = process_environment()(variable).value_or("");
  int number = fallback;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}
int connections() { return number_in("CUDA_DEVICE_MAX_CONNECTIONS", 8); }

/// Blocks that the device holds at once. Throws why it cannot run tutti's kernels.
int resident_blocks(const cuda::KernelLibrary& library, int device, const CudaSettings& settings) {
  if (!library.trouble.empty()) throw Error(Code::unsupported, library.trouble, {.remedy = library.remedy});
  cuda::expect_sound(settings);
  if (number_in("CUDA_LAUNCH_BLOCKING", 0) != 0) {
    throw Error(
        Code::unsupported,
        "CUDA_LAUNCH_BLOCKING is set, and with it no kernel starts before the one ahead of it has met its peers");
  }
  const device::OnDevice here(device);
  const device::CudaCalls& calls = device::cuda_runtime().calls;
  int processors = 0, cooperative = 0;
  device::check(calls.cudaDeviceGetAttribute(&processors, multiprocessor_count, device), "cudaDeviceGetAttribute");
  device::check(calls.cudaDeviceGetAttribute(&cooperative, cooperative_launch, device), "cudaDeviceGetAttribute");
  if (cooperative == 0) throw Error(Code::unsupported, "the device has no cooperative launches");
  return processors * cuda::load_all(library, settings.threads);
}

Findings findings_here(const CommunicatorState& state) {
  const Config& config = state.config;
  const device::CudaRuntime& cuda = device::cuda_runtime();
  if (!cuda.trouble.empty()) return {.no_device = cuda.trouble, .device_remedy = cuda.remedy};
  if (config.device && (*config.device < 0 || *config.device >= cuda.devices)) {
    return {.no_device = fmt::format("Config::device is {}, and {} devices are visible", *config.device, cuda.devices),
            .device_remedy = fmt::format("use 0 to {}", cuda.devices - 1)};
  }
  Findings found;
  const nccl::Library& library = nccl::library(config.nccl.library);
  found.nccl_version = library.trouble.empty() ? library.version : 0;
  found.no_nccl = library.trouble;
  found.nccl_remedy = library.remedy;
  const int device = config.device.value_or(state.family.device_turn % cuda.devices);
  try {
    char bus[20] = {};
    device::check(cuda.calls.cudaDeviceGetPCIBusId(bus, sizeof bus, device), "cudaDeviceGetPCIBusId");
    found.bus = bus;
    found.blocks = resident_blocks(cuda::kernel_library(config.cuda.kernels), device, config.cuda);
  } catch (const Error& error) {
    found.no_cuda = error.reason();
  }
  return found;
}

/// Why tutti's kernels cannot serve these ranks; empty: they can.
std::string no_kernels_among(const std::vector<Findings>& all, int hosts) {
  if (hosts > 1) return "tutti's kernels reach the devices of one host, and these ranks are on several";
  if (all.size() > kernels::max_ranks) return fmt::format("tutti's kernels serve {} ranks at most", kernels::max_ranks);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (!all[rank].no_cuda.empty()) return fmt::format("rank {}: {}", rank, all[rank].no_cuda);
    for (std::size_t other = 0; other < rank; ++other) {
      if (all[other].bus == all[rank].bus) {
        return fmt::format("ranks {} and {} share device {}, and tutti's kernels wait for one another", other, rank,
                           all[rank].bus);
      }
    }
  }
  return {};
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

DeviceFacts DeviceEngines::find(const std::string& operation) {
  const World& world = state_.world;
  const std::string mine = findings_here(state_).text();
  if (world.size > 1) world.store->set(fmt::format("device/{}", world.rank), mine);
  const Store::Deadline deadline = world.deadline();
  std::vector<Findings> all;
  for (int rank = 0; rank < world.size; ++rank) {
    all.push_back(
        Findings::of(rank == world.rank ? mine : text_of(world.store->wait(fmt::format("device/{}", rank), deadline))));
    if (all.back().no_device.empty()) continue;
    throw Error(Code::unsupported, all.back().no_device,
                {.rank = world.rank,
                 .operation = operation,
                 .peer = rank == world.rank ? -1 : rank,
                 .remedy = all.back().device_remedy});
  }
  DeviceFacts facts{.known = true, .nccl_version = all[0].nccl_version};
  for (int rank = 0; rank < world.size; ++rank) {
    const Findings& there = all[static_cast<std::size_t>(rank)];
    if (there.nccl_version == facts.nccl_version && there.no_nccl.empty()) continue;
    facts.no_nccl = there.no_nccl.empty()
                        ? fmt::format("rank {} has NCCL {}, and rank 0 has {}", rank,
                                      nccl::version_text(there.nccl_version), nccl::version_text(facts.nccl_version))
                    : world.size == 1 ? there.no_nccl
                                      : fmt::format("rank {}: {}", rank, there.no_nccl);
    facts.remedy = there.no_nccl.empty() ? "let all ranks load the same NCCL (LD_LIBRARY_PATH, NcclSettings::library)"
                                         : there.nccl_remedy;
    break;
  }
  if (!facts.no_nccl.empty()) facts.nccl_version = 0;
  facts.no_cuda = no_kernels_among(all, state_.facts.hosts);
  if (facts.no_cuda.empty()) {
    const kernels::WireShape shape = cuda::wire_shape(world.size, state_.config.cuda);
    facts.packet_bytes = shape.packet_bytes;
    facts.fifo_bytes = shape.slot_bytes;
    blocks_ = std::min_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
                return a.blocks < b.blocks;
              })->blocks;
  }
  return facts;
}

device::StreamEngine::Settings DeviceEngines::settings(const char* name) const {
  CommunicatorState& state = state_;
  return {.name = name,
          .rank = state.world.rank,
          .ranks = state.world.size,
          .device = state.config.device.value_or(state.family.device_turn % device::cuda_runtime().devices),
          .timeout = state.config.timeout,
          .give_up = [&state] { state.engine->abort(); },
          .look = Lookout(state)};
}

std::unique_ptr<Engine> DeviceEngines::cuda() {
  const CommunicatorState& state = state_;
  device::StreamEngine::Settings own = settings("cuda");
  auto wires =
      std::make_unique<cuda::Wires>(state.world, own.device, cuda::wire_shape(state.world.size, state.config.cuda),
                                    [look = Lookout(state), rank = state.world.rank]() mutable {
                                      look({.rank = rank, .operation = "making wires among devices", .engine = "cuda"});
                                    });
  return std::make_unique<cuda::CudaEngine>(
      cuda::CudaEngine::Parts{cuda::kernel_library(state.config.cuda.kernels), std::move(wires), blocks_,
                              state.config.cuda.channels, state.config.cuda.threads, connections()},
      *state.family.loop, std::move(own));
}

std::unique_ptr<Engine> DeviceEngines::nccl() {
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
  return std::make_unique<nccl::NcclEngine>(std::move(communicator), *state.family.loop, settings("nccl"));
}

std::string DeviceEngines::start(const Decision& decision, const Request& request) {
  const bool by_kernels = decision.backend == Backend::cuda;
  std::unique_ptr<Engine>& engine = by_kernels ? cuda_ : nccl_;
  if (engine != nullptr) return {};
  if (device::is_capturing(request.options.stream.value_or(Stream()))) {
    throw Error(Code::unsupported, "an engine's first call cannot be captured into a graph",
                {.rank = state_.world.rank,
                 .operation = describe(request),
                 .engine = std::string(name(decision.backend)),
                 .remedy = "make one such call before the capture"});
  }
  try {
    engine = by_kernels ? cuda() : nccl();
  } catch (const cuda::NoAgreement& error) {
    return error.reason();
  }
  if (by_kernels) kernels_.store(static_cast<cuda::CudaEngine*>(engine.get()), std::memory_order_release);
  if (grouping_) engine->group_begins();
  return {};
}

Operation& DeviceEngines::run(const Decision& decision, const Request& request) {
  return (decision.backend == Backend::cuda ? cuda_ : nccl_)->run(decision, request, nullptr);
}

void DeviceEngines::abort() noexcept {
  if (cuda::CudaEngine* const engine = kernels_.load(std::memory_order_acquire)) engine->end_calls();
}

void DeviceEngines::group_begins() {
  grouping_ = true;
  for (Engine* const engine : {nccl_.get(), cuda_.get()}) {
    if (engine != nullptr) engine->group_begins();
  }
}

void DeviceEngines::group_ends() {
  grouping_ = false;
  for (Engine* const engine : {nccl_.get(), cuda_.get()}) {
    if (engine != nullptr) engine->group_ends();
  }
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
