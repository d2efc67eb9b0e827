/// @file  Micro-benchmarks of the flight recorder: what noting a call costs it.
#include <benchmark/benchmark.h>

#include <vector>

#include "run/flight_recorder.hpp"
#include "tutti/bootstrap/in_process.hpp"
#include "tutti/collectives.hpp"

namespace {

using namespace tutti;

/// A call is made and ends: with its end noted for every eighth, as for small calls; or, for large ones, always.
void note_a_call(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  std::vector<float> in(count), out(count);
  const Request request = make_request(Collective::all_reduce, Span<const float, Memory::host>{in.data(), count},
                                       Span<float, Memory::host>{out.data(), count}, count, sum, Options{});
  FlightRecorder recorder(alone(), 1, flight_memory_only);
  const std::uint16_t index = recorder.join(1, 0, 0, 1);
  std::uint64_t turn = 0;
  for (auto _ : state) {
    const FlightRecorder::Entry entry = recorder.enter(request, Decision{}, turn++, index);
    benchmark::ClobberMemory();
    recorder.done(entry);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(note_a_call)->Name("record/call")->Arg(2)->Arg(4096);

/// The clock alone.
void read_ticks(benchmark::State& state) {
  for (auto _ : state) {
    auto now = Ticks::now();
    benchmark::DoNotOptimize(now);
  }
}
BENCHMARK(read_ticks)->Name("record/clock");

}  // namespace
