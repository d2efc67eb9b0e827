/// @file  The emulated NCCL by itself, through NCCL's own header: collectives, groups, operators, splits, what it refuses.
#include <nccl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "emulated_cuda/checks.hpp"
#include "processes.hpp"

using namespace tutti;
using namespace tutti::emulated;

namespace {

void fine(ncclResult_t result) {
  if (result == ncclSuccess || result == ncclInProgress) return;
  throw std::runtime_error(std::string(ncclGetErrorString(result)) + ": " + ncclGetLastError(nullptr));
}

void settle(ncclComm_t comm) {
  for (ncclResult_t state = ncclInProgress; state == ncclInProgress;) {
    fine(ncclCommGetAsyncError(comm, &state));
    fine(state);
    std::this_thread::yield();
  }
}

/// What a rank has, for a body to use.
struct Rank {
  int rank, ranks;
  ncclComm_t comm;
  cudaStream_t stream;
};

/// Ranks that are threads with a device each. What one throws is a failure.
void among(int ranks, const std::function<void(Rank&)>& body) {
  ncclUniqueId id{};
  fine(ncclGetUniqueId(&id));
  std::vector<std::string> wrong(static_cast<std::size_t>(ranks));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        ok(cudaSetDevice(rank));
        Rank mine{rank, ranks, nullptr, nullptr};
        fine(ncclCommInitRank(&mine.comm, ranks, id, rank));
        ok(cudaStreamCreateWithFlags(&mine.stream, cudaStreamNonBlocking));
        body(mine);
        ok(cudaStreamSynchronize(mine.stream));
        fine(ncclCommDestroy(mine.comm));
        ok(cudaStreamDestroy(mine.stream));
      } catch (const std::exception& error) {
        wrong[static_cast<std::size_t>(rank)] = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& each : wrong) {
    INFO(each);
    CHECK(each.empty());
  }
}

void expect(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(what);
}

std::vector<int> numbered(int count, int first) {
  std::vector<int> values(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = first + i;
  return values;
}

}  // namespace

TEST_CASE("reductions combine all ranks' elements, however many pieces they travel in") {
  REQUIRE(is_emulated());
  for (const int ranks : {1, 2, 5, 8}) {
    for (const int count : {1, 33, 20000}) {
      among(ranks, [count](Rank& r) {
        const DeviceArray<int> data(numbered(count, r.rank));
        fine(ncclAllReduce(data.data(), data.data(), static_cast<std::size_t>(count), ncclInt32, ncclSum, r.comm,
                           r.stream));
        ok(cudaStreamSynchronize(r.stream));
        std::vector<int> expected(static_cast<std::size_t>(count));
        for (int i = 0; i < count; ++i) {
          expected[static_cast<std::size_t>(i)] = r.ranks * i + r.ranks * (r.ranks - 1) / 2;
        }
        expect(data.values() == expected, "a wrong sum");
      });
    }
  }
}

