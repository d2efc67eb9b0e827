/// @file  One process, all its GPUs: a thread for each as a rank, and sums in the order of a stream.
#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdio>
#include <vector>

#include "tutti/tutti.hpp"

namespace {

void must(cudaError_t error) {
  if (error != cudaSuccess) throw tutti::Error(tutti::Code::resource, cudaGetErrorString(error));
}

}  // namespace

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("there is no GPU\n");
    return 77;
  }
  std::atomic<int> right{0};
  tutti::in_process(devices, [&](tutti::Communicator& comm) {
    must(
        cudaSetDevice(comm.rank()));  // a rank's device is its number on the host, unless Config::device says otherwise
    const std::vector<float> mine(1000, static_cast<float>(comm.rank() + 1));
    float* values = nullptr;
    must(cudaMalloc(reinterpret_cast<void**>(&values), mine.size() * sizeof(float)));
    cudaStream_t stream = nullptr;
    must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    must(cudaMemcpyAsync(values, mine.data(), mine.size() * sizeof(float), cudaMemcpyHostToDevice, stream));
    // [on_device]
    all_reduce(comm, tutti::on_device(values, mine.size()), tutti::sum, {.stream = tutti::Stream(stream)});
    // What follows in the stream comes after it; nobody has waited.
    // [on_device]
    std::vector<float> sums(mine.size());
    must(cudaMemcpyAsync(sums.data(), values, sums.size() * sizeof(float), cudaMemcpyDeviceToHost, stream));
    must(cudaStreamSynchronize(stream));
    const int expected = comm.size() * (comm.size() + 1) / 2;
    if (sums.front() == static_cast<float>(expected) && sums.back() == sums.front()) ++right;
    must(cudaStreamDestroy(stream));
    must(cudaFree(values));
  });
  std::printf("%d of %d GPUs have the sum\n", right.load(), devices);
  return right == devices ? 0 : 1;
}
