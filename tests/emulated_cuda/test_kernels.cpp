/// @file  Kernels on emulated devices: threads, warps, blocks and grids do what CUDA's do.
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "emulated_cuda/checks.hpp"
#include "emulated_cuda/sample_kernels.hpp"
#include "processes.hpp"

using namespace tutti;
using namespace tutti::emulated;
using samples::Exchange;
using samples::Flaw;

namespace {

const std::string prefix = "_ZN5tutti8emulated7samples";

cudaError_t launch(const char* name, dim3 grid, dim3 block, std::vector<void*> parameters, std::size_t dynamic = 0) {
  return cudaLaunchKernel(stub_for(prefix + name), grid, block, parameters.data(), dynamic, nullptr);
}

/// Devices 0 and 1 exchange; how many elements and sums were wrong.
int exchange(int blocks, int threads, int count, int turns, Flaw flaw) {
  struct Side {
    std::vector<float> values;
    std::unique_ptr<DeviceArray<float>> mine, out, inbox, sums;
    std::unique_ptr<DeviceArray<unsigned>> flags;
  };
  Side sides[2];
  const auto n = static_cast<std::size_t>(count), b = static_cast<std::size_t>(blocks);
  for (int d = 0; d < 2; ++d) {
    ok(cudaSetDevice(d));
    Side& side = sides[d];
    for (std::size_t i = 0; i < n; ++i)
      side.values.push_back(static_cast<float>(i % 13 + 10 * static_cast<std::size_t>(d)));
    side.mine = std::make_unique<DeviceArray<float>>(side.values);
    side.out = std::make_unique<DeviceArray<float>>(n);
    side.inbox = std::make_unique<DeviceArray<float>>(n);
    side.sums = std::make_unique<DeviceArray<float>>(b);
    side.flags = std::make_unique<DeviceArray<unsigned>>(std::vector<unsigned>(b, 0));
  }
  int wrong = 0;
  for (int turn = 1; turn <= turns; ++turn) {
    for (int d = 0; d < 2; ++d) {
      ok(cudaSetDevice(d));
      Exchange e{sides[d].mine->data(),       sides[d].out->data(),
                 sides[1 - d].inbox->data(),  sides[d].inbox->data(),
                 sides[1 - d].flags->data(),  sides[d].flags->data(),
                 static_cast<unsigned>(turn), count,
                 sides[d].sums->data(),       flaw};
      ok(launch("8exchangeENS1_8ExchangeE", dim3(static_cast<unsigned>(blocks)), dim3(static_cast<unsigned>(threads)),
                {&e}));
    }
    for (int d = 0; d < 2; ++d) {
      ok(cudaSetDevice(d));
      ok(cudaDeviceSynchronize());
      const std::vector<float> out = sides[d].out->values(), sums = sides[d].sums->values();
      float total = 0, expected = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const float right = sides[0].values[i] + sides[1].values[i];
        wrong += out[i] == right ? 0 : 1;
        expected += right;
      }
      for (const float sum : sums) total += sum;
      wrong += total == expected ? 0 : 1;
    }
  }
  ok(cudaSetDevice(0));
  return wrong;
}

}  // namespace

TEST_CASE("two devices exchange through flags in each other's memory", "[exchange]") {
  CHECK(exchange(2, 64, 2000, 10, Flaw::none) == 0);
#if !defined(__SANITIZE_THREAD__)  // a fibre costs ThreadSanitizer some milliseconds when it is made
  CHECK(exchange(4, 256, 30000, 3, Flaw::none) == 0);
#endif
}

TEST_CASE("an exchange with a flaw", "[.][flaw]") {
  const char* which = std::getenv("EXCHANGE_FLAW");
  exchange(2, 64, 2000, 3, static_cast<Flaw>(which != nullptr ? std::atoi(which) : 0));
}

#if defined(__SANITIZE_THREAD__)
TEST_CASE("ThreadSanitizer sees CUDA threads, and finds each flaw of an exchange") {
  for (int flaw = 0; flaw <= 4; ++flaw) {
    const auto end = test::run_job(
        1, "[flaw]", {{"EXCHANGE_FLAW", std::to_string(flaw)}, {"TSAN_OPTIONS", "exitcode=66 halt_on_error=1"}});
    INFO("flaw " << flaw << ": " << end.text());
    CHECK((end.text().find("data race") != std::string::npos) == (flaw != 0));
    CHECK(end.all_passed() == (flaw == 0));
  }
}
#endif

TEST_CASE("warps vote and shuffle") {
  const DeviceArray<unsigned> out(64);
  unsigned* data = out.data();
  ok(launch("5votesEPj", {1}, {64}, {&data}));
  ok(cudaDeviceSynchronize());
  CHECK(out.values() == std::vector<unsigned>(64, 1));
}

