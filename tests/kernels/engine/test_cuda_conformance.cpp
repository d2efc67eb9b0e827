/// @file  The conformance suite on the engine cuda: tutti's kernels, launched by communicators over emulated devices.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <mutex>

#include "conformance/seed.hpp"
#include "emulated_cuda/checks.hpp"
#include "emulated_cuda/engine/device_case.hpp"
#include "kernels/engine/small_settings.hpp"
#include "processes.hpp"
#include "tutti/in_process.hpp"

using namespace tutti;
using namespace tutti::emulated;
using namespace tutti::conformance;

TEST_CASE("threads with a device each give and get through tutti's kernels what is defined", "[cuda threads]") {
  REQUIRE(is_emulated());
  const auto cases = cases_for_kernels(1, 8, seed_of_run(), instrumented() ? 80 : 8);
  std::cout << fmt::format("{} cases, seed {}\n", cases.size(), seed_of_run());
  Failures failures;
  std::mutex mutex;
  for (int ranks = 1; ranks <= 8; ++ranks) {
    in_process(
        ranks,
        [&](Communicator& comm) {
          const Failures here = run_all_on_device(comm, cases, seed_of_run(), Backend::cuda);
          const std::lock_guard lock(mutex);
          failures.insert(failures.end(), here.begin(), here.end());
        },
        small_settings());
  }
  INFO(fmt::format("{}", fmt::join(failures, "\n")));
  CHECK(failures.empty());
}

TEST_CASE("a rank of a job with a device and tutti's kernels", "[.][cuda rank]") {
  REQUIRE(is_emulated());
  Communicator comm(from_environment(), small_settings());
  const Failures failures =
      run_all_on_device(comm, cases_for_kernels(comm.size(), comm.size(), 7, 12), 7, Backend::cuda);
  INFO(fmt::format("{}", fmt::join(failures, "\n")));
  CHECK(failures.empty());
}

TEST_CASE("processes with a device each give and get through tutti's kernels what is defined") {
  for (const int ranks : {2, 5}) {
    const test::JobEnd end = test::run_job(ranks, "[cuda rank]");
    INFO(end.text());
    CHECK(end.all_passed());
  }
}
