/// @file  What only tutti's kernels do on device memory, when they are chosen, and what they refuse.
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "emulated_cuda/engine/device_values.hpp"
#include "face/helpers.hpp"
#include "kernels/engine/small_settings.hpp"
#include "processes.hpp"
#include "tutti/tutti.hpp"

using namespace tutti;
using namespace tutti::emulated;
using namespace std::chrono_literals;

namespace {

constexpr Options by_kernels{.backend = Backend::cuda};

Request sum_of(std::size_t count, float* data) {
  return {.collective = Collective::all_reduce,
          .type = DataType::float32,
          .memory = Memory::device,
          .element_size = 4,
          .in = data,
          .out = data,
          .in_count = count,
          .out_count = count,
          .count = count,
          .op = {.kind = Op::sum}};
}

}  // namespace

TEST_CASE("short sums go through tutti's kernels and long ones through NCCL, and the communicator says so") {
  in_process(
      2,
      [](Communicator& comm) {
        const DeviceArray<float> data(own_values(comm));
        const Decision little = comm.decide(sum_of(100, data.data()));
        if (describe(little) != "cuda/one_shot/packet") throw std::runtime_error(describe(little));
        const Decision more = comm.decide(sum_of(1 << 20, data.data()));
        if (describe(more) != "cuda/two_shot/fifo") throw std::runtime_error(describe(more));
        const Decision most = comm.decide(sum_of(16 << 20, data.data()));
        if (most.backend != Backend::nccl) throw std::runtime_error(describe(most));
      },
      small_settings());
}

TEST_CASE("a call that is explained names both engines, and where the choice changes") {
  in_process(
      4,
      [](Communicator& comm) {
        const DeviceArray<float> data(own_values(comm));
        const Explanation told = all_reduce(Explain{comm}, on_device(data.data(), 100), sum);
        if (describe(told.chosen) != "cuda/one_shot/packet") throw std::runtime_error(describe(told.chosen));
        std::vector<std::string> turns;
        for (const ExplainedTurn& turn : told.turns) turns.push_back(describe(turn.decision));
        if (turns != std::vector<std::string>{"cuda/one_shot/packet", "cuda/two_shot/fifo", "nccl"}) {
          throw std::runtime_error("the choice changes otherwise");
        }
        int possible = 0;
        for (const ExplainedWay& way : told.ways) {
          possible += way.possible ? 1 : 0;
          if (!way.possible && way.reason.empty()) throw std::runtime_error("excluded without a reason");
        }
        if (possible != 11) throw std::runtime_error("five patterns, each by packets and slots, and NCCL");
      },
      small_settings());
}

TEST_CASE("what NCCL cannot combine goes through the kernels by itself") {
  in_process(
      3,
      [](Communicator& comm) {
        ok(cudaSetDevice(comm.rank()));
        const DeviceArray<int> bits(std::vector<int>(5000, 1 << comm.rank()));
        all_reduce(comm, on_device(bits.data(), 5000), bitwise_or).wait();
        if (bits.values() != std::vector<int>(5000, 7)) throw std::runtime_error("not all bits");
        const DeviceArray<std::int16_t> small(std::vector<std::int16_t>(77, static_cast<std::int16_t>(-comm.rank())));
        all_reduce(comm, on_device(small.data(), 77), minimum).wait();
        if (small.values() != std::vector<std::int16_t>(77, -2)) throw std::runtime_error("not the least");
      },
      small_settings());
}

TEST_CASE("a deterministic sum has the same bits on all ranks, whatever the number of channels") {
  std::vector<float> first;
  for (const int channels : {1, 2}) {
    in_process(3,
               [&](Communicator& comm) {
                 ok(cudaSetDevice(comm.rank()));
                 std::vector<float> mine(40000);
                 for (std::size_t i = 0; i < mine.size(); ++i) {
                   mine[i] = 1.F / static_cast<float>(i + 3 + 1000 * static_cast<std::size_t>(comm.rank()));
                 }
                 const DeviceArray<float> data(mine);
                 all_reduce(comm, on_device(data.data(), mine.size()), sum, {.deterministic = true}).wait();
                 for (std::size_t i = 0; i < mine.size(); i += 997) {
                   const auto part = [i](int rank) {
                     return 1.F / static_cast<float>(i + 3 + 1000 * static_cast<std::size_t>(rank));
                   };
                   if (data.values()[i] != part(0) + part(1) + part(2)) throw std::runtime_error("not in rank order");
                 }
               },
               {.cuda = {.channels = channels, .threads = 32, .wire_bytes = 1 << 20}});
  }
}

