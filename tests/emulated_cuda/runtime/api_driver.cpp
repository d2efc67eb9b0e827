/// @file  cu*: the driver's virtual memory, and how the runtime hands out driver entry points.
#include <cuda.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "emulated_cuda/runtime/machine.hpp"
#include "emulated_cuda/runtime/memory.hpp"
#include "emulated_cuda/runtime/settings.hpp"

using namespace tutti::emulated;

namespace {

constexpr std::size_t granularity = 2 << 20;

CUresult driver_error(cudaError_t error) { return static_cast<CUresult>(error); }  // the numbers in use are equal

struct Reservations {
  std::mutex mutex;
  std::map<CUdeviceptr, std::size_t> all;
};
Reservations& reservations() {
  static auto* const all = new Reservations;
  return *all;
}

using PhysicalHandle = std::shared_ptr<Physical>;
PhysicalHandle& physical_of(CUmemGenericAllocationHandle handle) { return *reinterpret_cast<PhysicalHandle*>(handle); }

}  // namespace

TUTTI_EMULATED_API CUresult cuInit(unsigned) { return device_count() > 0 ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE; }
TUTTI_EMULATED_API CUresult cuDriverGetVersion(int* version) {
  *version = settings().driver_version;
  return CUDA_SUCCESS;
}
TUTTI_EMULATED_API CUresult cuDeviceGetCount(int* count) {
  *count = device_count();
  return CUDA_SUCCESS;
}
TUTTI_EMULATED_API CUresult cuDeviceGet(CUdevice* handle, int number) {
  if (number < 0 || number >= device_count()) return CUDA_ERROR_INVALID_DEVICE;
  *handle = number;
  return CUDA_SUCCESS;
}
TUTTI_EMULATED_API CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice number) {
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED:
      *value = 1;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED:
      *value = 0;
      return CUDA_SUCCESS;
    default:
      return driver_error(cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), number));
  }
}
TUTTI_EMULATED_API CUresult cuCtxGetDevice(CUdevice* number) {
  *number = current_device();
  return CUDA_SUCCESS;
}
TUTTI_EMULATED_API CUresult cuGetErrorString(CUresult error, const char** text) {
  *text = cudaGetErrorString(static_cast<cudaError_t>(error));
  return CUDA_SUCCESS;
}
TUTTI_EMULATED_API CUresult cuGetErrorName(CUresult error, const char** text) {
  *text = cudaGetErrorName(static_cast<cudaError_t>(error));
  return CUDA_SUCCESS;
}

