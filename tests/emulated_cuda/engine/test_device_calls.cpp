/// @file  What calls on device memory do with streams, graphs, groups, splits and failures, whatever engine carries them out.
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
#include "tutti/tutti.hpp"

using namespace tutti;
using namespace tutti::emulated;
using namespace std::chrono_literals;

TEST_CASE("a call on the caller's stream is in order there, and may be dropped") {
  in_process(2, [](Communicator& comm) {
    const DeviceArray<float> data(own_values(comm));
    cudaStream_t stream = nullptr;
    ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int i = 0; i < 5; ++i) all_reduce(comm, on_device(data.data(), 100), sum, {.stream = Stream(stream)});
    ok(cudaStreamSynchronize(stream));
    if (!all_are(data, 3.F * 16)) throw std::runtime_error("not five sums");
    ok(cudaStreamDestroy(stream));
  });
}

TEST_CASE("a stream waits for a call that another stream carries out, without blocking the caller") {
  in_process(2, [](Communicator& comm) {
    const DeviceArray<float> data(own_values(comm)), copy(std::vector<float>(100, 0.F));
    cudaStream_t stream = nullptr;
    ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    Work work = all_reduce(comm, on_device(data.data(), 100), sum);
    work.before(Stream(stream));
    ok(cudaMemcpyAsync(copy.data(), data.data(), 100 * sizeof(float), cudaMemcpyDeviceToDevice, stream));
    ok(cudaStreamSynchronize(stream));
    if (!all_are(copy, 3)) throw std::runtime_error("copied too early");
    work.wait();
    ok(cudaStreamDestroy(stream));
  });
}

TEST_CASE("a captured call does nothing until the graph is launched, and then the same each time") {
  in_process(3, [](Communicator& comm) {
    const DeviceArray<float> data(own_values(comm));
    all_reduce(comm, on_device(data.data(), 100), maximum).wait();  // the engine starts before the capture
    ok(cudaMemcpy(data.data(), own_values(comm).data(), 100 * sizeof(float), cudaMemcpyHostToDevice));
    cudaStream_t stream = nullptr;
    ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    all_reduce(comm, on_device(data.data(), 100), sum, {.stream = Stream(stream)});
    cudaGraph_t graph = nullptr;
    ok(cudaStreamEndCapture(stream, &graph));
    if (!all_are(data, static_cast<float>(comm.rank() + 1))) throw std::runtime_error("it ran while captured");
    cudaGraphExec_t instance = nullptr;
    ok(cudaGraphInstantiate(&instance, graph, 0));
    float expected = 6;
    for (int turn = 0; turn < 4; ++turn, expected *= 3) {
      ok(cudaGraphLaunch(instance, stream));
      ok(cudaStreamSynchronize(stream));
      if (!all_are(data, expected)) throw std::runtime_error("a replay gave something else");
    }
    ok(cudaGraphExecDestroy(instance));
    ok(cudaGraphDestroy(graph));
    ok(cudaStreamDestroy(stream));
  });
}

TEST_CASE("ranks that all send first do not wait for one another in a group") {
  in_process(4, [](Communicator& comm) {
    const DeviceArray<float> mine(own_values(comm)), theirs(std::vector<float>(100, 0.F));
    const int right = (comm.rank() + 1) % 4, left = (comm.rank() + 3) % 4;
    Group group(comm);
    send(group, on_device(mine.data(), 100), right);
    recv(group, on_device(theirs.data(), 100), left);
    group.launch().wait();
    if (!all_are(theirs, static_cast<float>(left + 1))) throw std::runtime_error("not the left one's");
  });
}

