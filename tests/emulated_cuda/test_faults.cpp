/// @file  What a test can make go wrong, and how it then looks to the program.
#include <vector>

#include "emulated_cuda/checks.hpp"
#include "processes.hpp"

using namespace tutti;
using namespace tutti::emulated;

TEST_CASE("the call that a test names fails once, on the device it names") {
  void* memory = nullptr;
  fail("cudaMalloc", 1, 2, cudaErrorMemoryAllocation);
  ok(cudaSetDevice(1));
  ok(cudaMalloc(&memory, 8));
  ok(cudaFree(memory));
  CHECK(cudaMalloc(&memory, 8) == cudaErrorMemoryAllocation);
  CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
  ok(cudaMalloc(&memory, 8));
  ok(cudaFree(memory));
  ok(cudaSetDevice(0));
}

TEST_CASE("rank: a kernel fails, then a device is lost", "[.][lost]") {
  const DeviceArray<int> array(std::vector<int>{1});
  int* data = array.data();
  int count = 1;
  void* parameters[] = {&data, &count};
  const void* stub = stub_for("_ZN5tutti8emulated7samples7add_oneEPii");
  fail("kernel", 0, 2, cudaErrorIllegalAddress);
  ok(cudaLaunchKernel(stub, {1}, {32}, parameters, 0, nullptr));
  ok(cudaDeviceSynchronize());
  ok(cudaLaunchKernel(stub, {1}, {32}, parameters, 0, nullptr));  // the failure comes later
  CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  ok(cudaSetDevice(1));
  ok(cudaDeviceSynchronize());
  lose_device(1, cudaErrorECCUncorrectable);
  CHECK(cudaDeviceSynchronize() == cudaErrorECCUncorrectable);
}

TEST_CASE("a failure of a kernel and the loss of a device are sticky") {
  const auto end = test::run_job(1, "[lost]");
  INFO(end.text());
  CHECK(end.all_passed());
}

TEST_CASE("rank: faults from outside", "[.][outside]") {
  int can = 1;
  ok(cudaDeviceCanAccessPeer(&can, 0, 1));
  CHECK(can == 0);
  CHECK(cudaDeviceEnablePeerAccess(1, 0) == cudaErrorPeerAccessUnsupported);
  ok(cudaDeviceCanAccessPeer(&can, 0, 2));
  CHECK(can == 1);
  ok(cudaDeviceEnablePeerAccess(2, 0));
  CHECK(cudaDeviceEnablePeerAccess(2, 0) == cudaErrorPeerAccessAlreadyEnabled);
  void* memory = nullptr;
  ok(cudaMallocHost(&memory, 8));
  CHECK(cudaMallocHost(&memory, 8) == cudaErrorMemoryAllocation);
}

TEST_CASE("pairs without peer access and calls that fail are given by variables") {
  const auto end = test::run_job(
      1, "[outside]", {{"EMULATED_CUDA_NO_PEER", "0-1,3-4"}, {"EMULATED_CUDA_FAIL", "cudaMallocHost@0:2=2"}});
  INFO(end.text());
  CHECK(end.all_passed());
}
