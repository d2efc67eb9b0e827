/// @file  Kernels launched through the CUDA runtime, a rank on each device: the emulated runtime, or real GPUs.
#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdlib>
#include <new>
#include <thread>
#include <vector>

#include "emulated_cuda/checks.hpp"
#include "kernels/arguments.hpp"
#include "kernels/chunk.hpp"
#include "kernels/launch.hpp"

using namespace tutti;
using namespace tutti::kernels;
using emulated::ok;

namespace {

constexpr int threads = 64;

/// A tree on two channels has eight blocks, which must be resident at once; the emulated devices hold four by default.
const bool room_for_trees = setenv("EMULATED_CUDA_MULTIPROCESSORS", "8", 1) == 0;

/// Ranks of one process, each on a device and a stream of its own; where there is one device only, all on it.
class Ranks {
 public:
  explicit Ranks(int count)
      : shape_{.ranks = count, .channels = 2, .slots = 2, .slot_bytes = 4096, .packet_bytes = 1024} {
    int devices = 0;
    ok(cudaGetDeviceCount(&devices));
    alone_ = devices >= count;
    ok(cudaHostAlloc(reinterpret_cast<void**>(&host_), sizeof *host_, cudaHostAllocMapped | cudaHostAllocPortable));
    new (host_) Host{};
    for (int rank = 0; rank < count; ++rank) {
      Rank& mine = ranks_.emplace_back();
      mine.device = rank % devices;
      ok(cudaSetDevice(mine.device));
      ok(cudaStreamCreateWithFlags(&mine.stream, cudaStreamNonBlocking));
      mine.wires = allocate(shape_.bytes());
      mine.in = allocate(bytes);
      mine.out = allocate(bytes);
      mine.tables = allocate(3 * sizeof(std::byte*) * static_cast<std::size_t>(count));
      for (int peer = 0; peer < devices; ++peer) {
        int can = 0;
        if (peer != mine.device) ok(cudaDeviceCanAccessPeer(&can, mine.device, peer));
        if (can != 0 && cudaDeviceEnablePeerAccess(peer, 0) == cudaErrorPeerAccessAlreadyEnabled) cudaGetLastError();
      }
    }
    std::vector<std::byte*> table;
    for (const Rank& rank : ranks_) table.push_back(rank.wires);
    for (const Rank& rank : ranks_) table.push_back(rank.in);
    for (const Rank& rank : ranks_) table.push_back(rank.out);
    for (const Rank& rank : ranks_) {
      ok(cudaSetDevice(rank.device));
      ok(cudaMemcpy(rank.tables, table.data(), table.size() * sizeof(std::byte*), cudaMemcpyHostToDevice));
    }
  }
  ~Ranks() {
    for (const Rank& rank : ranks_) {
      cudaSetDevice(rank.device);
      cudaStreamDestroy(rank.stream);
      for (std::byte* const memory : {rank.wires, rank.in, rank.out, rank.tables}) cudaFree(memory);
    }
    cudaFreeHost(host_);
  }
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  static constexpr std::size_t bytes = 1 << 16;
  struct Host {
    std::uint32_t abort;
    Outcome outcomes[max_ranks];
  };
  Host& host() { return *host_; }
  int count() const { return static_cast<int>(ranks_.size()); }
  cudaStream_t stream(int rank) const { return ranks_[static_cast<std::size_t>(rank)].stream; }

