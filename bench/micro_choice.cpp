/// @file  Micro-benchmarks of what a call pays before it begins: choosing, remembering, checking.
#include <benchmark/benchmark.h>

#include <vector>

#include "choose/choose.hpp"
#include "run/call_memory.hpp"
#include "tutti/collectives.hpp"

namespace {

using namespace tutti;

constexpr Facts two_threads{.ranks = 2, .one_process = true, .packet_bytes = 1016, .fifo_bytes = 131072};

/// Calls of as many sizes as the benchmark's argument says, one after another, so that no branch is always alike.
class Calls {
 public:
  explicit Calls(std::int64_t sizes) : in_(largest), out_(largest) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(sizes); ++i) {
      requests_.push_back(make_request(
          Collective::all_reduce, Span<const float, Memory::host>{in_.data(), std::size_t{16} << i},
          Span<float, Memory::host>{out_.data(), std::size_t{16} << i}, std::size_t{16} << i, sum, Options{}));
    }
  }
  const Request& next() {
    at_ = at_ + 1 < requests_.size() ? at_ + 1 : 0;
    return requests_[at_];
  }
  const std::vector<Request>& all() const { return requests_; }

 private:
  static constexpr std::size_t largest = std::size_t{16} << 8;
  std::vector<float> in_;
  std::vector<float> out_;
  std::vector<Request> requests_;
  std::size_t at_ = 0;
};

void remember_all(CallMemory& memory, const Calls& calls) {
  for (const Request& request : calls.all()) {
    memory.remember(request, shape_of(request, 0, 2), decide(request, two_threads));
  }
}

/// The first time.
void choose_anew(benchmark::State& state) {
  Calls calls(state.range(0));
  for (auto _ : state) {
    Decision decision = decide(calls.next(), two_threads);
    benchmark::DoNotOptimize(decision);
  }
}
BENCHMARK(choose_anew)->Name("choice/choose")->Arg(1)->Arg(8);

/// Every other time: the choice, as Communicator::submit finds it.
void find_remembered(benchmark::State& state) {
  Calls calls(state.range(0));
  CallMemory memory;
  remember_all(memory, calls);
  for (auto _ : state) {
    Remembered* known = memory.find(calls.next());
    benchmark::DoNotOptimize(known);
  }
}
BENCHMARK(find_remembered)->Name("choice/remembered")->Arg(1)->Arg(8);

/// With the checks of every call: a deadline that makes sense, buffers that are apart.
void find_and_check(benchmark::State& state) {
  Calls calls(state.range(0));
  CallMemory memory;
  remember_all(memory, calls);
  for (auto _ : state) {
    const Request& request = calls.next();
    Remembered* known = memory.find(request);
    bool good = known != nullptr && request.options.timeout.count() != 0 && buffers_apart(request, known->shape);
    benchmark::DoNotOptimize(known);
    benchmark::DoNotOptimize(good);
  }
}
BENCHMARK(find_and_check)->Name("choice/remembered_and_checks")->Arg(1)->Arg(8);

/// The same, when the request is put together first, as a call does.
void pack_find_and_check(benchmark::State& state) {
  std::vector<float> in(16);
  std::vector<float> out(16);
  const auto packed = [&] {
    return make_request(Collective::all_reduce, Span<const float, Memory::host>{in.data(), in.size()},
                        Span<float, Memory::host>{out.data(), out.size()}, out.size(), sum, Options{});
  };
  CallMemory memory;
  memory.remember(packed(), shape_of(packed(), 0, 2), decide(packed(), two_threads));
  for (auto _ : state) {
    Request request = packed();
    benchmark::DoNotOptimize(request);
    Remembered* known = memory.find(request);
    bool good = known != nullptr && request.options.timeout.count() != 0 && buffers_apart(request, known->shape);
    benchmark::DoNotOptimize(known);
    benchmark::DoNotOptimize(good);
  }
}
BENCHMARK(pack_find_and_check)->Name("choice/packed_remembered_and_checks");

}  // namespace
