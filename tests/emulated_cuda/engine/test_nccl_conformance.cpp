/// @file  The conformance suite on the nccl engine, over emulated devices and an emulated NCCL.
#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <mutex>

#include "conformance/seed.hpp"
#include "emulated_cuda/checks.hpp"
#include "emulated_cuda/engine/device_case.hpp"
#include "processes.hpp"
#include "tutti/in_process.hpp"

using namespace tutti;
using namespace tutti::emulated;
using namespace tutti::conformance;

namespace {

std::vector<Case> cases_here() {
  const auto cases = cases_for_nccl(1, 8, seed_of_run(), instrumented() ? 80 : 10);
  std::cout << fmt::format("{} cases, seed {}\n", cases.size(), seed_of_run());
  return cases;
}

Failures run_among_threads(const std::vector<Case>& cases) {
  Failures failures;
  std::mutex mutex;
  for (int ranks = 1; ranks <= 8; ++ranks) {
    in_process(ranks, [&](Communicator& comm) {
      const Failures here = run_all_on_device(comm, cases, seed_of_run(), Backend::nccl);
      const std::lock_guard lock(mutex);
      failures.insert(failures.end(), here.begin(), here.end());
    });
  }
  return failures;
}

}  // namespace

TEST_CASE("threads with a device each give and get through NCCL what is defined", "[nccl threads]") {
  REQUIRE(is_emulated());
  const Failures failures = run_among_threads(cases_here());
  INFO(fmt::format("{}", fmt::join(failures, "\n")));
  CHECK(failures.empty());
}

TEST_CASE("a rank of a job with a device", "[.][device rank]") {
  REQUIRE(is_emulated());
  Communicator comm(from_environment());
  const Failures failures = run_all_on_device(comm, cases_for_nccl(comm.size(), comm.size(), 7, 12), 7, Backend::nccl);
  INFO(fmt::format("{}", fmt::join(failures, "\n")));
  CHECK(failures.empty());
}

TEST_CASE("processes with a device each give and get through NCCL what is defined") {
  for (const int ranks : {2, 5}) {
    const test::JobEnd end = test::run_job(ranks, "[device rank]");
    INFO(end.text());
    CHECK(end.all_passed());
  }
}

TEST_CASE("an NCCL before 2.28, without all-to-all, gather and scatter of its own, gives the same") {
  for (const char* version : {"22400", "22707"}) {
    const test::JobEnd end = test::run_job(3, "[device rank]", {{"EMULATED_NCCL_VERSION", version}});
    INFO(version << end.text());
    CHECK(end.all_passed());
  }
}

TEST_CASE("an NCCL that takes its time to take calls in gives the same") {
  const test::JobEnd end = test::run_job(2, "[device rank]", {{"EMULATED_NCCL_SLOW_MS", "3"}});
  INFO(end.text());
  CHECK(end.all_passed());
}