TEST_CASE("dynamic shared memory is there, as much as was allowed") {
  const DeviceArray<int> out(64);
  int* data = out.data();
  ok(launch("8reversedEPi", {1}, {64}, {&data}, 64 * sizeof(int)));
  std::vector<int> expected(64);
  for (int i = 0; i < 64; ++i) expected[static_cast<std::size_t>(i)] = 3 * (63 - i);
  CHECK(out.values() == expected);
  CHECK(launch("8reversedEPi", {1}, {64}, {&data}, 100 << 10) == cudaErrorInvalidValue);
  ok(cudaFuncSetAttribute(stub_for(prefix + "8reversedEPi"), cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10));
  ok(launch("8reversedEPi", {1}, {64}, {&data}, 100 << 10));
  ok(cudaDeviceSynchronize());
  cudaGetLastError();
}

TEST_CASE("a cooperative grid has a barrier, and is refused when it is not resident as a whole") {
  const DeviceArray<int> parts(4), sums(4);
  int *p = parts.data(), *s = sums.data();
  void* parameters[] = {&p, &s};
  const void* stub = stub_for(prefix + "8grid_sumEPiS2_");
  int per_multiprocessor = 0;
  ok(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, stub, 32, 0));
  CHECK(per_multiprocessor == 1);
  ok(cudaLaunchCooperativeKernel(stub, {4}, {32}, parameters, 0, nullptr));
  CHECK(sums.values() == std::vector<int>(4, 10));
  CHECK(cudaLaunchCooperativeKernel(stub, {5}, {32}, parameters, 0, nullptr) == cudaErrorCooperativeLaunchTooLarge);
  CHECK(cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge);
}

TEST_CASE("a launch that cannot be is refused at the call") {
  const DeviceArray<int> array(1);
  int* data = array.data();
  CHECK(launch("8reversedEPi", {1}, {2048}, {&data}) == cudaErrorInvalidConfiguration);
  CHECK(launch("8reversedEPi", {0}, {32}, {&data}) == cudaErrorInvalidConfiguration);
  CHECK(launch("7missingEPi", {1}, {32}, {&data}) == cudaErrorNoKernelImageForDevice);
  const int nobody = 0;
  void* parameters[] = {&data};
  CHECK(cudaLaunchKernel(&nobody, {1}, {32}, parameters, 0, nullptr) == cudaErrorInvalidDeviceFunction);
  cudaGetLastError();
}

TEST_CASE("rank: a divergent barrier", "[.][divergent]") {
  const DeviceArray<int> array(1);
  int* data = array.data();
  ok(launch("9divergentEPi", {1}, {32}, {&data}));
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
  CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
  CHECK(cudaGetLastError() == cudaErrorLaunchFailure);  // sticky
  void* memory = nullptr;
  CHECK(cudaMalloc(&memory, 8) == cudaErrorLaunchFailure);
  ok(cudaSetDevice(1));
  ok(cudaMalloc(&memory, 8));  // another device is well
}

TEST_CASE("rank: blocks that wait for blocks that are not resident", "[.][not resident]") {
  const DeviceArray<unsigned> counter(std::vector<unsigned>{0});
  unsigned* data = counter.data();
  unsigned expected = 5;
  ok(launch("10all_arriveEPjj", {5}, {32}, {&data, &expected}));
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
}

TEST_CASE("rank: a trap", "[.][trap]") {
  const DeviceArray<int> array(1);
  int* data = array.data();
  ok(launch("18trap_in_one_threadEPi", {2}, {32}, {&data}));
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
}

TEST_CASE("a kernel that hangs or fails ends with a sticky error, and standard error says who waits where") {
  const auto divergent = test::run_job(1, "[divergent]");
  INFO(divergent.text());
  CHECK(divergent.all_passed());
  CHECK(divergent.text().find("DEADLOCK") != std::string::npos);
  CHECK(divergent.text().find("16 at __syncthreads, 16 at a warp's barrier") != std::string::npos);
  const auto missing = test::run_job(1, "[not resident]", {{"EMULATED_CUDA_TIMEOUT_MS", "300"}});
  INFO(missing.text());
  CHECK(missing.all_passed());
  CHECK(missing.text().find("TIMEOUT") != std::string::npos);
  const auto trap = test::run_job(1, "[trap]");
  INFO(trap.text());
  CHECK(trap.all_passed());
}

TEST_CASE("the order of threads is shuffled by a seed, and nothing changes") {
  const auto end = test::run_job(1, "[exchange]", {{"EMULATED_CUDA_SEED", "5"}, {"EMULATED_CUDA_JITTER_US", "200"}});
  INFO(end.text());
  CHECK(end.all_passed());
}
