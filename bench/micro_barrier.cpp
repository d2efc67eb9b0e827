/// @file  Micro-benchmarks of the shortest collectives as they are called: barrier and a small all_reduce.
#include <benchmark/benchmark.h>

#include <atomic>
#include <chrono>
#include <vector>

#include "micro_bind.hpp"
#include "tutti/collectives.hpp"
#include "tutti/in_process.hpp"

namespace {

using namespace tutti;

/// Ranks as threads call it over and over, in series; an iteration is one call.
template <class Call>
void repeat(benchmark::State& state, Call call) {
  constexpr int calls = 100;
  std::atomic<bool> more{true};
  const std::vector<int> cpus = allowed_cpus();
  in_process(static_cast<int>(state.range(0)), [&](Communicator& communicator) {
    bind_rank(cpus, communicator.rank(), communicator.size());
    const auto series = [&] {
      for (int i = 0; i < calls; ++i) call(communicator);
    };
    if (communicator.rank() != 0) {
      for (barrier(communicator).wait(); more; barrier(communicator).wait()) series();
      return;
    }
    while (state.KeepRunningBatch(calls)) {
      barrier(communicator).wait();  // the others have seen that there is more
      const auto start = std::chrono::steady_clock::now();
      series();
      const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
      state.SetIterationTime(time.count());
    }
    more = false;
    barrier(communicator).wait();
  });
}

[[maybe_unused]] const bool barrier_registered = [] {
  benchmark::RegisterBenchmark(
      "call/barrier",
      [](benchmark::State& state) { repeat(state, [](Communicator& communicator) { barrier(communicator).wait(); }); })
      ->UseManualTime()
      ->Arg(1)
      ->Arg(2)
      ->Arg(4);
  benchmark::RegisterBenchmark("call/all_reduce_8_bytes",
                               [](benchmark::State& state) {
                                 repeat(state, [](Communicator& communicator) {
                                   const float mine[2] = {1, 2};
                                   float all[2];
                                   all_reduce(communicator, Span<const float, Memory::host>{mine, 2},
                                              Span<float, Memory::host>{all, 2}, sum)
                                       .wait();
                                   benchmark::DoNotOptimize(all);
                                 });
                               })
      ->UseManualTime()
      ->Arg(1)
      ->Arg(2)
      ->Arg(4);
  return true;
}();

}  // namespace