TEST_CASE("every collective gives each rank what NCCL's header says") {
  among(3, [](Rank& r) {
    const auto me = static_cast<std::size_t>(r.rank);
    const DeviceArray<int> mine(numbered(2, 10 * r.rank)), all(numbered(6, 100 * r.rank)), out(std::vector<int>(6, -1));
    const auto got = [&](std::size_t count) {
      ok(cudaStreamSynchronize(r.stream));
      auto values = out.values();
      values.resize(count);
      return values;
    };
    fine(ncclAllGather(mine.data(), out.data(), 2, ncclInt32, r.comm, r.stream));
    expect(got(6) == std::vector<int>{0, 1, 10, 11, 20, 21}, "all-gather");
    fine(ncclReduceScatter(all.data(), out.data(), 2, ncclInt32, ncclMax, r.comm, r.stream));
    expect(got(2) == std::vector<int>{200 + 2 * r.rank, 201 + 2 * r.rank}, "reduce-scatter");
    fine(ncclReduce(mine.data(), out.data(), 2, ncclInt32, ncclMin, 2, r.comm, r.stream));
    if (r.rank == 2) expect(got(2) == std::vector<int>{0, 1}, "reduce");
    fine(ncclBroadcast(mine.data(), out.data(), 2, ncclInt32, 1, r.comm, r.stream));
    expect(got(2) == std::vector<int>{10, 11}, "broadcast");
    fine(ncclAlltoAll(all.data(), out.data(), 2, ncclInt32, r.comm, r.stream));
    const int at = 2 * r.rank;
    expect(got(6) == std::vector<int>{at, at + 1, 100 + at, 101 + at, 200 + at, 201 + at}, "all-to-all");
    fine(ncclGather(mine.data(), out.data(), 2, ncclInt32, 0, r.comm, r.stream));
    if (r.rank == 0) expect(got(6) == std::vector<int>{0, 1, 10, 11, 20, 21}, "gather");
    fine(ncclScatter(all.data(), out.data(), 2, ncclInt32, 1, r.comm, r.stream));
    expect(got(2) == std::vector<int>{100 + at, 101 + at}, "scatter");
    // Everybody sends first: only a group keeps them from waiting for one another.
    fine(ncclGroupStart());
    fine(ncclSend(mine.data(), 2, ncclInt32, (r.rank + 1) % 3, r.comm, r.stream));
    fine(ncclRecv(out.data(), 2, ncclInt32, (r.rank + 2) % 3, r.comm, r.stream));
    fine(ncclGroupEnd());
    const int left = 10 * static_cast<int>((me + 2) % 3);
    expect(got(2) == std::vector<int>{left, left + 1}, "send and receive");
  });
}

TEST_CASE("averages and premultiplied sums scale before they add") {
  among(4, [](Rank& r) {
    const DeviceArray<float> data(std::vector<float>(5, static_cast<float>(r.rank + 1)));
    fine(ncclAllReduce(data.data(), data.data(), 5, ncclFloat32, ncclAvg, r.comm, r.stream));
    ok(cudaStreamSynchronize(r.stream));
    expect(data.values() == std::vector<float>(5, 2.5F), "an average");
    float scale = static_cast<float>(r.rank);
    ncclRedOp_t op{};
    fine(ncclRedOpCreatePreMulSum(&op, &scale, ncclFloat32, ncclScalarHostImmediate, r.comm));
    fine(ncclAllReduce(data.data(), data.data(), 5, ncclFloat32, op, r.comm, r.stream));
    fine(ncclRedOpDestroy(op, r.comm));
    expect(ncclAllReduce(data.data(), data.data(), 5, ncclFloat32, op, r.comm, r.stream) == ncclInvalidArgument,
           "an operator that is gone");
    ok(cudaStreamSynchronize(r.stream));
    expect(data.values() == std::vector<float>(5, 15.F), "a premultiplied sum");
  });
}

TEST_CASE("one thread starts all ranks, and groups their calls") {
  ncclComm_t comms[4];
  fine(ncclCommInitAll(comms, 4, nullptr));
  std::vector<std::unique_ptr<DeviceArray<int>>> data;
  for (int rank = 0; rank < 4; ++rank) {
    ok(cudaSetDevice(rank));
    data.push_back(std::make_unique<DeviceArray<int>>(std::vector<int>(3, rank)));
  }
  fine(ncclGroupStart());
  for (int rank = 0; rank < 4; ++rank) {
    int* mine = data[static_cast<std::size_t>(rank)]->data();
    fine(ncclAllReduce(mine, mine, 3, ncclInt32, ncclSum, comms[rank], nullptr));
  }
  fine(ncclGroupEnd());
  for (int rank = 0; rank < 4; ++rank) {
    ok(cudaSetDevice(rank));
    ok(cudaDeviceSynchronize());
    CHECK(data[static_cast<std::size_t>(rank)]->values() == std::vector<int>(3, 6));
    fine(ncclCommDestroy(comms[rank]));
  }
  data.clear();
  ok(cudaSetDevice(0));
}