TEST_CASE("calls in different streams follow one another") {
  in_process(
      2,
      [](Communicator& comm) {
        const DeviceArray<float> data(own_values(comm, 3000));
        cudaStream_t streams[2];
        for (cudaStream_t& stream : streams) ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        for (int i = 0; i < 6; ++i) {
          all_reduce(comm, on_device(data.data(), 3000), sum,
                     {.backend = Backend::cuda, .stream = Stream(streams[i % 2])});
        }
        for (cudaStream_t stream : streams) {
          ok(cudaStreamSynchronize(stream));
          ok(cudaStreamDestroy(stream));
        }
        if (!all_are(data, 3.F * 32)) throw std::runtime_error("not six sums");
      },
      small_settings());
}

TEST_CASE(
    "a group of sends and receives among all ranks, named in any order, goes through with messages longer than slots") {
  in_process(
      5,
      [](Communicator& comm) {
        const std::size_t count = 30000;
        const DeviceArray<float> mine(own_values(comm, count));
        std::vector<std::unique_ptr<DeviceArray<float>>> theirs;
        Group group(comm);
        for (int i = 0; i < 5; ++i) {
          const int peer = (i * 3 + comm.rank() * 2) % 5;  // a different order on each rank
          theirs.push_back(std::make_unique<DeviceArray<float>>(std::vector<float>(count, static_cast<float>(peer))));
          if (peer == comm.rank()) continue;
          send(group, on_device(mine.data(), count), peer, by_kernels);
          recv(group, on_device(theirs.back()->data(), count), peer, by_kernels);
        }
        group.launch().wait();
        for (int i = 0; i < 5; ++i) {
          const int peer = (i * 3 + comm.rank() * 2) % 5;
          const float right = static_cast<float>(peer == comm.rank() ? peer : peer + 1);
          if (!all_are(*theirs[static_cast<std::size_t>(i)], right)) throw std::runtime_error("not the peer's");
        }
      },
      small_settings());
}

TEST_CASE("what the kernels cannot is refused with the reason, and harms nothing") {
  in_process(
      1,
      [](Communicator& comm) {
        const DeviceArray<int> data(std::vector<int>(8, 1));
        const auto span = on_device(data.data(), 8);
        CHECK_THROWS_WITH(all_reduce(comm, span, sum, {.protocol = Protocol::window, .backend = Backend::cuda}),
                          Catch::Contains("no windows in device memory"));
        CHECK_THROWS_WITH(all_reduce(comm, span, sum,
                                     {.algorithm = Algorithm::ring, .backend = Backend::cuda, .deterministic = true}),
                          Catch::Contains("does not combine in rank order"));
        all_reduce(comm, span, sum, by_kernels).wait();
        CHECK(data.values() == std::vector<int>(8, 1));
      },
      small_settings());
}

TEST_CASE("kernels that cannot be had are named, on all ranks alike, and NCCL is used instead") {
  const auto error_of = [](Config config) {
    const auto errors = test::errors_of(
        2,
        [](Communicator& comm) {
          const DeviceArray<float> data(own_values(comm));
          all_reduce(comm, on_device(data.data(), 100), sum).wait();
          if (!all_are(data, 3)) throw std::runtime_error("not the sum by NCCL");
          all_reduce(comm, on_device(data.data(), 100), sum, by_kernels).wait();
        },
        config);
    REQUIRE(errors[0]);
    REQUIRE(errors[1]);
    CHECK(errors[0]->code() == Code::unsupported);
    CHECK(errors[0]->reason() == errors[1]->reason());
    return std::string(errors[0]->what());
  };
  CHECK_THAT(error_of({.cuda = {.kernels = "/nowhere/libtutti_kernels.so"}}),
             Catch::Contains("kernels were not found"));
  CHECK_THAT(error_of({.cuda = {.channels = 0}}), Catch::Contains("CudaSettings::channels is 0"));
  CHECK_THAT(error_of({.cuda = {.threads = 100}}), Catch::Contains("CudaSettings::threads is 100"));
}

TEST_CASE("ranks that share a device are told, as their kernels would wait for one another") {
  const auto errors = test::errors_of(2,
                                      [](Communicator& comm) {
                                        ok(cudaSetDevice(0));
                                        const DeviceArray<float> data(std::vector<float>(100, 1.F));
                                        all_reduce(comm, on_device(data.data(), 100), sum, by_kernels).wait();
                                      },
                                      {.device = 0});
  for (const auto& error : errors) {
    REQUIRE(error);
    CHECK(says(*error, "ranks 0 and 1 share device"));
  }
}

