/// @file  Micro-benchmarks of one message from a rank to another and of a barrier: the floor under every collective.
#include <benchmark/benchmark.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "micro_bind.hpp"
#include "run/host/team.hpp"
#include "tutti/bootstrap/in_process.hpp"

namespace {

using namespace tutti;

/// Looks a while, then lets others have the processor: this machine may have one only.
template <class Ready>
void wait_for(Ready ready) {
  for (int looks = 0; !ready(); ++looks) {
    if (looks > 2000) std::this_thread::yield();
  }
}

/// Ranks as threads, each with its view of one arena.
template <class Body>
void with_teams(int ranks, Body body) {
  std::vector<std::thread> threads;
  std::vector<World> worlds = worlds_in_process(ranks);
  const std::vector<int> cpus = allowed_cpus();
  for (World& world : worlds) {
    threads.emplace_back([&body, &cpus, ranks, world = std::move(world)]() mutable {
      bind_rank(cpus, world.rank, ranks);
      const Store::Deadline deadline = world.deadline();
      host::Team team(std::move(world), -1, deadline);
      body(team);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

void send(host::Wires& wires, std::uint32_t end, const std::byte* data, std::size_t bytes) {
  wait_for([&] { return wires.can_send(end); });
  std::memcpy(wires.outgoing(end), data, bytes);
  wires.post(end);
}

void receive(host::Wires& wires, std::uint32_t end, std::byte* data, std::size_t bytes) {
  wait_for([&] { return wires.can_receive(end); });
  std::memcpy(data, wires.incoming(end), bytes);
  wires.take(end);
}

/// There and back; the time is that of one way. The first byte of a message says whether another one follows.
void hop(benchmark::State& state, Protocol protocol) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  with_teams(2, [&](host::Team& team) {
    const std::uint32_t end = host::Wires::end(protocol, 1 - team.rank(), 0);
    std::vector<std::byte> data(bytes);
    if (team.rank() == 1) {
      do {
        receive(team.wires(), end, data.data(), bytes);
        send(team.wires(), end, data.data(), bytes);
      } while (data[0] == std::byte{1});
      return;
    }
    const auto there_and_back = [&] {
      send(team.wires(), end, data.data(), bytes);
      receive(team.wires(), end, data.data(), bytes);
    };
    data[0] = std::byte{1};
    constexpr int exchanges = 100;
    while (state.KeepRunningBatch(exchanges)) {
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < exchanges; ++i) there_and_back();
      const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
      state.SetIterationTime(time.count() / 2);
    }
    data[0] = std::byte{0};
    there_and_back();
  });
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

/// By the arrivals that open and close windows.
void arrivals(benchmark::State& state) {
  const auto ranks = static_cast<int>(state.range(0));
  std::atomic<bool> more{true};
  with_teams(ranks, [&](host::Team& team) {
    const auto pass = [&] {
      team.arrive(nullptr);
      wait_for([&] { return team.all_arrived(); });
    };
    constexpr int barriers = 100;
    const auto series = [&] {
      for (int i = 0; i < barriers; ++i) pass();
    };
    if (team.rank() != 0) {
      for (pass(); more; pass()) series();
      return;
    }
    while (state.KeepRunningBatch(barriers)) {
      pass();  // the others have seen that there is more
      const auto start = std::chrono::steady_clock::now();
      series();
      const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
      state.SetIterationTime(time.count());
    }
    more = false;
    pass();
  });
}

[[maybe_unused]] const bool hop_registered = [] {
  for (const Protocol protocol : {Protocol::packet, Protocol::fifo}) {
    auto* benchmark =
        benchmark::RegisterBenchmark(protocol == Protocol::packet ? "hop/packet" : "hop/fifo", hop, protocol);
    benchmark->UseManualTime();
    for (const std::int64_t bytes : {8, 64, 512}) benchmark->Arg(bytes);
    if (protocol == Protocol::fifo) benchmark->Arg(4096)->Arg(65536);
  }
  benchmark::RegisterBenchmark("barrier/arrivals", arrivals)->UseManualTime()->Arg(2)->Arg(4);
  return true;
}();

}  // namespace
