#include "cli/bench_device.hpp"

#include "run/device/cuda_runtime.hpp"

namespace tutti::bench {

namespace {

/// Also from a device to the host; it waits.
void copy_now(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  const device::CudaCalls& calls = device::cuda_runtime().calls;
  device::check(calls.cudaMemcpyAsync(to, from, bytes, device::cuda_memcpy_default, nullptr), "cudaMemcpyAsync");
  device::check(calls.cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
}

}  // namespace

int device_count() { return device::cuda_runtime().devices; }

std::shared_ptr<std::byte> device_memory(int number, std::size_t bytes) {
  const device::CudaCalls& calls = device::cuda_runtime().calls;
  device::check(calls.cudaSetDevice(number), "cudaSetDevice");  // also for the copies of this thread
  void* memory = nullptr;
  device::check(calls.cudaMalloc(&memory, bytes), "cudaMalloc", {.operation = "bench"});
  return {static_cast<std::byte*>(memory), [&calls](std::byte* data) { calls.cudaFree(data); }};
}

DeviceCopy::DeviceCopy(const Call& call) : call_(call), in_(call.in_bytes()), out_(call.out_bytes()), host_(call) {
  host_.memory = Memory::host;
  host_.in_place = false;
  host_.in = in_.data();
  host_.out = out_.data();
}

/// The output first: in place, the input lies within it.
void DeviceCopy::send() {
  copy_now(call_.out, out_.data(), out_.size());
  copy_now(call_.in, in_.data(), in_.size());
}

void DeviceCopy::fetch() { copy_now(out_.data(), call_.out, out_.size()); }

void DeviceCopy::prepare(Place place, std::uint64_t seed) {
  bench::prepare(host_, place, seed);
  send();
}

void DeviceCopy::touch(Place place) {
  fetch();
  bench::touch(host_, place);
  copy_now(call_.in, in_.data(), in_.size());
}

std::size_t DeviceCopy::wrong_elements(Place place, std::uint64_t seed) {
  fetch();
  return bench::wrong_elements(host_, place, seed);
}

}  // namespace tutti::bench
