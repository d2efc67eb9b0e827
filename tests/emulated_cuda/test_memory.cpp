/// @file  Memory of emulated devices: what is in it, what copies check, pools, virtual memory, other processes.
#include <cuda.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "emulated_cuda/checks.hpp"

using namespace tutti::emulated;

namespace {

template <class Function>
Function driver_call(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult result{};
  ok(cudaGetDriverEntryPointByVersion(name, &function, CUDART_VERSION, cudaEnableDefault, &result));
  REQUIRE(result == cudaDriverEntryPointSuccess);
  return reinterpret_cast<Function>(function);
}

constexpr std::size_t granule = 2 << 20;

CUmemAllocationProp on_device(int number) {
  CUmemAllocationProp wanted{};
  wanted.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  wanted.location = {CU_MEM_LOCATION_TYPE_DEVICE, {number}};
  wanted.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  return wanted;
}

/// Mapped and made accessible to device 0.
char* map(CUmemGenericAllocationHandle handle) {
  CUdeviceptr address = 0;
  REQUIRE(driver_call<decltype(&cuMemAddressReserve)>("cuMemAddressReserve")(&address, granule, 0, 0, 0) ==
          CUDA_SUCCESS);
  REQUIRE(driver_call<decltype(&cuMemMap)>("cuMemMap")(address, granule, 0, handle, 0) == CUDA_SUCCESS);
  CUmemAccessDesc access{};
  access.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  REQUIRE(driver_call<decltype(&cuMemSetAccess)>("cuMemSetAccess")(address, granule, &access, 1) == CUDA_SUCCESS);
  return reinterpret_cast<char*>(address);
}

/// What a child process found: 0 when all was right. It ends without running the parent's destructors.
template <class Child>
int in_child(const Child& child) {
  const pid_t pid = fork();
  if (pid == 0) _exit(child());
  int status = -1;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("memory of a device is not zeroed, has a size, and is counted") {
  const std::size_t before = bytes_in_use(0);
  {
    const DeviceArray<unsigned char> array(100);
    CHECK(array.values() == std::vector<unsigned char>(100, 0xCD));
    CHECK(bytes_in_use(0) == before + 100);
    cudaPointerAttributes facts{};
    ok(cudaPointerGetAttributes(&facts, array.data() + 99));
    CHECK(facts.type == cudaMemoryTypeDevice);
    CHECK(facts.device == 0);
    ok(cudaPointerGetAttributes(&facts, &facts));
    CHECK(facts.type == cudaMemoryTypeUnregistered);
  }
  CHECK(bytes_in_use(0) == before);
  void* memory = nullptr;
  CHECK(cudaMalloc(&memory, std::size_t{2} << 30) == cudaErrorMemoryAllocation);
  CHECK(memory == nullptr);
  CHECK(cudaFree(&memory) == cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST_CASE("a copy whose direction or length does not fit its buffers is refused") {
  const DeviceArray<char> array(16);
  std::vector<char> host(32);
  CHECK(cudaMemcpy(array.data(), host.data(), 32, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(array.data(), host.data(), 16, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(host.data(), host.data() + 16, 16, cudaMemcpyDeviceToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(array.data(), host.data(), 16, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemcpy(host.data(), array.data(), 16, cudaMemcpyDefault) == cudaSuccess);
  cudaGetLastError();
}

TEST_CASE("memory of a pool is given back in the order of its stream") {
  cudaStream_t stream = nullptr;
  ok(cudaStreamCreate(&stream));
  const std::size_t before = bytes_in_use(0);
  int* memory = nullptr;
  ok(cudaMallocAsync(reinterpret_cast<void**>(&memory), 64, stream));
  ok(cudaMemsetAsync(memory, 1, 64, stream));
  std::vector<int> host(16);
  ok(cudaMemcpyAsync(host.data(), memory, 64, cudaMemcpyDeviceToHost, stream));
  ok(cudaFreeAsync(memory, stream));
  ok(cudaStreamSynchronize(stream));
  CHECK(host == std::vector<int>(16, 0x01010101));
  CHECK(bytes_in_use(0) == before);
  ok(cudaStreamDestroy(stream));
}

TEST_CASE("virtual memory is physical memory seen at two addresses") {
  CUmemGenericAllocationHandle handle{};
  const CUmemAllocationProp wanted = on_device(0);
  const auto create = driver_call<decltype(&cuMemCreate)>("cuMemCreate");
  CHECK(create(&handle, 4096, &wanted, 0) == CUDA_ERROR_INVALID_VALUE);  // no multiple of the granularity
  REQUIRE(create(&handle, granule, &wanted, 0) == CUDA_SUCCESS);
  char* const a = map(handle);
  char* const b = map(handle);
  const char text[] = "once written, twice read";
  ok(cudaMemcpy(a, text, sizeof text, cudaMemcpyHostToDevice));
  char back[sizeof text];
  ok(cudaMemcpy(back, b, sizeof text, cudaMemcpyDeviceToHost));
  CHECK(std::memcmp(back, text, sizeof text) == 0);
  CHECK(driver_call<decltype(&cuMemRelease)>("cuMemRelease")(handle) == CUDA_SUCCESS);
  for (char* const place : {a, b}) {
    const auto address = reinterpret_cast<CUdeviceptr>(place);
    CHECK(driver_call<decltype(&cuMemUnmap)>("cuMemUnmap")(address, granule) == CUDA_SUCCESS);
    CHECK(driver_call<decltype(&cuMemAddressFree)>("cuMemAddressFree")(address, granule) == CUDA_SUCCESS);
  }
  CHECK(bytes_in_use(0) == 0);
}

TEST_CASE("another process reads memory through a descriptor of virtual memory") {
  // The child is forked before this process has used a device, and is given the descriptor by inheritance.
  CUmemGenericAllocationHandle handle{};
  const CUmemAllocationProp wanted = on_device(0);
  REQUIRE(driver_call<decltype(&cuMemCreate)>("cuMemCreate")(&handle, granule, &wanted, 0) == CUDA_SUCCESS);
  char* const mine = map(handle);
  int descriptor = -1;
  REQUIRE(driver_call<decltype(&cuMemExportToShareableHandle)>("cuMemExportToShareableHandle")(
              &descriptor, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0) == CUDA_SUCCESS);
  std::strcpy(mine, "from the parent");
  const int found = in_child([&] {
    CUmemGenericAllocationHandle theirs{};
    if (driver_call<decltype(&cuMemImportFromShareableHandle)>("cuMemImportFromShareableHandle")(
            &theirs, reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor)),
            CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) != CUDA_SUCCESS) {
      return 1;
    }
    char* const place = map(theirs);
    const bool same = std::strcmp(place, "from the parent") == 0;
    std::strcpy(place, "from the child");
    return same ? 0 : 2;
  });
  CHECK(found == 0);
  CHECK(std::string(mine) == "from the child");
  close(descriptor);
  CHECK(driver_call<decltype(&cuMemRelease)>("cuMemRelease")(handle) == CUDA_SUCCESS);
  const auto address = reinterpret_cast<CUdeviceptr>(mine);
  CHECK(driver_call<decltype(&cuMemUnmap)>("cuMemUnmap")(address, granule) == CUDA_SUCCESS);
  CHECK(driver_call<decltype(&cuMemAddressFree)>("cuMemAddressFree")(address, granule) == CUDA_SUCCESS);
}

TEST_CASE("another process reads a plain allocation through its handle, and the own process may not") {
  const DeviceArray<int> array(std::vector<int>{1, 2, 3});
  cudaIpcMemHandle_t handle{};
  ok(cudaIpcGetMemHandle(&handle, array.data()));
  void* place = nullptr;
  CHECK(cudaIpcOpenMemHandle(&place, handle, cudaIpcMemLazyEnablePeerAccess) == cudaErrorDeviceUninitialized);
  CHECK(cudaIpcGetMemHandle(&handle, array.data() + 1) == cudaErrorInvalidValue);
  ok(cudaIpcGetMemHandle(&handle, array.data()));
  const int found = in_child([&] {
    void* theirs = nullptr;
    if (cudaIpcOpenMemHandle(&theirs, handle, cudaIpcMemLazyEnablePeerAccess) != cudaSuccess) return 1;
    const int* values = static_cast<const int*>(theirs);
    if (values[0] != 1 || values[2] != 3) return 2;
    static_cast<int*>(theirs)[1] = 20;
    return cudaIpcCloseMemHandle(theirs) == cudaSuccess ? 0 : 3;
  });
  CHECK(found == 0);
  CHECK(array.values() == std::vector<int>{1, 20, 3});
  cudaGetLastError();
}