TEST_CASE("split communicators have engines of their own, whether or not the whole one's were used before") {
  for (const bool before : {false, true}) {
    in_process(4, [before](Communicator& comm) {
      const DeviceArray<float> data(own_values(comm));
      if (before) all_reduce(comm, on_device(data.data(), 100), minimum).wait();
      ok(cudaMemcpy(data.data(), own_values(comm).data(), 100 * sizeof(float), cudaMemcpyHostToDevice));
      auto half = comm.split(comm.rank() % 2, -comm.rank());
      if (half->rank() != (comm.rank() < 2 ? 1 : 0)) throw std::runtime_error("not ordered by key");
      broadcast(*half, on_device(data.data(), 100), 0).wait();
      if (!all_are(data, comm.rank() % 2 == 0 ? 3.F : 4.F)) throw std::runtime_error("not the half's root's");
    });
  }
}

TEST_CASE("a stream for host memory is refused") {
  in_process(1, [](Communicator& comm) {
    std::vector<float> data(4);
    CHECK_THROWS_WITH(all_reduce(comm, on_host(data), sum, {.stream = Stream()}), Catch::Contains("stream"));
    CHECK_THROWS_WITH(all_reduce(comm, on_host(data), sum).before(Stream()), Catch::Contains("no place in a stream"));
  });
}

TEST_CASE(
    "a rank that stays away ends the others' call at its deadline, and what it left on the device is taken down") {
  const auto begun = std::chrono::steady_clock::now();
  const auto errors = test::errors_of(3, [](Communicator& comm) {
    const DeviceArray<float> data(own_values(comm));
    all_reduce(comm, on_device(data.data(), 100), sum).wait();
    if (comm.rank() == 2) {
      std::this_thread::sleep_for(1500ms);
      return;
    }
    all_reduce(comm, on_device(data.data(), 100), sum, {.timeout = 300ms}).wait();
  });
  CHECK(std::chrono::steady_clock::now() - begun < 30s);
  for (const int rank : {0, 1}) {
    REQUIRE(errors[static_cast<std::size_t>(rank)]);
    const Error& error = *errors[static_cast<std::size_t>(rank)];
    CHECK((error.code() == Code::timeout || error.code() == Code::aborted));
    CHECK(says(error, "float32 on "));
  }
}

TEST_CASE("abort ends calls on a device on all ranks") {
  const auto errors = test::errors_of(2, [](Communicator& comm) {
    const DeviceArray<float> data(own_values(comm));
    all_reduce(comm, on_device(data.data(), 100), sum).wait();
    if (comm.rank() == 1) {
      std::this_thread::sleep_for(50ms);
      comm.abort();
      comm.abort();
      return;
    }
    all_reduce(comm, on_device(data.data(), 100), sum).wait();
  });
  REQUIRE(errors[0]);
  CHECK(errors[0]->code() == Code::aborted);
}

TEST_CASE("a lost device ends the call on all ranks, in CUDA's words where it was lost", "[.][device lost]") {
  const auto errors = test::errors_of(2, [](Communicator& comm) {
    const DeviceArray<float> data(own_values(comm));
    all_reduce(comm, on_device(data.data(), 100), sum).wait();
    if (comm.rank() == 1) lose_device(1, cudaErrorECCUncorrectable);
    all_reduce(comm, on_device(data.data(), 100), sum).wait();
  });
  REQUIRE(errors[0]);
  REQUIRE(errors[1]);
  CHECK(says(*errors[1], "uncorrectable ECC error"));
}

TEST_CASE("rank: one of three dies in the middle", "[.][dies]") {
  Communicator comm(from_environment(), {.timeout = 60s});
  const DeviceArray<float> data(own_values(comm));
  all_reduce(comm, on_device(data.data(), 100), sum).wait();
  if (comm.rank() == 1) _exit(0);
  try {
    all_reduce(comm, on_device(data.data(), 100), sum).wait();
    FAIL("it came through");
  } catch (const Error& error) {
    CHECK((error.code() == Code::peer_lost || error.code() == Code::aborted));
  }
}

TEST_CASE("failures that need a process of their own") {
  const auto lost = test::run_job(1, "[device lost]");
  INFO(lost.text());
  CHECK(lost.all_passed());
  const auto dies = test::run_job(3, "[dies]");
  INFO(dies.text());
  CHECK(dies.all_passed());
}