TEST_CASE("a captured call that fails is told by the next call of the communicator") {
  const auto errors = test::errors_of(
      2,
      [](Communicator& comm) {
        const DeviceArray<float> data(own_values(comm));
        all_reduce(comm, on_device(data.data(), 100), sum, by_kernels).wait();
        if (comm.rank() == 1) {
          std::this_thread::sleep_for(1500ms);
          return;
        }
        cudaStream_t stream = nullptr;
        ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        all_reduce(comm, on_device(data.data(), 100), sum,
                   {.backend = Backend::cuda, .stream = Stream(stream), .timeout = 300ms});
        cudaGraph_t graph = nullptr;
        ok(cudaStreamEndCapture(stream, &graph));
        cudaGraphExec_t instance = nullptr;
        ok(cudaGraphInstantiate(&instance, graph, 0));
        ok(cudaGraphLaunch(instance, stream));
        ok(cudaStreamSynchronize(stream));
        all_reduce(comm, on_device(data.data(), 100), sum, by_kernels).wait();
      },
      small_settings());
  REQUIRE(errors[0]);
  CHECK(says(*errors[0], "a call in a graph has failed"));
}

TEST_CASE("ranks that were given other settings of the kernels are told") {
  const auto errors = test::errors_of(2, [](Communicator& comm) {
    const DeviceArray<float> data(own_values(comm));
    Config config = small_settings();
    config.cuda.channels = 1 + comm.rank();
    World world = comm.world();
    world.store = prefixed(world.store, "again/");
    Communicator other(world, config);
    all_reduce(other, on_device(data.data(), 100), sum, by_kernels).wait();
  });
  for (const auto& error : errors) {
    REQUIRE(error);
    CHECK(error->code() == Code::mismatch);
    CHECK(says(*error, "give all ranks the same Config::cuda"));
  }
}

TEST_CASE("an abort ends a call that nobody waits for, so that its stream is free again") {
  in_process(
      2,
      [](Communicator& comm) {
        const DeviceArray<float> data(own_values(comm));
        all_reduce(comm, on_device(data.data(), 100), sum, by_kernels).wait();
        if (comm.rank() == 1) return;
        cudaStream_t stream = nullptr;
        ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        all_reduce(comm, on_device(data.data(), 100), sum, {.backend = Backend::cuda, .stream = Stream(stream)});
        comm.abort();
        ok(cudaStreamSynchronize(stream));
        ok(cudaStreamDestroy(stream));
      },
      small_settings());
}

TEST_CASE("more calls in a stream than there are places for their outcomes give the right sum") {
  in_process(
      2,
      [](Communicator& comm) {
        ok(cudaSetDevice(comm.rank()));
        const DeviceArray<int> mine(std::vector<int>(1, comm.rank() == 0 ? 1 : 0));
        cudaStream_t stream = nullptr;
        ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        const Options options{.backend = Backend::cuda, .stream = Stream(stream)};
        for (int i = 0; i < 600; ++i) all_reduce(comm, on_device(mine.data(), 1), maximum, options);
        all_reduce(comm, on_device(mine.data(), 1), sum, options).wait();
        if (mine.values().front() != 2) throw std::runtime_error("not the sum");
        ok(cudaStreamDestroy(stream));
      },
      small_settings());
}

TEST_CASE("survivors shrink, and their kernels go on among themselves") {
  std::atomic<int> right{0};
  CHECK_THROWS_WITH(in_process(
                        3,
                        [&](Communicator& comm) {
                          const DeviceArray<float> data(own_values(comm));
                          all_reduce(comm, on_device(data.data(), 100), sum, by_kernels).wait();
                          if (comm.rank() == 1) throw std::runtime_error("this one has had enough");
                          try {
                            all_reduce(comm, on_device(data.data(), 100), sum, by_kernels).wait();
                          } catch (const Error&) {
                            Communicator rest = comm.shrink();
                            const DeviceArray<float> again(std::vector<float>(100, 1.F));
                            all_reduce(rest, on_device(again.data(), 100), sum, by_kernels).wait();
                            if (all_are(again, 2)) ++right;
                          }
                        },
                        small_settings()),
                    Catch::Contains("had enough"));
  CHECK(right == 2);
}
