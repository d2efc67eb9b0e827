#include "run/cuda/wires.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <random>
#include <span>

#include "run/cuda/verdicts.hpp"
#include "run/device/cuda_runtime.hpp"
#include "tutti/base/error.hpp"

namespace tutti::cuda {

using device::check;
using device::cuda_runtime;

namespace {

constexpr int already_enabled = 704;
constexpr unsigned with_peer_access = 1;
constexpr auto time_to_leave = std::chrono::seconds(2);

/// Tells this process from every other one, also of another container with the same process number.
std::uint64_t process_token() {
  static const std::uint64_t token = [] {
    std::random_device dice;
    return std::uint64_t{dice()} << 32 | dice();
  }();
  return token ^ static_cast<std::uint64_t>(getpid());
}

/// What `from` writes for `to`.
std::array<std::uint64_t, 2> greeting(int from, int to) {
  const std::uint64_t word =
      0x74757474690000ULL + static_cast<std::uint64_t>(from) * 1000 + static_cast<std::uint64_t>(to);
  return {word, ~word};
}

void copy_now(void* to, const void* from, std::size_t bytes, Stream stream) {
  check(cuda_runtime().calls.cudaMemcpyAsync(to, from, bytes, device::cuda_memcpy_default, stream.handle),
        "cudaMemcpyAsync");
  check(cuda_runtime().calls.cudaStreamSynchronize(stream.handle), "cudaStreamSynchronize");
}

[[noreturn]] void unreachable(int device, int rank, const std::string& how, const char* remedy) {
  throw Error(Code::unsupported, fmt::format("device {} cannot reach the memory of rank {}'s: {}", device, rank, how),
              {.engine = "cuda", .peer = rank, .remedy = remedy});
}

}  // namespace

/// How a rank's memory is reached.
struct Wires::Card {
  kernels::WireShape shape;
  std::uint64_t process;
  const std::shared_ptr<DeviceMemory>* memory;  ///< for threads of that process, while all are in the constructor
  device::IpcHandle handle;                     ///< for others
  int device;
  char bus[20];
};

Wires::Wires(const World& world, int device, const kernels::WireShape& shape)
    : world_(world), device_(device), shape_(shape), all_(static_cast<std::size_t>(world.size)) {}

/// What is thrown here finds a Wires that is made, and whose destructor therefore runs.
Wires::Wires(const World& world, int device, const kernels::WireShape& shape, const std::function<void()>& look)
    : Wires(world, device, shape) {
  const device::OnDevice here(device);
  std::vector<Card> cards;
  const auto values = agree(world, "memory", look, [&] {
    mine_ = std::make_shared<DeviceMemory>(device, shape.bytes());
    const Card own = card();
    const auto bytes = std::as_bytes(std::span(&own, 1));
    return Store::Value(bytes.begin(), bytes.end());
  });
  for (const Store::Value& value : values) {
    expect(value.size() == sizeof(Card), Code::mismatch, "the ranks are of different versions of tutti");
    std::memcpy(&cards.emplace_back(), value.data(), sizeof(Card));
    if (cards.back().shape == shape) continue;
    throw Error(Code::mismatch, "its CudaSettings are others",
                {.rank = world.rank,
                 .operation = "making wires among devices",
                 .engine = "cuda",
                 .peer = static_cast<int>(cards.size()) - 1,
                 .remedy = "give all ranks the same Config::cuda"});
  }
  agree(world, "reach", look, [&] {
    for (int rank = 0; rank < world.size; ++rank) reach(rank, cards[static_cast<std::size_t>(rank)]);
    write_to_peers();
    return Store::Value();
  });
  agree(world, "tried", look, [&] {
    if (const std::string wrong = unlike_what_peers_wrote(); !wrong.empty()) {
      throw Error(Code::unsupported, wrong,
                  {.rank = world.rank,
                   .engine = "cuda",
                   .remedy = "look at the IOMMU and PCIe access control of this host, or use the engine nccl"});
    }
    table_ = std::make_unique<DeviceMemory>(device, all_.size() * sizeof(std::byte*));
    const device::OwnStream stream(device);
    copy_now(table_->data(), all_.data(), all_.size() * sizeof(std::byte*), stream.stream());
    return Store::Value();
  });
}

Wires::Card Wires::card() const {
  Card card{};
  card.shape = shape_;
  card.process = process_token();
  card.memory = &mine_;
  card.device = device_;
  check(cuda_runtime().calls.cudaDeviceGetPCIBusId(card.bus, sizeof card.bus, device_), "cudaDeviceGetPCIBusId");
  if (lends()) {
    check(cuda_runtime().calls.cudaIpcGetMemHandle(&card.handle, mine_->data()), "cudaIpcGetMemHandle",
          {.rank = world_.rank, .operation = "making wires among devices", .engine = "cuda"});
  }
  return card;
}

void Wires::reach(int rank, const Card& card) {
  std::byte*& place = all_[static_cast<std::size_t>(rank)];
  if (rank == world_.rank) {
    place = mine_->data();
    return;
  }
  const device::CudaCalls& calls = cuda_runtime().calls;
  char own_bus[20] = {};
  check(calls.cudaDeviceGetPCIBusId(own_bus, sizeof own_bus, device_), "cudaDeviceGetPCIBusId");
  if (std::strcmp(own_bus, card.bus) == 0) {
    unreachable(device_, rank, fmt::format("it has the same device, {}, and kernels wait for one another", own_bus),
                "give each rank a device of its own");
  }
  if (card.process == process_token()) {
    int can = 0;
    check(calls.cudaDeviceCanAccessPeer(&can, device_, card.device), "cudaDeviceCanAccessPeer");
    if (can == 0) unreachable(device_, rank, "there is no peer access between them", "use the engine nccl");
    const int error = calls.cudaDeviceEnablePeerAccess(card.device, 0);
    if (error == already_enabled) {
      calls.cudaGetLastError();
    } else {
      check(error, "cudaDeviceEnablePeerAccess");
    }
    place = of_threads_.emplace_back(*card.memory)->data();
    return;
  }
  void* memory = nullptr;
  const int error = calls.cudaIpcOpenMemHandle(&memory, card.handle, with_peer_access);
  if (error != 0) {
    calls.cudaGetLastError();
    unreachable(device_, rank, fmt::format("cudaIpcOpenMemHandle: {}", calls.cudaGetErrorString(error)),
                "use the engine nccl, or ranks of one process");
  }
  opened_.push_back(memory);
  place = static_cast<std::byte*>(memory);
}

/// Into the first slots, which no call reads before it was written.
void Wires::write_to_peers() const {
  const device::OwnStream stream(device_);
  for (int rank = 0; rank < world_.size; ++rank) {
    if (rank == world_.rank) continue;
    std::byte* const place = all_[static_cast<std::size_t>(rank)] + shape_.first_slot() +
                             static_cast<std::size_t>(world_.rank) * sizeof(greeting(0, 0));
    const auto words = greeting(world_.rank, rank);
    copy_now(place, words.data(), sizeof words, stream.stream());
    auto back = greeting(0, 0);
    copy_now(back.data(), place, sizeof back, stream.stream());
    if (back != words) unreachable(device_, rank, "what was written there reads otherwise", "use the engine nccl");
  }
}

std::string Wires::unlike_what_peers_wrote() const {
  const device::OwnStream stream(device_);
  for (int rank = 0; rank < world_.size; ++rank) {
    if (rank == world_.rank) continue;
    auto found = greeting(0, 0);
    copy_now(found.data(), mine_->data() + shape_.first_slot() + static_cast<std::size_t>(rank) * sizeof found,
             sizeof found, stream.stream());
    if (found != greeting(rank, world_.rank)) {
      return fmt::format("what rank {} wrote into the memory of device {} did not arrive", rank, device_);
    }
  }
  return {};
}

/// Memory that other processes have open is given back when all of them have left.
bool Wires::all_left() noexcept {
  try {
    world_.store->set(fmt::format("cuda/left/{}", world_.rank), std::string_view());
    const auto deadline = std::chrono::steady_clock::now() + time_to_leave;
    for (int rank = 0; rank < world_.size; ++rank) {
      if (!world_.store->try_wait(fmt::format("cuda/left/{}", rank), deadline)) return false;
    }
    return true;
  } catch (const std::exception&) {
    return false;  // whoever served the store is gone
  }
}

Wires::~Wires() {
  for (void* const memory : opened_) cuda_runtime().calls.cudaIpcCloseMemHandle(memory);
  if (mine_ != nullptr && lends() && !all_left()) mine_->leak();
}

}  // namespace tutti::cuda