TEST_CASE("communicators split by color and key, and shrink") {
  among(4, [](Rank& r) {
    ncclComm_t half = nullptr, rest = nullptr;
    fine(ncclCommSplit(r.comm, r.rank == 3 ? NCCL_SPLIT_NOCOLOR : r.rank % 2, -r.rank, &half, nullptr));
    expect((half == nullptr) == (r.rank == 3), "no color, no communicator");
    if (half != nullptr) {
      int rank = -1, count = -1;
      fine(ncclCommUserRank(half, &rank));
      fine(ncclCommCount(half, &count));
      expect(count == (r.rank == 1 ? 1 : 2) && rank == (r.rank == 0 ? 1 : 0), "ranks of a part");
      fine(ncclCommDestroy(half));
    }
    int without[] = {1};
    if (r.rank == 1) return;
    fine(ncclCommShrink(r.comm, without, 1, &rest, nullptr, NCCL_SHRINK_DEFAULT));
    const DeviceArray<int> data(std::vector<int>{1});
    fine(ncclAllReduce(data.data(), data.data(), 1, ncclInt32, ncclSum, rest, r.stream));
    ok(cudaStreamSynchronize(r.stream));
    expect(data.values() == std::vector<int>{3}, "three are left");
    fine(ncclCommDestroy(rest));
  });
}

TEST_CASE("a communicator that does not block is in progress until all have come, and is not used before") {
  ncclUniqueId id{};
  fine(ncclGetUniqueId(&id));
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  ok(cudaSetDevice(0));
  ncclComm_t comm = nullptr;
  CHECK(ncclCommInitRankConfig(&comm, 2, id, 0, &config) == ncclInProgress);
  const DeviceArray<int> data(std::vector<int>{5});
  CHECK(ncclAllReduce(data.data(), data.data(), 1, ncclInt32, ncclSum, comm, nullptr) == ncclInvalidArgument);
  std::thread other([&] {
    ncclComm_t theirs = nullptr;
    cudaSetDevice(1);
    if (ncclCommInitRank(&theirs, 2, id, 1) == ncclSuccess) ncclCommDestroy(theirs);
  });
  settle(comm);
  other.join();
  fine(ncclCommDestroy(comm));
  // Nobody else comes: only abort ends it.
  fine(ncclGetUniqueId(&id));
  CHECK(ncclCommInitRankConfig(&comm, 2, id, 0, &config) == ncclInProgress);
  fine(ncclCommAbort(comm));
}

TEST_CASE("calls that do not match become an asynchronous error, abort ends who waits") {
  among(2, [](Rank& r) {
    const DeviceArray<int> data(std::vector<int>(8, 1));
    fine(ncclAllReduce(data.data(), data.data(), r.rank == 0 ? 8 : 4, ncclInt32, ncclSum, r.comm, r.stream));
    ncclResult_t state = ncclSuccess;
    while (state == ncclSuccess) fine(ncclCommGetAsyncError(r.comm, &state));
    expect(state == ncclInvalidUsage, "not told of the mismatch");
    fine(ncclCommAbort(r.comm));
    ok(cudaStreamSynchronize(r.stream));
    fine(ncclCommInitAll(&r.comm, 1, &r.rank));  // something to destroy
  });
}

TEST_CASE("wrong arguments are refused in NCCL's words") {
  among(1, [](Rank& r) {
    const DeviceArray<int> data(std::vector<int>{1});
    int host = 0;
    const auto words = [] { return std::string(ncclGetLastError(nullptr)); };
    expect(ncclAllReduce(&host, data.data(), 1, ncclInt32, ncclSum, r.comm, r.stream) == ncclInvalidArgument, "host");
    expect(words().find("sendbuff is not a pointer") != std::string::npos, "its words");
    expect(ncclAllReduce(data.data(), data.data(), 1, ncclInt32, ncclSum, nullptr, r.stream) == ncclInvalidArgument,
           "no communicator");
    expect(words() == "AllReduce : comm argument is NULL", "its words");
    expect(ncclBroadcast(data.data(), data.data(), 1, ncclInt32, 7, r.comm, r.stream) == ncclInvalidArgument, "root");
    expect(ncclGroupEnd() == ncclInvalidUsage, "no group");
    ncclComm_t other = nullptr;
    ncclUniqueId id{};
    fine(ncclGetUniqueId(&id));
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.magic = 1;
    expect(ncclCommInitRankConfig(&other, 1, id, 0, &config) == ncclInvalidArgument, "no initializer");
    config = NCCL_CONFIG_INITIALIZER;
    config.size = 40;
    expect(ncclCommInitRankConfig(&other, 1, id, 0, &config) == ncclInvalidArgument, "another size");
  });
}