// ---- virtual memory --------------------------------------------------------------------------------------------------
TUTTI_EMULATED_API CUresult cuMemGetAllocationGranularity(size_t* bytes, const CUmemAllocationProp*,
                                                          CUmemAllocationGranularity_flags) {
  *bytes = granularity;
  return CUDA_SUCCESS;
}
TUTTI_EMULATED_API CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, size_t bytes,
                                        const CUmemAllocationProp* wanted, unsigned long long) {
  const int number = wanted->location.id;
  if (number < 0 || number >= device_count()) return CUDA_ERROR_INVALID_DEVICE;
  if (const cudaError_t error = fault_on("cuMemCreate", number)) return driver_error(error);
  if (bytes == 0 || bytes % granularity != 0) return CUDA_ERROR_INVALID_VALUE;
  if ((wanted->requestedHandleTypes & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) != 0) return CUDA_ERROR_NOT_SUPPORTED;
  PhysicalHandle physical = Physical::make(bytes, number);
  if (physical == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  *handle = reinterpret_cast<CUmemGenericAllocationHandle>(new PhysicalHandle(std::move(physical)));
  return CUDA_SUCCESS;
}
TUTTI_EMULATED_API CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  delete reinterpret_cast<PhysicalHandle*>(handle);
  return CUDA_SUCCESS;
}
TUTTI_EMULATED_API CUresult cuMemExportToShareableHandle(void* shared, CUmemGenericAllocationHandle handle,
                                                         CUmemAllocationHandleType type, unsigned long long) {
  if (const cudaError_t error = fault("cuMemExportToShareableHandle")) return driver_error(error);
  if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_NOT_SUPPORTED;
  const int descriptor = fcntl(physical_of(handle)->descriptor(), F_DUPFD_CLOEXEC, 0);
  if (descriptor < 0) return CUDA_ERROR_OPERATING_SYSTEM;
  std::memcpy(shared, &descriptor, sizeof descriptor);
  return CUDA_SUCCESS;
}
TUTTI_EMULATED_API CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* handle, void* shared,
                                                           CUmemAllocationHandleType type) {
  if (const cudaError_t error = fault("cuMemImportFromShareableHandle")) return driver_error(error);
  if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_NOT_SUPPORTED;
  const int descriptor = fcntl(static_cast<int>(reinterpret_cast<std::intptr_t>(shared)), F_DUPFD_CLOEXEC, 0);
  if (descriptor < 0) return CUDA_ERROR_INVALID_VALUE;
  PhysicalHandle physical = Physical::adopt(descriptor);
  if (physical == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *handle = reinterpret_cast<CUmemGenericAllocationHandle>(new PhysicalHandle(std::move(physical)));
  return CUDA_SUCCESS;
}
TUTTI_EMULATED_API CUresult cuMemAddressReserve(CUdeviceptr* address, size_t bytes, size_t alignment, CUdeviceptr,
                                                unsigned long long) {
  if (bytes == 0 || bytes % granularity != 0) return CUDA_ERROR_INVALID_VALUE;
  const std::size_t align = std::max(alignment, granularity);
  void* memory = mmap(nullptr, bytes + align, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
  const auto begin = reinterpret_cast<CUdeviceptr>(memory);
  *address = (begin + align - 1) / align * align;
  if (*address > begin) munmap(memory, *address - begin);
  const CUdeviceptr end = *address + bytes;
  if (end < begin + bytes + align) munmap(reinterpret_cast<void*>(end), begin + bytes + align - end);
  const std::lock_guard lock(reservations().mutex);
  reservations().all[*address] = bytes;
  return CUDA_SUCCESS;
}
TUTTI_EMULATED_API CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes) {
  const std::lock_guard lock(reservations().mutex);
  const auto found = reservations().all.find(address);
  if (found == reservations().all.end() || found->second != bytes) return CUDA_ERROR_INVALID_VALUE;
  reservations().all.erase(found);
  munmap(reinterpret_cast<void*>(address), bytes);
  return CUDA_SUCCESS;
}
TUTTI_EMULATED_API CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset,
                                     CUmemGenericAllocationHandle handle, unsigned long long) {
  if (const cudaError_t error = fault("cuMemMap")) return driver_error(error);
  const PhysicalHandle& physical = physical_of(handle);
  if (offset != 0 || bytes != physical->bytes() || address % granularity != 0) return CUDA_ERROR_INVALID_VALUE;
  {
    const std::lock_guard lock(reservations().mutex);
    const auto found = reservations().all.upper_bound(address);
    if (found == reservations().all.begin()) return CUDA_ERROR_INVALID_VALUE;
    const auto& [begin, length] = *std::prev(found);
    if (address + bytes > begin + length) return CUDA_ERROR_INVALID_VALUE;
  }
  auto* place = reinterpret_cast<char*>(address);
  if (map_physical(physical, place, physical->device(), Origin::mapped) == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  mprotect(place, bytes, PROT_NONE);  // until cuMemSetAccess
  return CUDA_SUCCESS;
}
TUTTI_EMULATED_API CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc* wanted,
                                           size_t count) {
  if (const cudaError_t error = fault("cuMemSetAccess")) return driver_error(error);
  for (std::size_t i = 0; i < count; ++i) {
    const auto known = allocation_at(reinterpret_cast<void*>(address));
    if (!known) return CUDA_ERROR_INVALID_VALUE;
    const int number = wanted[i].location.id;
    if (number < 0 || number >= device_count()) return CUDA_ERROR_INVALID_DEVICE;
    if (number != known->device && !peers(number, known->device)) return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
    const bool writes = wanted[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    if (wanted[i].flags != 0)
      mprotect(reinterpret_cast<void*>(address), bytes, writes ? PROT_READ | PROT_WRITE : PROT_READ);
  }
  return CUDA_SUCCESS;
}
TUTTI_EMULATED_API CUresult cuMemUnmap(CUdeviceptr address, size_t bytes) {
  for (std::size_t done = 0; done < bytes;) {
    const auto known = allocation_at(reinterpret_cast<void*>(address + done));
    if (!known || !release_allocation(known->begin, Origin::mapped)) return CUDA_ERROR_INVALID_VALUE;
    done += page_up(known->bytes);
  }
  return CUDA_SUCCESS;
}
TUTTI_EMULATED_API CUresult cuMemGetAddressRange(CUdeviceptr* begin, size_t* bytes, CUdeviceptr address) {
  const auto known = allocation_at(reinterpret_cast<void*>(address));
  if (!known) return CUDA_ERROR_NOT_FOUND;
  if (begin != nullptr) *begin = reinterpret_cast<CUdeviceptr>(known->begin);
  if (bytes != nullptr) *bytes = known->bytes;
  return CUDA_SUCCESS;
}
/// Only memory of cuMemCreate has a handle, as on a GPU.
TUTTI_EMULATED_API CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* address) {
  const auto known = allocation_at(address);
  if (!known || known->origin != Origin::mapped) return CUDA_ERROR_INVALID_VALUE;
  *handle = reinterpret_cast<CUmemGenericAllocationHandle>(new PhysicalHandle(known->physical));
  return CUDA_SUCCESS;
}

// ---- how they are found ------------------------------------------------------------------------------------------------
TUTTI_EMULATED_API cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned,
                                                                unsigned long long,
                                                                cudaDriverEntryPointQueryResult* result) {
  static void* const self = [] {
    Dl_info info{};
    dladdr(reinterpret_cast<void*>(&cuInit), &info);
    return dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  }();
  *function = self != nullptr ? dlsym(self, symbol) : nullptr;
  if (*function == nullptr && self != nullptr) *function = dlsym(self, (std::string(symbol) + "_v2").c_str());
  if (result != nullptr) {
    *result = *function != nullptr ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  }
  return cudaSuccess;
}
#undef cudaGetDriverEntryPoint
TUTTI_EMULATED_API cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                                                       cudaDriverEntryPointQueryResult* result) {
  return cudaGetDriverEntryPointByVersion(symbol, function, CUDART_VERSION, flags, result);
}
