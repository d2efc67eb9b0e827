#include "run/nccl/nccl_communicator.hpp"

#include <fmt/format.h>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "run/device/cuda_runtime.hpp"
#include "run/nccl/nccl_config.hpp"

namespace tutti::nccl {

namespace {

using namespace std::chrono_literals;

constexpr auto goodbye = 5s;  // for the last work of a communicator that nobody uses any more
constexpr char no_id = '!';   // begins the value that says why rank 0 has no id

Context making(const World& world) {
  return {.rank = world.rank, .operation = "making an NCCL communicator", .engine = "nccl"};
}

/// A pause between looks: short at first, since most things are soon done.
class Patience {
 public:
  void operator()() {
    ++looks_;
    if (looks_ < 100) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(looks_ < 1000 ? 50us : 1ms);
    }
  }

 private:
  int looks_ = 0;
};

UniqueId exchange_id(const Library& library, const World& world, NcclCommunicator::Deadline deadline) {
  UniqueId id{};
  if (world.rank == 0) {
    try {
      library.check(library.calls.GetUniqueId(&id), "ncclGetUniqueId", nullptr, making(world));
    } catch (const Error& error) {
      world.store->set("nccl/id", no_id + error.reason());
      throw;
    }
    if (world.size > 1) world.store->set("nccl/id", std::as_bytes(std::span(id.bytes)));
    return id;
  }
  const Store::Value value = world.store->wait("nccl/id", deadline);
  if (value.size() != sizeof id) {
    Context where = making(world);
    where.peer = 0;
    where.remedy = "look at that rank's own error";
    throw Error(Code::bootstrap, fmt::format("it has no NCCL id: {}", text_of(value).substr(1)), where);
  }
  std::memcpy(&id, value.data(), sizeof id);
  return id;
}

}  // namespace

NcclCommunicator::NcclCommunicator(const Library& library, const World& world, int device, const NcclSettings& settings,
                                   Deadline deadline, const std::function<void()>& given_up)
    : library_(library), device_(device) {
  apply_to_process(settings.fabric);
  Config config = config_for(settings, library.version);
  const UniqueId id = exchange_id(library, world, deadline);
  const device::OnDevice here(device);
  const WithVariables variables(variables_of_communicator(settings), deadline);
  const Calls& calls = library.calls;
  if (!library.non_blocking()) {  // it returns when all ranks have come: no deadline can be kept
    library.check(calls.CommInitRank(&comm_, world.size, id, world.rank), "ncclCommInitRank", nullptr, making(world));
    return;
  }
  try {
    library.check(calls.CommInitRankConfig(&comm_, world.size, id, world.rank, &config), "ncclCommInitRankConfig",
                  comm_, making(world));
    const auto begun = std::chrono::steady_clock::now();
    auto next_word = begun + world.progress.first;
    Patience patience;
    while (!settled(making(world))) {
      if (given_up) given_up();
      const auto now = std::chrono::steady_clock::now();
      if (now >= deadline) {
        Context where = making(world);
        where.remedy =
            "look at whether every rank is still there and reaches the others; NCCL_DEBUG=INFO shows how far "
            "each came";
        throw Error(Code::timeout, "not all ranks have come to NCCL's start in time", where);
      }
      if (world.progress.say && now >= next_word) {
        world.progress.say(fmt::format("rank {}: waiting for NCCL's start among {} ranks since {} s", world.rank,
                                       world.size,
                                       std::chrono::duration_cast<std::chrono::seconds>(now - begun).count()));
        next_word = now + world.progress.every;
      }
      patience();
    }
  } catch (...) {
    abort();
    throw;
  }
}

NcclCommunicator::~NcclCommunicator() {
  if (comm_ == nullptr) return;
  try {
    const device::OnDevice here(device_);
    if (library_.non_blocking() && library_.calls.CommFinalize != nullptr) {
      library_.check(library_.calls.CommFinalize(comm_), "ncclCommFinalize", comm_);
      settle(std::chrono::steady_clock::now() + goodbye);
    }
    library_.calls.CommDestroy(comm_);
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): it is not wanted any more, however it ends
    abort();
  }
}

bool NcclCommunicator::settled(const Context& context) const {
  Result state = success;
  library_.check(library_.calls.CommGetAsyncError(comm_, &state), "ncclCommGetAsyncError", comm_, context);
  library_.check(state, "NCCL's own thread", comm_, context);
  return state != in_progress;
}

void NcclCommunicator::settle(Deadline deadline, const Context& context, const std::function<void()>& look) const {
  Patience patience;
  while (!settled(context)) {
    if (look) look();
    if (std::chrono::steady_clock::now() >= deadline) {
      Context where = context;
      where.remedy = "look at what the other ranks are doing; NCCL_DEBUG=INFO shows how far each came";
      throw Error(Code::timeout, "NCCL did not take the call in", where);
    }
    patience();
  }
}

std::unique_ptr<NcclCommunicator> NcclCommunicator::split(int color, int key, const NcclSettings& settings,
                                                          Deadline deadline) const {
  Config config = config_for(settings, library_.version);
  const device::OnDevice here(device_);
  std::unique_ptr<NcclCommunicator> part(new NcclCommunicator(library_, device_));
  library_.check(library_.calls.CommSplit(comm_, color < 0 ? -1 : color, key, &part->comm_, &config), "ncclCommSplit",
                 comm_);
  settle(deadline);
  if (color < 0 || part->comm_ == nullptr) return nullptr;
  part->settle(deadline);
  return part;
}

std::unique_ptr<NcclCommunicator> NcclCommunicator::shrink(std::span<const int> without, bool abort,
                                                           const NcclSettings& settings, Deadline deadline) const {
  if (!library_.can_shrink()) {
    throw Error(Code::unsupported, fmt::format("NCCL {} cannot shrink a communicator", version_text(library_.version)),
                {.engine = "nccl", .remedy = "make a new one of the ranks that are left; 2.27 brought shrinking"});
  }
  Config config = config_for(settings, library_.version);
  const device::OnDevice here(device_);
  std::vector<int> ranks(without.begin(), without.end());
  std::unique_ptr<NcclCommunicator> rest(new NcclCommunicator(library_, device_));
  library_.check(library_.calls.CommShrink(comm_, ranks.data(), static_cast<int>(ranks.size()), &rest->comm_, &config,
                                           abort ? 1 : 0),
                 "ncclCommShrink", comm_);
  Patience patience;  // the parent may have failed, so only the new one tells
  while (rest->comm_ == nullptr || !rest->settled()) {
    if (std::chrono::steady_clock::now() >= deadline) throw Error(Code::timeout, "NCCL did not shrink in time");
    patience();
  }
  return rest;
}

void NcclCommunicator::abort() noexcept {
  if (comm_ == nullptr) return;
  try {
    const device::OnDevice here(device_);
    library_.calls.CommAbort(comm_);
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the device is lost; there is nothing to end
  }
  comm_ = nullptr;
}

}  // namespace tutti::nccl
