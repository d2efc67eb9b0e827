#include "emulated_cuda/nccl/communicator.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "emulated_cuda/nccl/group.hpp"

namespace tutti::emulated_nccl {

namespace {

thread_local std::string words_of_thread;

int number(const char* name, int fallback) {
  const char* text = std::getenv(name);
  return text != nullptr && *text != '\0' ? std::atoi(text) : fallback;
}

std::string dotted(int code) {
  return std::to_string(code / 10000) + "." + std::to_string(code % 10000 / 100) + "." + std::to_string(code % 100);
}

}  // namespace

int version() {
  static const int all = number("EMULATED_NCCL_VERSION", NCCL_VERSION_CODE);
  return all;
}
int slow_ms() {
  static const int all = number("EMULATED_NCCL_SLOW_MS", 0);
  return all;
}

ncclResult_t fail(ncclResult_t result, std::string words) {
  words_of_thread = std::move(words);
  return result;
}
const std::string& last_words() { return words_of_thread; }

ncclResult_t expect_version(int since, const char* call) {
  if (version() >= since) return ncclSuccess;
  return fail(ncclInvalidUsage, "emulated NCCL " + dotted(version()) + " has no " + call);
}

ncclResult_t expect_usable(ncclComm* c, const char* call) {
  if (c == nullptr) return fail(ncclInvalidArgument, std::string(call) + " : comm argument is NULL");
  const int state = c->state.load();
  if (state == ncclInProgress) {
    return fail(ncclInvalidArgument, "Attempt to use communicator before the previous operation returned ncclSuccess");
  }
  return static_cast<ncclResult_t>(state);
}

namespace {

/// The configuration's beginning that its version has; what lies beyond must not be read.
ncclResult_t read_config(const ncclConfig_t* given, bool& blocking) {
  blocking = true;
  if (given == nullptr) return ncclSuccess;
  if (given->magic != 0xcafebeef) return fail(ncclInvalidArgument, "ncclConfig_t is not initialized");
  struct Layout {
    unsigned since;
    std::size_t bytes;
  };
  constexpr Layout layouts[] = {{22800, 80}, {22700, 72}, {21800, 48}, {21700, 40}, {21400, 24}};
  std::size_t expected = 0;
  for (const Layout& layout : layouts) {
    if (given->version >= layout.since && expected == 0) expected = layout.bytes;
  }
  if (given->version > static_cast<unsigned>(version()) || given->size != expected) {
    return fail(ncclInvalidArgument, "ncclConfig_t of version " + dotted(static_cast<int>(given->version)) + " has " +
                                         std::to_string(given->size) + " bytes, expected " + std::to_string(expected));
  }
  blocking = given->blocking != 0;
  if (expected >= 40 && given->minCTAs != INT_MIN && given->maxCTAs != INT_MIN && given->minCTAs > given->maxCTAs) {
    return fail(ncclInvalidArgument, "minCTAs is above maxCTAs");
  }
  return ncclSuccess;
}

/// Waits until all ranks have come. False: aborted.
bool meet(ncclComm& c) {
  SegmentLayout& shared = c.segment->layout();
  shared.come.fetch_add(1);
  while (shared.come.load() < c.ranks) {
    if (c.stop.load()) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return true;
}

ncclResult_t begin(ncclComm_t* out, std::shared_ptr<Segment> segment, int ranks, int rank, bool blocking,
                   bool is_alone_blocking) {
  int device = 0;
  if (const cudaError_t error = cudaGetDevice(&device)) {
    return fail(ncclUnhandledCudaError, std::string("Cuda failure '") + cudaGetErrorString(error) + "'");
  }
  if (segment == nullptr) return fail(ncclSystemError, "the communicator's segment cannot be opened");
  auto* c = new ncclComm;
  c->segment = std::move(segment);
  c->rank = rank;
  c->ranks = ranks;
  c->device = device;
  c->blocking = blocking;
  *out = c;
  if (blocking) {
    if (is_alone_blocking) meet(*c);
    return ncclSuccess;
  }
  c->state = ncclInProgress;
  c->background = std::thread([c] {
    if (slow_ms() > 0) std::this_thread::sleep_for(std::chrono::milliseconds(slow_ms()));
    c->state = meet(*c) ? ncclSuccess : ncclInternalError;
  });
  return ncclInProgress;
}

SegmentName name_in(const ncclUniqueId& id) {
  SegmentName name{};
  std::memcpy(&name, id.internal + 8, sizeof name);
  return name;
}

/// One of some of the ranks: the first of them makes its segment, the others find it in the parent's.
ncclResult_t part_of(ncclComm* parent, const std::vector<int>& members, int slot, bool blocking, ncclComm_t* out) {
  SegmentLayout& shared = parent->segment->layout();
  std::shared_ptr<Segment> segment;
  if (members.front() == parent->rank) {
    segment = Segment::make();
    shared.children[slot] = segment->name();
    shared.child_ready[slot].store(1, std::memory_order_release);
  } else {
    while (shared.child_ready[slot].load(std::memory_order_acquire) == 0) {
      if (parent->stop.load()) return fail(ncclInternalError, "aborted");
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    segment = Segment::open(shared.children[slot]);
  }
  const auto rank = static_cast<int>(std::find(members.begin(), members.end(), parent->rank) - members.begin());
  int before = 0;
  cudaGetDevice(&before);
  cudaSetDevice(parent->device);
  const ncclResult_t result = begin(out, segment, static_cast<int>(members.size()), rank, blocking, true);
  cudaSetDevice(before);
  return result;
}

}  // namespace

}  // namespace tutti::emulated_nccl

using namespace tutti::emulated_nccl;

#define TUTTI_NCCL_API extern "C" __attribute__((visibility("default")))
#define TUTTI_NCCL_SINCE(number, name) \
  if (const ncclResult_t old_ = expect_version(number, name)) return old_
#define TUTTI_NCCL_USABLE(communicator, name) \
  if (const ncclResult_t unusable_ = expect_usable(communicator, name)) return unusable_

TUTTI_NCCL_API int tutti_emulated_nccl_is_here() { return 1; }

TUTTI_NCCL_API ncclResult_t ncclGetVersion(int* out) {
  *out = version();
  return ncclSuccess;
}
TUTTI_NCCL_API const char* ncclGetErrorString(ncclResult_t result) {
  switch (result) {
    case ncclSuccess:
      return "no error";
    case ncclUnhandledCudaError:
      return "unhandled cuda error (run with NCCL_DEBUG=INFO for details)";
    case ncclSystemError:
      return "unhandled system error (run with NCCL_DEBUG=INFO for details)";
    case ncclInternalError:
      return "internal error - please report this issue to the NCCL developers";
    case ncclInvalidArgument:
      return "invalid argument (run with NCCL_DEBUG=WARN for details)";
    case ncclInvalidUsage:
      return "invalid usage (run with NCCL_DEBUG=WARN for details)";
    case ncclRemoteError:
      return "remote process exited or there was a network error";
    case ncclInProgress:
      return "NCCL operation in progress";
    default:
      return "unknown result code";
  }
}
TUTTI_NCCL_API const char* ncclGetLastError(ncclComm_t) { return last_words().c_str(); }

TUTTI_NCCL_API ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  // Its maker keeps the segment for as long as it lives, since others may come at any time.
  static auto* const made = new std::vector<std::shared_ptr<Segment>>;
  static std::mutex mutex;
  std::shared_ptr<Segment> segment = Segment::make();
  if (segment == nullptr) return fail(ncclSystemError, "no memory for a communicator");
  const SegmentName name = segment->name();
  std::memset(id, 0, sizeof *id);
  std::memcpy(id->internal, "EMULATED", 8);
  std::memcpy(id->internal + 8, &name, sizeof name);
  const std::lock_guard lock(mutex);
  made->push_back(std::move(segment));
  return ncclSuccess;
}
TUTTI_NCCL_API ncclResult_t ncclCommInitRankConfig(ncclComm_t* out, int ranks, ncclUniqueId id, int rank,
                                                   ncclConfig_t* config) {
  TUTTI_NCCL_SINCE(21400, "ncclCommInitRankConfig");
  *out = nullptr;
  int device = 0;
  if (const cudaError_t error = cudaGetDevice(&device)) {  // before the arguments, as NCCL does
    return fail(ncclUnhandledCudaError, std::string("Cuda failure '") + cudaGetErrorString(error) + "'");
  }
  bool blocking = true;
  if (const ncclResult_t wrong = read_config(config, blocking)) return wrong;
  if (ranks < 1 || ranks > most_ranks || rank < 0 || rank >= ranks) return fail(ncclInvalidArgument, "Invalid rank");
  return begin(out, Segment::open(name_in(id)), ranks, rank, blocking, true);
}
TUTTI_NCCL_API ncclResult_t ncclCommInitRank(ncclComm_t* out, int ranks, ncclUniqueId id, int rank) {
  if (ranks < 1 || ranks > most_ranks || rank < 0 || rank >= ranks) return fail(ncclInvalidArgument, "Invalid rank");
  return begin(out, Segment::open(name_in(id)), ranks, rank, true, true);
}
TUTTI_NCCL_API ncclResult_t ncclCommInitAll(ncclComm_t* out, int ranks, const int* devices) {
  std::shared_ptr<Segment> segment = Segment::make();
  int before = 0;
  cudaGetDevice(&before);
  for (int rank = 0; rank < ranks; ++rank) {
    if (cudaSetDevice(devices != nullptr ? devices[rank] : rank) != cudaSuccess) {
      return fail(ncclInvalidArgument, "invalid device");
    }
    if (const ncclResult_t result = begin(&out[rank], segment, ranks, rank, true, false)) return result;
  }
  cudaSetDevice(before);
  return ncclSuccess;
}
TUTTI_NCCL_API ncclResult_t ncclCommSplit(ncclComm_t parent, int color, int key, ncclComm_t* out,
                                          ncclConfig_t* config) {
  TUTTI_NCCL_SINCE(21800, "ncclCommSplit");
  TUTTI_NCCL_USABLE(parent, "CommSplit");
  *out = nullptr;
  bool blocking = parent->blocking;
  if (config != nullptr) {
    if (const ncclResult_t wrong = read_config(config, blocking)) return wrong;
  }
  // All ranks tell their color and key through the mailboxes, as an all-gather.
  std::vector<int> all(static_cast<std::size_t>(2 * parent->ranks));
  const int mine[2] = {color, key};
  carry_out({parent, {{Kind::all_gather, mine, all.data(), 2, ncclInt32}}});
  if (parent->stop.load()) return fail(ncclInternalError, "aborted");
  const int number = parent->children++;
  if (color < 0) return ncclSuccess;
  std::vector<int> members;
  for (int rank = 0; rank < parent->ranks; ++rank) {
    if (all[static_cast<std::size_t>(2 * rank)] == color) members.push_back(rank);
  }
  std::stable_sort(members.begin(), members.end(), [&](int a, int b) {
    return all[static_cast<std::size_t>(2 * a + 1)] < all[static_cast<std::size_t>(2 * b + 1)];
  });
  int slot = 0;  // colors in the order of their lowest rank, after those of earlier splits
  for (int rank = 0; rank < *std::min_element(members.begin(), members.end()); ++rank) {
    const auto begin = all.begin();
    bool first = true;
    for (int earlier = 0; earlier < rank; ++earlier) first = first && begin[2 * earlier] != begin[2 * rank];
    slot += first && begin[2 * rank] >= 0 ? 1 : 0;
  }
  return part_of(parent, members, (most_ranks * number + slot) % 64, blocking, out);
}
TUTTI_NCCL_API ncclResult_t ncclCommShrink(ncclComm_t parent, int* without, int count, ncclComm_t* out,
                                           ncclConfig_t* config, int flags) {
  TUTTI_NCCL_SINCE(22700, "ncclCommShrink");
  if (parent == nullptr) return fail(ncclInvalidArgument, "CommShrink : comm argument is NULL");
  bool blocking = parent->blocking;
  if (config != nullptr) {
    if (const ncclResult_t wrong = read_config(config, blocking)) return wrong;
  }
  if (flags == NCCL_SHRINK_ABORT) {
    parent->stop = true;
    parent->turned.notify_all();
  } else {
    TUTTI_NCCL_USABLE(parent, "CommShrink");
  }
  std::vector<int> members;
  for (int rank = 0; rank < parent->ranks; ++rank) {
    if (std::find(without, without + count, rank) == without + count) members.push_back(rank);
  }
  const bool was_stopped = parent->stop.exchange(false);
  const ncclResult_t result = part_of(parent, members, (most_ranks * parent->children++) % 64, blocking, out);
  parent->stop = was_stopped;
  return result;
}
TUTTI_NCCL_API ncclResult_t ncclCommFinalize(ncclComm_t c) {
  TUTTI_NCCL_SINCE(21400, "ncclCommFinalize");
  if (c == nullptr) return ncclSuccess;
  TUTTI_NCCL_USABLE(c, "CommFinalize");
  if (c->background.joinable()) c->background.join();
  const auto rest = [c] {
    std::unique_lock lock(c->mutex);
    c->turned.wait(lock, [c] { return c->stop.load() || (c->running == 0 && c->turn_now == c->next_turn); });
    c->segment->layout().going.fetch_add(1);
  };
  if (c->blocking) {
    rest();
    return ncclSuccess;
  }
  c->state = ncclInProgress;
  c->background = std::thread([c, rest] {
    rest();
    c->state = ncclSuccess;
  });
  return ncclInProgress;
}
TUTTI_NCCL_API ncclResult_t ncclCommAbort(ncclComm_t c) {
  if (c == nullptr) return ncclSuccess;
  c->stop = true;
  c->turned.notify_all();
  if (c->background.joinable()) c->background.join();
  std::unique_lock lock(c->mutex);
  c->turned.wait(lock, [c] { return c->running == 0; });
  // Jobs may still be on their way in streams: they find it stopped, so it is not taken away.
  static auto* const stopped = new std::vector<ncclComm_t>;
  static std::mutex mutex;
  const std::lock_guard all(mutex);
  stopped->push_back(c);
  return ncclSuccess;
}
TUTTI_NCCL_API ncclResult_t ncclCommDestroy(ncclComm_t c) {
  if (c == nullptr) return ncclSuccess;
  {
    std::unique_lock lock(c->mutex);
    c->turned.wait(lock, [c] { return c->stop.load() || (c->running == 0 && c->turn_now == c->next_turn); });
  }
  delete c;
  return ncclSuccess;
}
TUTTI_NCCL_API ncclResult_t ncclCommGetAsyncError(ncclComm_t c, ncclResult_t* state) {
  if (c == nullptr) return fail(ncclInvalidArgument, "CommGetAsyncError : comm argument is NULL");
  *state = static_cast<ncclResult_t>(c->state.load());
  return ncclSuccess;
}
TUTTI_NCCL_API ncclResult_t ncclCommCount(const ncclComm_t c, int* count) {
  TUTTI_NCCL_USABLE(c, "CommCount");
  *count = c->ranks;
  return ncclSuccess;
}
TUTTI_NCCL_API ncclResult_t ncclCommUserRank(const ncclComm_t c, int* rank) {
  TUTTI_NCCL_USABLE(c, "CommUserRank");
  *rank = c->rank;
  return ncclSuccess;
}
TUTTI_NCCL_API ncclResult_t ncclCommCuDevice(const ncclComm_t c, int* device) {
  TUTTI_NCCL_USABLE(c, "CommCuDevice");
  *device = c->device;
  return ncclSuccess;
}

TUTTI_NCCL_API ncclResult_t ncclMemAlloc(void** place, size_t bytes) {
  TUTTI_NCCL_SINCE(21900, "ncclMemAlloc");
  return cudaMalloc(place, bytes) == cudaSuccess ? ncclSuccess : fail(ncclUnhandledCudaError, "out of memory");
}
TUTTI_NCCL_API ncclResult_t ncclMemFree(void* place) {
  return cudaFree(place) == cudaSuccess ? ncclSuccess : fail(ncclUnhandledCudaError, "not allocated");
}
TUTTI_NCCL_API ncclResult_t ncclCommRegister(const ncclComm_t c, void* buffer, size_t, void** handle) {
  TUTTI_NCCL_SINCE(21900, "ncclCommRegister");
  TUTTI_NCCL_USABLE(c, "CommRegister");
  *handle = buffer;
  return ncclSuccess;
}
TUTTI_NCCL_API ncclResult_t ncclCommDeregister(const ncclComm_t c, void*) {
  TUTTI_NCCL_USABLE(c, "CommDeregister");
  return ncclSuccess;
}
TUTTI_NCCL_API ncclResult_t ncclCommWindowRegister(ncclComm_t c, void* buffer, size_t, ncclWindow_t* window, int) {
  TUTTI_NCCL_SINCE(22700, "ncclCommWindowRegister");
  TUTTI_NCCL_USABLE(c, "CommWindowRegister");
  if (reinterpret_cast<std::uintptr_t>(buffer) % NCCL_WIN_REQUIRED_ALIGNMENT != 0) {
    return fail(ncclInvalidArgument, "a window's buffer is not aligned to 4096");
  }
  *window = reinterpret_cast<ncclWindow_t>(buffer);
  return ncclSuccess;
}
TUTTI_NCCL_API ncclResult_t ncclCommWindowDeregister(ncclComm_t c, ncclWindow_t) {
  TUTTI_NCCL_USABLE(c, "CommWindowDeregister");
  return ncclSuccess;
}
