/// @file  NCCL as it is found: its header beside our declarations, what is missing, and what a machine without GPUs says.
#include <nccl.h>

#include <cstddef>
#include <cstdio>
#include <string>

#include "emulated_cuda/checks.hpp"
#include "processes.hpp"
#include "run/nccl/nccl_config.hpp"
#include "run/nccl/nccl_library.hpp"
#include "tutti/tutti.hpp"

using namespace tutti;

// Our declarations are those of the header that is here.
static_assert(sizeof(nccl::UniqueId) == sizeof(ncclUniqueId));
static_assert(static_cast<int>(nccl::type_float8_e5m2) == ncclFloat8e5m2 &&
              static_cast<int>(nccl::type_bfloat16) == ncclBfloat16);
static_assert(static_cast<int>(nccl::type_uint64) == ncclUint64 && static_cast<int>(nccl::type_float64) == ncclFloat64);
static_assert(static_cast<int>(nccl::op_average) == ncclAvg && static_cast<int>(nccl::op_minimum) == ncclMin);
static_assert(static_cast<int>(nccl::op_maximum) == ncclMax && static_cast<int>(nccl::op_product) == ncclProd);
static_assert(static_cast<int>(nccl::in_progress) == ncclInProgress &&
              static_cast<int>(nccl::remote_error) == ncclRemoteError);
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 28, 0) && NCCL_VERSION_CODE < NCCL_VERSION(2, 29, 0)
static_assert(sizeof(nccl::Config) == sizeof(ncclConfig_t));
static_assert(offsetof(nccl::Config, traffic_class) == offsetof(ncclConfig_t, trafficClass));
static_assert(offsetof(nccl::Config, nvlink_centric) == offsetof(ncclConfig_t, nvlinkCentricSched));
static_assert(offsetof(nccl::Config, cta_policy) == offsetof(ncclConfig_t, CTAPolicy));
#endif

TEST_CASE("a configuration has the size that its version has, and says which") {
  CHECK(nccl::config_for({}, 21400).size == 24);
  CHECK(nccl::config_for({}, 21703).size == 40);
  CHECK(nccl::config_for({}, 22105).size == 48);
  CHECK(nccl::config_for({}, 22707).size == 72);
  CHECK(nccl::config_for({}, 22809).size == 80);
  const nccl::Config newest = nccl::config_for({}, 23107);
  CHECK(newest.size == 80);
  CHECK(newest.version == 22800);
  CHECK_THROWS_WITH(nccl::config_for({.traffic_class = 5}, 21903), Catch::Contains("2.26 brought it"));
  CHECK_THROWS_WITH(nccl::config_for({.min_ctas = 9, .max_ctas = 8}, 22809), Catch::Contains("min_ctas"));
  CHECK(nccl::version_text(20909) == "2.9.9");
  CHECK(nccl::version_text(2804) == "2.8.4");
}

TEST_CASE("an NCCL that is not there, or is none, is said with what to do") {
  CHECK(nccl::library("libnone-such.so").trouble.find("there is no NCCL") != std::string::npos);
  CHECK(nccl::library("libcudart.so.13").trouble.find("is no NCCL of version 2.9.9") != std::string::npos);
  CHECK(nccl::library().trouble.empty());
}

TEST_CASE("rank: what a call on a device says where there is none", "[.][no device]") {
  Communicator comm(alone());
  float fake = 0;  // never looked at
  try {
    all_reduce(comm, on_device(&fake, 1), sum).wait();
    FAIL("there is a device");
  } catch (const Error& error) {
    std::puts(error.what());
    CHECK(error.code() == Code::unsupported);
  }
}

TEST_CASE("a machine without a driver, a device or a new enough NCCL says so in one line") {
  struct Way {
    test::Variables variables;
    const char* words;
  };
  for (const Way& way : {Way{{{"EMULATED_CUDA_DRIVER_VERSION", "0"}}, "no NVIDIA driver"},
                         Way{{{"EMULATED_CUDA_DEVICES", "0"}}, "no device is visible"},
                         Way{{{"EMULATED_NCCL_VERSION", "2804"}}, "NCCL 2.8.4 is too old"}}) {
    const auto end = test::run_job(1, "[no device]", way.variables);
    INFO(way.words << "\n" << end.text());
    CHECK(end.all_passed());
    CHECK(end.text().find(way.words) != std::string::npos);
  }
}