TEST_CASE("rank: an old version", "[.][old nccl]") {
  int version = 0;
  fine(ncclGetVersion(&version));
  CHECK(version == 20909);
  ncclComm_t comm = nullptr;
  ncclUniqueId id{};
  fine(ncclGetUniqueId(&id));
  CHECK(ncclCommInitRankConfig(&comm, 1, id, 0, nullptr) == ncclInvalidUsage);
  fine(ncclCommInitRank(&comm, 1, id, 0));
  const DeviceArray<float> data(std::vector<float>{1}), out(std::vector<float>{0});
  CHECK(ncclAllReduce(data.data(), data.data(), 1, ncclFloat32, ncclAvg, comm, nullptr) == ncclInvalidUsage);
  CHECK(ncclAllReduce(data.data(), data.data(), 1, ncclBfloat16, ncclSum, comm, nullptr) == ncclInvalidUsage);
  CHECK(ncclAlltoAll(data.data(), out.data(), 1, ncclFloat32, comm, nullptr) == ncclInvalidUsage);
  fine(ncclAllReduce(data.data(), out.data(), 1, ncclFloat32, ncclSum, comm, nullptr));
  ok(cudaDeviceSynchronize());
  CHECK(out.values() == std::vector<float>{1});
  fine(ncclCommDestroy(comm));
}

TEST_CASE("rank: one of two processes", "[.][nccl process]") {
  const char* path = std::getenv("NCCL_ID_FILE");
  const int rank = std::atoi(std::getenv("TUTTI_RANK"));
  ok(cudaSetDevice(rank));
  ncclUniqueId id{};
  if (rank == 0) {
    fine(ncclGetUniqueId(&id));
    const std::string there = std::string(path) + ".new";
    std::FILE* file = std::fopen(there.c_str(), "w");
    REQUIRE(file != nullptr);
    std::fwrite(&id, sizeof id, 1, file);
    std::fclose(file);
    std::rename(there.c_str(), path);
  } else {
    std::FILE* file = nullptr;
    while ((file = std::fopen(path, "r")) == nullptr) std::this_thread::yield();
    REQUIRE(std::fread(&id, sizeof id, 1, file) == 1);
    std::fclose(file);
  }
  ncclComm_t comm = nullptr;
  fine(ncclCommInitRank(&comm, 2, id, rank));
  const DeviceArray<double> data(std::vector<double>(30000, rank + 1));
  for (int turn = 0; turn < 3; ++turn) {
    fine(ncclAllReduce(data.data(), data.data(), 30000, ncclFloat64, ncclSum, comm, nullptr));
  }
  ok(cudaDeviceSynchronize());
  CHECK(data.values() == std::vector<double>(30000, 12));
  fine(ncclCommDestroy(comm));
}

TEST_CASE("an old version refuses what came later, and processes reduce as threads do") {
  const auto old = test::run_job(1, "[old nccl]", {{"EMULATED_NCCL_VERSION", "20909"}});
  INFO(old.text());
  CHECK(old.all_passed());
  char path[] = "/tmp/tutti-nccl-XXXXXX";
  const int file = mkstemp(path);
  REQUIRE(file >= 0);
  close(file);
  std::remove(path);
  const auto two = test::run_job(2, "[nccl process]", {{"NCCL_ID_FILE", path}});
  std::remove(path);
  INFO(two.text());
  CHECK(two.all_passed());
}
