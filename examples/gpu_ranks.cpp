/// @file  A process for each GPU, as launchers start them: the ranks of a host take its devices in turn.
// torchrun: 2
// mpirun: 3
#include <cuda_runtime_api.h>

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
  // [gpu_ranks]
  tutti::Communicator comm{tutti::from_environment()};
  must(cudaSetDevice(comm.rank() % devices));  // all ranks are on this host
  std::vector<int> bits(100, 1 << comm.rank());
  int* there = nullptr;
  must(cudaMalloc(reinterpret_cast<void**>(&there), bits.size() * sizeof(int)));
  must(cudaMemcpy(there, bits.data(), bits.size() * sizeof(int), cudaMemcpyHostToDevice));
  all_reduce(comm, tutti::on_device(there, bits.size()), tutti::bitwise_or).wait();
  // [gpu_ranks]
  must(cudaMemcpy(bits.data(), there, bits.size() * sizeof(int), cudaMemcpyDeviceToHost));
  must(cudaFree(there));
  const bool right = bits.front() == (1 << comm.size()) - 1 && bits.back() == bits.front();
  if (comm.rank() == 0) std::printf("%d ranks: %#x\n", comm.size(), static_cast<unsigned>(bits.front()));
  return right ? 0 : 1;
}
