/// @file  Where tutti's kernels meet limits: too many calls at once, devices that cannot reach one another, CUDA's variables.
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "emulated_cuda/engine/device_values.hpp"
#include "face/helpers.hpp"
#include "kernels/engine/small_settings.hpp"
#include "processes.hpp"
#include "tutti/tutti.hpp"

using namespace tutti;
using namespace tutti::emulated;

namespace {

constexpr Options on_kernels{.backend = Backend::cuda};

/// A sum that names no engine is right, by NCCL; one that names the kernels is refused, and says why.
void expect_nccl_because(Communicator& comm, const std::string& why) {
  const DeviceArray<float> data(own_values(comm));
  all_reduce(comm, on_device(data.data(), 100), sum).wait();
  const int ranks = comm.size();
  if (!all_are(data, static_cast<float>(ranks * (ranks + 1) / 2))) throw std::runtime_error("not the sum");
  try {
    all_reduce(comm, on_device(data.data(), 100), sum, on_kernels).wait();
  } catch (const Error& error) {
    if (error.code() == Code::unsupported && says(error, why)) return;
    throw;
  }
  throw std::runtime_error("the kernels were used");
}

}  // namespace

TEST_CASE("whoever puts more calls into a stream than can be in progress waits for room, and all are carried out") {
  in_process(
      1,
      [](Communicator& comm) {
        ok(cudaSetDevice(0));
        const DeviceArray<std::int32_t> one(std::vector<std::int32_t>(1, 1));
        const auto turned = [&](cudaStream_t stream) {
          all_reduce(comm, on_device(one.data(), 1), premultiplied_sum(-1.0),
                     {.backend = Backend::cuda, .stream = Stream(stream)});
        };
        cudaStream_t stream = nullptr;
        ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        turned(stream);
        const auto rest = [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(300)); };
        ok(cudaLaunchHostFunc(stream, rest, nullptr));
        for (int i = 0; i < 1100; ++i) turned(stream);
        ok(cudaStreamSynchronize(stream));
        if (one.values() != std::vector<std::int32_t>(1, -1)) throw std::runtime_error("not an odd number of calls");
        ok(cudaStreamDestroy(stream));
      },
      small_settings());
}

TEST_CASE("uneven collectives that are in progress together each have their own counts") {
  in_process(
      3,
      [](Communicator& comm) {
        ok(cudaSetDevice(comm.rank()));
        constexpr std::size_t calls = 6;
        std::vector<std::vector<std::size_t>> counts;
        std::vector<std::unique_ptr<DeviceArray<int>>> in, out;
        std::vector<Work> works;
        for (std::size_t call = 0; call < calls; ++call) {
          counts.push_back({call + 1, 2 * call, 7 - call});
          const std::size_t mine = counts.back()[static_cast<std::size_t>(comm.rank())];
          in.push_back(std::make_unique<DeviceArray<int>>(std::vector<int>(mine + 1, 10 * comm.rank() + 1)));
          out.push_back(std::make_unique<DeviceArray<int>>(std::vector<int>(8 + 2 * call, -1)));
          const auto to = on_device(out.back()->data(), 8 + 2 * call);
          const auto from = on_device(std::as_const(*in.back()).data(), mine);
          works.push_back(all_gather_v(comm, from, to, counts.back(), on_kernels));
        }
        while (!works.empty()) {
          works.back().wait();
          works.pop_back();
        }
        for (std::size_t call = 0; call < calls; ++call) {
          std::vector<int> right;
          for (int rank = 0; rank < 3; ++rank) {
            right.insert(right.end(), counts[call][static_cast<std::size_t>(rank)], 10 * rank + 1);
          }
          if (out[call]->values() != right) throw std::runtime_error("not what the counts say");
        }
      },
      small_settings());
}

TEST_CASE("an engine's first call is not captured, which is said, and the next one goes through") {
  in_process(
      2,
      [](Communicator& comm) {
        const DeviceArray<float> data(own_values(comm));
        cudaStream_t stream = nullptr;
        ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        bool said = false;
        try {
          all_reduce(comm, on_device(data.data(), 100), sum, {.backend = Backend::cuda, .stream = Stream(stream)});
        } catch (const Error& error) {
          said = error.code() == Code::unsupported && says(error, "before the capture");
        }
        cudaGraph_t graph = nullptr;
        ok(cudaStreamEndCapture(stream, &graph));
        ok(cudaGraphDestroy(graph));
        ok(cudaStreamDestroy(stream));
        if (!said) throw std::runtime_error("it was captured");
        all_reduce(comm, on_device(data.data(), 100), sum, on_kernels).wait();
        if (!all_are(data, 3)) throw std::runtime_error("not the sum");
      },
      small_settings());
}

TEST_CASE("ranks of one process without peer access", "[.][no peer threads]") {
  in_process(
      3, [](Communicator& comm) { expect_nccl_because(comm, "there is no peer access"); }, small_settings());
  for (int device = 0; device < 3; ++device) CHECK(bytes_in_use(device) == 0);
}

TEST_CASE("rank: processes without peer access", "[.][no peer]") {
  {
    Communicator comm(from_environment(), small_settings());
    expect_nccl_because(comm, "cannot reach the memory of rank");
  }
}

TEST_CASE("devices that cannot reach one another have NCCL, and all ranks give the same reason") {
  const test::Variables apart{{"EMULATED_CUDA_NO_PEER", "0-1"}};
  const auto threads = test::run_job(1, "[no peer threads]", apart);
  INFO(threads.text());
  CHECK(threads.all_passed());
  const auto processes = test::run_job(3, "[no peer]", apart);
  INFO(processes.text());
  CHECK(processes.all_passed());
}

TEST_CASE("ranks whose launches wait for their ends", "[.][blocking]") {
  in_process(
      2, [](Communicator& comm) { expect_nccl_because(comm, "CUDA_LAUNCH_BLOCKING is set"); }, small_settings());
}

TEST_CASE("ranks with one connection to their device", "[.][one connection]") {
  const auto errors = test::errors_of(
      2,
      [](Communicator& comm) {
        const DeviceArray<float> mine(own_values(comm)), theirs(own_values(comm));
        all_reduce(comm, on_device(mine.data(), 100), sum, on_kernels).wait();
        Group group(comm);
        send(group, on_device(mine.data(), 100), 1 - comm.rank(), on_kernels);
        recv(group, on_device(theirs.data(), 100), 1 - comm.rank(), on_kernels);
        group.launch().wait();
      },
      small_settings());
  for (const auto& error : errors) {
    REQUIRE(error);
    CHECK((says(*error, "CUDA_DEVICE_MAX_CONNECTIONS is 1") || error->code() == Code::aborted));
  }
}

TEST_CASE("CUDA's variables with which kernels cannot wait for one another are named") {
  const auto blocking = test::run_job(1, "[blocking]", {{"CUDA_LAUNCH_BLOCKING", "1"}});
  INFO(blocking.text());
  CHECK(blocking.all_passed());
  const auto connection = test::run_job(1, "[one connection]", {{"CUDA_DEVICE_MAX_CONNECTIONS", "1"}});
  INFO(connection.text());
  CHECK(connection.all_passed());
}