  template <class T>
  void fill(int rank, const std::vector<T>& values) {
    const Rank& mine = ranks_[static_cast<std::size_t>(rank)];
    ok(cudaSetDevice(mine.device));
    ok(cudaMemcpy(mine.in, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    ok(cudaMemset(mine.out, 0xee, bytes));
    ok(cudaDeviceSynchronize());
  }
  template <class T>
  std::vector<T> result(int rank, std::size_t count) {
    const Rank& mine = ranks_[static_cast<std::size_t>(rank)];
    std::vector<T> values(count);
    ok(cudaSetDevice(mine.device));
    ok(cudaMemcpy(values.data(), mine.out, count * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

  cudaError_t launch(int rank, const plan::Schedule& schedule, std::size_t elements, std::size_t element_size,
                     const Kernel& kernel, bool packets, std::uint64_t timeout = 0) {
    const Rank& mine = ranks_[static_cast<std::size_t>(rank)];
    Arguments call;
    call.schedule = schedule;
    call.layout = plan::Layout(schedule, rank, elements, element_size);
    call.shape = shape_;
    call.rank = rank;
    call.channels = shape_.channels;
    auto* const table = reinterpret_cast<std::byte**>(mine.tables);
    call.wires = table;
    call.windows_in = table + count();
    call.windows_out = table + 2 * count();
    call.in = mine.in;
    call.out = mine.out;
    call.element_size = element_size;
    call.chunk = chunk_of(schedule, call.layout, shape_, call.channels, packets, element_size);
    call.rounds = plan::rounds(call.layout, call.chunk);
    call.timeout = timeout;
    ok(cudaSetDevice(mine.device));
    void* mapped = nullptr;
    ok(cudaHostGetDevicePointer(&mapped, host_, 0));
    auto* const host = static_cast<Host*>(mapped);
    call.abort = &host->abort;
    call.outcome = &host->outcomes[rank];
    void* arguments[] = {&call};
    const dim3 grid(static_cast<unsigned>(call.channels), static_cast<unsigned>(plan::lanes(schedule)));
    const void* const function = packets ? kernel.packets : kernel.slots;
    // Whether cooperative grids of several streams share one device is for that device to say: there, they are plain.
    return alone_ ? cudaLaunchCooperativeKernel(function, grid, dim3(threads), arguments, 0, mine.stream)
                  : cudaLaunchKernel(function, grid, dim3(threads), arguments, 0, mine.stream);
  }
  void synchronize() {
    for (const Rank& rank : ranks_) {
      ok(cudaSetDevice(rank.device));
      ok(cudaStreamSynchronize(rank.stream));
    }
  }

 private:
  struct Rank {
    int device = 0;
    cudaStream_t stream = nullptr;
    std::byte* wires = nullptr;
    std::byte* in = nullptr;
    std::byte* out = nullptr;
    std::byte* tables = nullptr;  ///< wires, inputs, outputs of all ranks
  };
  static std::byte* allocate(std::size_t size) {
    void* memory = nullptr;
    ok(cudaMalloc(&memory, size));
    ok(cudaMemset(memory, 0, size));
    ok(cudaDeviceSynchronize());
    return static_cast<std::byte*>(memory);
  }

  WireShape shape_;
  bool alone_ = false;  ///< every rank has a device to itself
  std::vector<Rank> ranks_;
  Host* host_ = nullptr;
};

/// Every kernel is loaded before the first of them waits for another.
void load(const Kernel& kernel) {
  for (const void* const each : {kernel.slots, kernel.packets}) {
    cudaFuncAttributes attributes;
    ok(cudaFuncGetAttributes(&attributes, each));
  }
}

std::vector<float> numbers(std::size_t count, int rank) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>((i * 3 + static_cast<std::size_t>(rank)) % 64);
  return values;
}
std::vector<float> sums(std::size_t count, int ranks) {
  std::vector<float> total(count);
  for (int rank = 0; rank < ranks; ++rank) {
    const std::vector<float> values = numbers(count, rank);
    for (std::size_t i = 0; i < count; ++i) total[i] += values[i];
  }
  return total;
}

}  // namespace

TEST_CASE("kernels launched: the runtime is the one that was asked for") {
  const bool asked = std::getenv("EMULATED_CUDA_KERNELS") != nullptr;  // else this is run by hand, on real GPUs
  CHECK(emulated::is_emulated() == asked);
  CHECK(room_for_trees);
}

TEST_CASE("kernels launched: all_reduce by every pattern and protocol among 1 to 8 ranks, call after call") {
  const Kernel kernel = kernel_for(DataType::float32, Op::sum);
  load(kernel);
  for (const int count : {1, 2, 3, 8}) {
    Ranks ranks(count);
    for (const Algorithm algorithm : plan::patterns) {
      for (const Protocol protocol : {Protocol::packet, Protocol::fifo, Protocol::window}) {
        const plan::Schedule schedule{Collective::all_reduce, algorithm, protocol == Protocol::window, count, 0};
        if (plan::unsupported(schedule) != nullptr || plan::needs_scratch(schedule)) continue;
        const std::size_t elements = 1001;
        INFO(count << " ranks, " << name(algorithm) << " over " << name(protocol));
        for (int rank = 0; rank < count; ++rank) ranks.fill(rank, numbers(elements, rank));
        for (int rank = 0; rank < count; ++rank) {
          ok(ranks.launch(rank, schedule, elements, 4, kernel, protocol == Protocol::packet));
        }
        ranks.synchronize();
        for (int rank = 0; rank < count; ++rank) CHECK(ranks.result<float>(rank, elements) == sums(elements, count));
      }
    }
  }
}

TEST_CASE("kernels launched: data that only moves, all_gather and all_to_all, by slots and windows") {
  const Kernel kernel = kernel_for(DataType::uint8, Op::none);
  load(kernel);
  const int count = 4;
  Ranks ranks(count);
  for (const Collective collective : {Collective::all_gather, Collective::all_to_all}) {
    for (const bool window : {false, true}) {
      const plan::Schedule schedule{collective, Algorithm::one_shot, window, count, 0};
      const bool gathers = collective == Collective::all_gather;
      const std::size_t part = 333;
      for (int rank = 0; rank < count; ++rank) {
        ranks.fill(rank, numbers(gathers ? part : part * static_cast<std::size_t>(count), rank));
      }
      for (int rank = 0; rank < count; ++rank) ok(ranks.launch(rank, schedule, part, 4, kernel, false));
      ranks.synchronize();
      for (int rank = 0; rank < count; ++rank) {
        std::vector<float> right;
        for (int from = 0; from < count; ++from) {
          const std::vector<float> theirs = numbers(gathers ? part : part * static_cast<std::size_t>(count), from);
          const auto begin = theirs.begin() + (gathers ? 0 : static_cast<std::ptrdiff_t>(part) * rank);
          right.insert(right.end(), begin, begin + static_cast<std::ptrdiff_t>(part));
        }
        CHECK(ranks.result<float>(rank, right.size()) == right);
      }
    }
  }
}

TEST_CASE("kernels launched: captured graphs give the right sums at every launch") {
  const Kernel kernel = kernel_for(DataType::float32, Op::sum);
  load(kernel);
  Ranks ranks(2);
  const plan::Schedule ring{Collective::all_reduce, Algorithm::ring, false, 2, 0};
  std::vector<cudaGraphExec_t> graphs;
  for (int rank = 0; rank < 2; ++rank) {
    ranks.fill(rank, numbers(500, rank));
    cudaGraph_t graph = nullptr;
    ok(cudaStreamBeginCapture(ranks.stream(rank), cudaStreamCaptureModeThreadLocal));
    ok(ranks.launch(rank, ring, 500, 4, kernel, false));
    ok(cudaStreamEndCapture(ranks.stream(rank), &graph));
    ok(cudaGraphInstantiate(&graphs.emplace_back(), graph, 0));
    ok(cudaGraphDestroy(graph));
  }
  for (int times = 0; times < 5; ++times) {
    for (int rank = 0; rank < 2; ++rank) {
      std::vector<float> values = numbers(500, rank);
      for (float& value : values) value += static_cast<float>(times);
      ranks.fill(rank, values);
    }
    for (int rank = 0; rank < 2; ++rank)
      ok(cudaGraphLaunch(graphs[static_cast<std::size_t>(rank)], ranks.stream(rank)));
    ranks.synchronize();
    std::vector<float> right = sums(500, 2);
    for (float& value : right) value += 2 * static_cast<float>(times);
    for (int rank = 0; rank < 2; ++rank) CHECK(ranks.result<float>(rank, 500) == right);
  }
  for (cudaGraphExec_t graph : graphs) ok(cudaGraphExecDestroy(graph));
}

TEST_CASE("kernels launched: a missing rank ends with an abort or at the deadline, and the stream is whole") {
  const Kernel kernel = kernel_for(DataType::float32, Op::sum);
  load(kernel);
  const plan::Schedule ring{Collective::all_reduce, Algorithm::ring, false, 2, 0};
  for (const bool abort : {false, true}) {
    Ranks ranks(2);
    ranks.fill(0, numbers(500, 0));
    ok(ranks.launch(0, ring, 500, 4, kernel, false, abort ? 0 : 200'000'000));
    if (abort) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      CHECK(cudaStreamQuery(ranks.stream(0)) == cudaErrorNotReady);
      __atomic_store_n(&ranks.host().abort, 1U, __ATOMIC_RELAXED);
    }
    ranks.synchronize();
    const Outcome& outcome = ranks.host().outcomes[0];
    CHECK(outcome.failure == static_cast<std::uint32_t>(abort ? Failure::aborted : Failure::timeout));
    CHECK(outcome.peer == 1);
  }
}
