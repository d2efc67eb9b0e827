/// @file  Micro-benchmarks of the host's reductions and copies, beside memcpy and the loop one would write by hand.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "run/host/reduce.hpp"

namespace {

using namespace tutti;

constexpr std::size_t smallest = 8;
constexpr std::size_t largest = std::size_t{4} << 20;

/// Page-aligned arrays of ordinary small numbers, whatever the type.
class Arrays {
 public:
  Arrays(int count, std::size_t bytes, std::size_t misaligned) {
    for (int i = 0; i < count; ++i) {
      memory_.emplace_back(static_cast<std::byte*>(::operator new (bytes + 4096, std::align_val_t{4096})));
      std::memset(memory_.back().get(), 0x3c, bytes + 4096);
      pointers_.push_back(memory_.back().get() + misaligned * static_cast<std::size_t>(i));
    }
  }
  void* const* data() const { return pointers_.data(); }

 private:
  struct Free {
    void operator()(std::byte* memory) const { ::operator delete (memory, std::align_val_t{4096}); }
  };
  std::vector<std::unique_ptr<std::byte, Free>> memory_;
  std::vector<void*> pointers_;
};

/// Bytes read and written a second.
void count_bytes(benchmark::State& state, std::size_t arrays, std::size_t bytes) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(arrays * bytes));
}

struct Shape {
  DataType type = DataType::float32;
  Op op = Op::sum;
  int sources = 2;
  int destinations = 1;
  std::uint32_t streaming = 0;
  std::size_t misaligned = 0;
};

void reduce(benchmark::State& state, Shape shape) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  const Arrays from(shape.sources, bytes, shape.misaligned);
  const Arrays to(shape.destinations, bytes, shape.misaligned);
  ReduceOp op;
  op.kind = shape.op;
  const ReduceCall call{.sources = from.data(),
                        .source_count = shape.sources,
                        .destinations = to.data(),
                        .destination_count = shape.destinations,
                        .count = bytes / size_of(shape.type),
                        .streaming = shape.streaming};
  const host::Loop loop = host::loop_for(shape.type, op);
  for (auto _ : state) {
    loop(call, op.state);
    benchmark::ClobberMemory();
  }
  count_bytes(state, static_cast<std::size_t>(shape.sources + shape.destinations), bytes);
}

void look_up(benchmark::State& state) {
  ReduceOp op;
  op.kind = Op::sum;
  for (auto _ : state) {
    benchmark::DoNotOptimize(op);
    benchmark::DoNotOptimize(host::loop_for(DataType::float32, op));
  }
}

void copy(benchmark::State& state, int destinations, std::uint32_t streaming) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  const Arrays from(1, bytes, 0);
  const Arrays to(destinations, bytes, 0);
  for (auto _ : state) {
    host::copy(from.data()[0], to.data(), destinations, bytes, streaming);
    benchmark::ClobberMemory();
  }
  count_bytes(state, static_cast<std::size_t>(1 + destinations), bytes);
}

void libc_memcpy(benchmark::State& state) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  const Arrays from(1, bytes, 0);
  const Arrays to(1, bytes, 0);
  for (auto _ : state) {
    std::memcpy(to.data()[0], from.data()[0], bytes);
    benchmark::ClobberMemory();
  }
  count_bytes(state, 2, bytes);
}

#if defined(__x86_64__) && defined(__GNUC__)
#if defined(__clang__)
__attribute__((target("avx2"), noinline))
#else
__attribute__((target("avx2"), optimize("O3"), noinline))
#endif
void add_by_hand(const float* a, const float* b, float* __restrict to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = a[i] + b[i];
}

void by_hand(benchmark::State& state) {
  if (!__builtin_cpu_supports("avx2")) return state.SkipWithError("no AVX2");
  const auto bytes = static_cast<std::size_t>(state.range(0));
  const Arrays from(2, bytes, 0);
  const Arrays to(1, bytes, 0);
  for (auto _ : state) {
    add_by_hand(static_cast<const float*>(from.data()[0]), static_cast<const float*>(from.data()[1]),
                static_cast<float*>(to.data()[0]), bytes / sizeof(float));
    benchmark::ClobberMemory();
  }
  count_bytes(state, 3, bytes);
}
#endif

void sizes(benchmark::internal::Benchmark* benchmark) {
  for (const std::size_t bytes :
       {smallest, std::size_t{64}, std::size_t{1} << 10, std::size_t{1} << 16, std::size_t{1} << 20, largest})
    benchmark->Arg(static_cast<std::int64_t>(bytes));
}

void add(const std::string& name, Shape shape) {
  benchmark::RegisterBenchmark(("reduce/" + name).c_str(), reduce, shape)->Apply(sizes);
}

[[maybe_unused]] const bool reduce_registered = [] {
  benchmark::RegisterBenchmark("reduce/look_up", look_up);
  benchmark::RegisterBenchmark("reduce/memcpy", libc_memcpy)->Apply(sizes);
#if defined(__x86_64__) && defined(__GNUC__)
  benchmark::RegisterBenchmark("reduce/by_hand", by_hand)->Apply(sizes);
#endif
  benchmark::RegisterBenchmark("reduce/copy", copy, 1, 0U)->Apply(sizes);
  benchmark::RegisterBenchmark("reduce/copy_streamed", copy, 1, 1U)->Apply(sizes);
  benchmark::RegisterBenchmark("reduce/copy_to_2_second_streamed", copy, 2, 2U)->Apply(sizes);
  add("float32_sum", {});
  add("float32_sum_misaligned", {.misaligned = 20});
  add("float32_sum_streamed", {.streaming = 1});
  add("float32_sum_to_2", {.destinations = 2});
  add("float32_sum_to_2_first_streamed", {.destinations = 2, .streaming = 1});
  add("float32_sum_to_2_both_streamed", {.destinations = 2, .streaming = 3});
  add("float32_sum_to_2_both_streamed_misaligned", {.destinations = 2, .streaming = 3, .misaligned = 20});
  for (int n = 3; n <= 8; ++n) add("float32_sum_of_" + std::to_string(n), {.sources = n});
  add("float32_sum_of_16", {.sources = 16});
  add("float32_sum_of_64", {.sources = 64});
  add("float32_sum_of_16_misaligned", {.sources = 16, .misaligned = 128});
  add("float32_maximum", {.op = Op::maximum});
  add("float32_average", {.op = Op::average});
  add("float64_sum", {.type = DataType::float64});
  add("float64_sum_of_4", {.type = DataType::float64, .sources = 4});
  add("bfloat16_sum", {.type = DataType::bfloat16});
  add("bfloat16_sum_of_4", {.type = DataType::bfloat16, .sources = 4});
  add("float16_sum", {.type = DataType::float16});
  add("float16_sum_of_4", {.type = DataType::float16, .sources = 4});
  add("float8_e4m3_sum", {.type = DataType::float8_e4m3});
  add("int8_sum", {.type = DataType::int8});
  add("int8_product", {.type = DataType::int8, .op = Op::product});
  add("int64_maximum", {.type = DataType::int64, .op = Op::maximum});
  return true;
}();

}  // namespace
