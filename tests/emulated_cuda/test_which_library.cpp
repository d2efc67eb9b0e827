/// @file  Which library a test program has got, and what it says of its devices.
#include <cstdlib>
#include <cstring>
#include <string>

#include "emulated_cuda/checks.hpp"
#include "processes.hpp"

using namespace tutti;
using namespace tutti::emulated;

TEST_CASE("the program has the emulated runtime, and its devices say so") {
  REQUIRE(is_emulated());
  int count = 0;
  ok(cudaGetDeviceCount(&count));
  CHECK(count == 8);
  cudaDeviceProp facts{};
  ok(cudaGetDeviceProperties(&facts, 3));
  CHECK(std::string(facts.name) == "tutti virtual GPU 3");
  CHECK(facts.cooperativeLaunch == 1);
}

TEST_CASE("a rank that sees no driver", "[.][no driver]") {
  int count = 77;
  CHECK(cudaGetDeviceCount(&count) == cudaErrorInsufficientDriver);
  CHECK(count == 77);
  void* memory = nullptr;
  CHECK(cudaMalloc(&memory, 8) == cudaErrorInsufficientDriver);
}

TEST_CASE("a rank that sees two devices of four", "[.][visible]") {
  int count = 0;
  ok(cudaGetDeviceCount(&count));
  CHECK(count == 2);
  cudaDeviceProp facts{};
  ok(cudaGetDeviceProperties(&facts, 0));
  CHECK(std::string(facts.name) == "tutti virtual GPU 2");
}

TEST_CASE("a driver that is not there, and devices that are not visible, are as a real library tells them") {
  const auto none = test::run_job(1, "[no driver]", {{"EMULATED_CUDA_DRIVER_VERSION", "0"}});
  INFO(none.text());
  CHECK(none.all_passed());
  const auto two = test::run_job(1, "[visible]", {{"EMULATED_CUDA_DEVICES", "4"}, {"CUDA_VISIBLE_DEVICES", "2,3"}});
  INFO(two.text());
  CHECK(two.all_passed());
}

TEST_CASE("devices are found by their bus, and have the attributes that are asked for") {
  char bus[32];
  ok(cudaDeviceGetPCIBusId(bus, sizeof bus, 5));
  int number = -1;
  ok(cudaDeviceGetByPCIBusId(&number, bus));
  CHECK(number == 5);
  int value = 0;
  ok(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
  CHECK(value == 4);
  ok(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 0));
  CHECK(value == 9);
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 8) == cudaErrorInvalidDevice);
  CHECK(cudaSetDevice(8) == cudaErrorInvalidDevice);
  CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
  CHECK(cudaGetLastError() == cudaSuccess);
}
