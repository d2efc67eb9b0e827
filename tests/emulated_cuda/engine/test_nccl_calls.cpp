/// @file  What NCCL cannot, its settings, and its own ways to fail and to shrink.
#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "emulated_cuda/checks.hpp"
#include "emulated_cuda/engine/device_values.hpp"
#include "face/helpers.hpp"
#include "processes.hpp"
#include "run/nccl/nccl_communicator.hpp"
#include "tutti/tutti.hpp"

using namespace tutti;
using namespace tutti::emulated;
using namespace std::chrono_literals;

TEST_CASE("what NCCL cannot is refused with the reason, and harms nothing") {
  in_process(1, [](Communicator& comm) {
    const DeviceArray<int> data(std::vector<int>(8, 1));
    const auto span = on_device(data.data(), 8);
    CHECK_THROWS_WITH(all_reduce(comm, span, bitwise_xor), Catch::Contains("no bitwise operators"));
    CHECK_THROWS_WITH(all_reduce(comm, span, sum, {.deterministic = true}), Catch::Contains("deterministic"));
    CHECK_THROWS_WITH(all_reduce(comm, span, sum, {.algorithm = Algorithm::ring}),
                      Catch::Contains("whole communicator"));
    CHECK_THROWS_WITH(all_reduce(comm, span, sum, {.backend = Backend::host}), Catch::Contains("device memory"));
    CHECK_THROWS_WITH(all_reduce(comm, span, premultiplied_sum(0.5)), Catch::Contains("no integer"));
    all_reduce(comm, span, sum).wait();
    CHECK(data.values() == std::vector<int>(8, 1));
  });
}

TEST_CASE("calls that do not belong together are told") {
  const auto errors = test::errors_of(2, [](Communicator& comm) {
    const DeviceArray<float> data(own_values(comm));
    all_reduce(comm, on_device(data.data(), comm.rank() == 0 ? 100 : 60), sum).wait();
  });
  int mismatches = 0;
  for (const auto& error : errors) {
    REQUIRE(error);
    mismatches += error->code() == Code::mismatch ? 1 : 0;
  }
  CHECK(mismatches >= 1);
}

TEST_CASE("settings that NCCL of this version has reach it, others are refused with the version that brought them") {
  in_process(
      2,
      [](Communicator& comm) {
        const DeviceArray<float> data(own_values(comm));
        all_reduce(comm, on_device(data.data(), 100), sum).wait();
      },
      {.nccl = {.min_ctas = 2, .max_ctas = 8, .traffic_class = 106, .algorithms = "Ring", .protocols = "Simple"}});
  const auto errors = test::errors_of(2,
                                      [](Communicator& comm) {
                                        const DeviceArray<float> data(own_values(comm));
                                        all_reduce(comm, on_device(data.data(), 100), sum).wait();
                                      },
                                      {.nccl = {.max_ctas = 100}});
  REQUIRE(errors[0]);
  CHECK(says(*errors[0], "NcclSettings::max_ctas is 100"));
}

TEST_CASE("a communicator shrinks without a rank, also after its work was given up") {
  const nccl::Library& library = nccl::library();
  REQUIRE(library.can_shrink());
  in_process(3, [&](Communicator& comm) {
    const auto deadline = std::chrono::steady_clock::now() + 30s;
    World world = comm.world();
    world.store = prefixed(world.store, "shrink/");
    nccl::NcclCommunicator whole(library, world, comm.rank(), {}, deadline, {});
    if (comm.rank() == 1) return;
    const int without[] = {1};
    const auto rest = whole.shrink(without, true, {}, deadline);
    int count = 0;
    library.check(library.calls.CommCount(rest->handle(), &count), "ncclCommCount");
    if (count != 2) throw std::runtime_error("not two ranks");
    whole.abort();
  });
}
