#include "run/device/stream_scratch.hpp"

#include "run/device/cuda_runtime.hpp"

namespace tutti::device {

StreamScratch::StreamScratch(std::size_t bytes, Stream stream) : stream_(stream) {
  void* memory = nullptr;
  check(cuda_runtime().calls.cudaMallocAsync(&memory, bytes, stream.handle), "cudaMallocAsync");
  data_ = static_cast<std::byte*>(memory);
}
StreamScratch::~StreamScratch() { cuda_runtime().calls.cudaFreeAsync(data_, stream_.handle); }

}  // namespace tutti::device
