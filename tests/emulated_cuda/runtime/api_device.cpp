/// @file  cuda*: devices, versions, errors, peers, occupancy.
#include <cstdio>
#include <cstring>

#include "emulated_cuda/runtime/grid.hpp"
#include "emulated_cuda/runtime/kernels.hpp"
#include "emulated_cuda/runtime/machine.hpp"
#include "emulated_cuda/runtime/queue.hpp"
#include "emulated_cuda/runtime/settings.hpp"

using namespace tutti::emulated;

namespace {

constexpr int shared_bytes = 48 << 10, opt_in_shared_bytes = 160 << 10;

bool is_device(int number) { return number >= 0 && number < device_count(); }

unsigned bus_of(int number) {
  const auto index = static_cast<std::size_t>(settings().visible_first + number);
  return index < settings().buses.size() ? settings().buses[index] : 0x10U + static_cast<unsigned>(index);
}

}  // namespace

TUTTI_EMULATED_API cudaError_t cudaDriverGetVersion(int* version) {
  *version = settings().driver_version;
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaGetDeviceCount(int* count) {
  if (settings().driver_version == 0) return remember(cudaErrorInsufficientDriver);
  *count = device_count();
  return *count > 0 ? cudaSuccess : remember(cudaErrorNoDevice);
}
TUTTI_EMULATED_API cudaError_t cudaSetDevice(int number) {
  if (settings().driver_version == 0) return remember(cudaErrorInsufficientDriver);
  if (!is_device(number)) return remember(device_count() == 0 ? cudaErrorNoDevice : cudaErrorInvalidDevice);
  current_device() = number;
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaInitDevice(int number, unsigned, unsigned) {
  return remember(is_device(number) ? cudaSuccess : cudaErrorInvalidDevice);
}
TUTTI_EMULATED_API cudaError_t cudaGetDevice(int* number) {
  if (settings().driver_version == 0) return remember(cudaErrorInsufficientDriver);
  *number = current_device();
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaSetDeviceFlags(unsigned) { return cudaSuccess; }
TUTTI_EMULATED_API cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  *flags = 0;
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) { return cudaSuccess; }
TUTTI_EMULATED_API cudaError_t cudaDeviceReset() {
  drain(here());
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaDeviceSynchronize() {
  TUTTI_EMULATED_BEGIN("cudaDeviceSynchronize");
  drain(here());
  return remember(static_cast<cudaError_t>(here().lost.load()));
}

TUTTI_EMULATED_API cudaError_t cudaGetDeviceProperties(cudaDeviceProp* facts, int number) {
  if (!is_device(number)) return remember(cudaErrorInvalidDevice);
  std::memset(facts, 0, sizeof *facts);
  std::snprintf(facts->name, sizeof facts->name, "tutti virtual GPU %d", settings().visible_first + number);
  facts->major = settings().compute_major;
  facts->minor = settings().compute_minor;
  facts->multiProcessorCount = static_cast<int>(settings().multiprocessors);
  facts->warpSize = 32;
  facts->maxThreadsPerBlock = 1024;
  facts->maxThreadsPerMultiProcessor = 2048;
  facts->regsPerBlock = 65536;
  facts->totalGlobalMem = settings().memory_bytes;
  facts->cooperativeLaunch = 1;
  facts->unifiedAddressing = 1;
  facts->canMapHostMemory = 1;
  facts->memoryPoolsSupported = 1;
  facts->pciBusID = static_cast<int>(bus_of(number));
  facts->sharedMemPerBlock = shared_bytes;
  facts->sharedMemPerBlockOptin = opt_in_shared_bytes;
  return cudaSuccess;
}

TUTTI_EMULATED_API cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int number) {
  if (!is_device(number)) return remember(cudaErrorInvalidDevice);
  switch (attribute) {
    case cudaDevAttrMultiProcessorCount:
      *value = static_cast<int>(settings().multiprocessors);
      return cudaSuccess;
    case cudaDevAttrComputeCapabilityMajor:
      *value = settings().compute_major;
      return cudaSuccess;
    case cudaDevAttrComputeCapabilityMinor:
      *value = settings().compute_minor;
      return cudaSuccess;
    case cudaDevAttrWarpSize:
      *value = 32;
      return cudaSuccess;
    case cudaDevAttrMaxThreadsPerBlock:
      *value = 1024;
      return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      *value = shared_bytes;
      return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = opt_in_shared_bytes;
      return cudaSuccess;
    case cudaDevAttrPciBusId:
      *value = static_cast<int>(bus_of(number));
      return cudaSuccess;
    case cudaDevAttrPciDeviceId:
    case cudaDevAttrPciDomainId:
    case cudaDevAttrIntegrated:
    case cudaDevAttrComputeMode:
      *value = 0;
      return cudaSuccess;
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrHostRegisterSupported:
    case cudaDevAttrMemoryPoolsSupported:
    case cudaDevAttrManagedMemory:
      *value = 1;
      return cudaSuccess;
    case cudaDevAttrPageableMemoryAccess:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrGPUDirectRDMASupported:
      *value = 0;
      return cudaSuccess;
    default:
      return remember(cudaErrorInvalidValue);
  }
}

TUTTI_EMULATED_API cudaError_t cudaDeviceGetPCIBusId(char* text, int bytes, int number) {
  if (!is_device(number)) return remember(cudaErrorInvalidDevice);
  std::snprintf(text, static_cast<std::size_t>(bytes), "0000:%02x:00.0", bus_of(number));
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaDeviceGetByPCIBusId(int* number, const char* text) {
  unsigned bus = 0;
  if (std::sscanf(text, "%*x:%x:", &bus) != 1) return remember(cudaErrorInvalidValue);
  for (int i = 0; i < device_count(); ++i) {
    if (bus_of(i) != bus) continue;
    *number = i;
    return cudaSuccess;
  }
  return remember(cudaErrorInvalidDevice);
}
TUTTI_EMULATED_API cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = -5;
  return cudaSuccess;
}

TUTTI_EMULATED_API cudaError_t cudaDeviceCanAccessPeer(int* can, int from, int to) {
  if (!is_device(from) || !is_device(to)) return remember(cudaErrorInvalidDevice);
  *can = from != to && peers(from, to) ? 1 : 0;
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int from, int to) {
  if (!is_device(from) || !is_device(to) || from == to) return remember(cudaErrorInvalidDevice);
  *value = peers(from, to) && attribute != cudaDevP2PAttrPerformanceRank ? 1 : 0;
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaDeviceEnablePeerAccess(int to, unsigned flags) {
  TUTTI_EMULATED_BEGIN("cudaDeviceEnablePeerAccess");
  if (flags != 0) return remember(cudaErrorInvalidValue);
  if (!is_device(to) || to == current_device()) return remember(cudaErrorInvalidDevice);
  if (!peers(current_device(), to)) return remember(cudaErrorPeerAccessUnsupported);
  const std::lock_guard lock(here().mutex);
  return remember(here().peers.insert(to).second ? cudaSuccess : cudaErrorPeerAccessAlreadyEnabled);
}
TUTTI_EMULATED_API cudaError_t cudaDeviceDisablePeerAccess(int to) {
  const std::lock_guard lock(here().mutex);
  return remember(here().peers.erase(to) == 1 ? cudaSuccess : cudaErrorPeerAccessNotEnabled);
}

TUTTI_EMULATED_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void*,
                                                                                      int threads, size_t dynamic,
                                                                                      unsigned) {
  if (threads < 1 || threads > 1024) return remember(cudaErrorInvalidValue);
  *blocks = dynamic > opt_in_shared_bytes ? 0 : settings().blocks_per_multiprocessor;
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* stub, int threads,
                                                                             size_t dynamic) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, stub, threads, dynamic, 0);
}

TUTTI_EMULATED_API cudaError_t cudaFuncSetAttribute(const void* stub, cudaFuncAttribute attribute, int value) {
  if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
    if (value > opt_in_shared_bytes) return remember(cudaErrorInvalidValue);
    allow_dynamic_shared(stub, value);
  }
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* facts, const void* stub) {
  TUTTI_EMULATED_BEGIN("cudaFuncGetAttributes");
  const std::string name = name_of_stub(stub);
  if (name.empty()) return remember(cudaErrorInvalidDeviceFunction);
  if (kernel_named(name) == nullptr) return remember(cudaErrorNoKernelImageForDevice);
  std::memset(facts, 0, sizeof *facts);
  facts->maxThreadsPerBlock = 1024;
  facts->numRegs = 32;
  facts->maxDynamicSharedSizeBytes = allowed_dynamic_shared(stub);
  return cudaSuccess;
}

TUTTI_EMULATED_API cudaError_t cudaGetLastError() {
  const cudaError_t error = last_error();
  const int lost = device_count() > 0 ? here().lost.load() : static_cast<int>(error);  // sticky errors stay
  last_error() = static_cast<cudaError_t>(lost);
  return error;
}
TUTTI_EMULATED_API cudaError_t cudaPeekAtLastError() { return last_error(); }

namespace {

struct ErrorText {
  cudaError_t error;
  const char* name;
  const char* text;
};
constexpr ErrorText error_texts[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {cudaErrorStubLibrary, "cudaErrorStubLibrary", "CUDA driver is a stub library"},
    {cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver",
     "CUDA driver version is insufficient for CUDA runtime version"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorDeviceUninitialized, "cudaErrorDeviceUninitialized", "invalid device context"},
    {cudaErrorMapBufferObjectFailed, "cudaErrorMapBufferObjectFailed", "mapping of buffer object failed"},
    {cudaErrorNoKernelImageForDevice, "cudaErrorNoKernelImageForDevice",
     "no kernel image is available for execution on the device"},
    {cudaErrorECCUncorrectable, "cudaErrorECCUncorrectable", "uncorrectable ECC error encountered"},
    {cudaErrorPeerAccessUnsupported, "cudaErrorPeerAccessUnsupported",
     "peer access is not supported between these two devices"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {cudaErrorPeerAccessAlreadyEnabled, "cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled"},
    {cudaErrorPeerAccessNotEnabled, "cudaErrorPeerAccessNotEnabled", "peer access has not been enabled"},
    {cudaErrorHostMemoryAlreadyRegistered, "cudaErrorHostMemoryAlreadyRegistered",
     "part or all of the requested memory range is already mapped"},
    {cudaErrorHostMemoryNotRegistered, "cudaErrorHostMemoryNotRegistered",
     "pointer does not correspond to a registered memory region"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorCooperativeLaunchTooLarge, "cudaErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
     "operation not permitted when stream is capturing"},
    {cudaErrorStreamCaptureUnjoined, "cudaErrorStreamCaptureUnjoined", "unjoined work in the capture of a stream"},
    {cudaErrorStreamCaptureUnmatched, "cudaErrorStreamCaptureUnmatched", "capture was not initiated in this stream"},
    {cudaErrorIllegalState, "cudaErrorIllegalState", "the operation cannot be performed in the present state"},
    {cudaErrorCapturedEvent, "cudaErrorCapturedEvent",
     "operation not permitted on an event last recorded in a "
     "capturing stream"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};

const ErrorText* text_of(cudaError_t error) {
  for (const ErrorText& text : error_texts) {
    if (text.error == error) return &text;
  }
  return nullptr;
}

}  // namespace

TUTTI_EMULATED_API const char* cudaGetErrorName(cudaError_t error) {
  const ErrorText* text = text_of(error);
  return text != nullptr ? text->name : "unrecognized error code";
}
TUTTI_EMULATED_API const char* cudaGetErrorString(cudaError_t error) {
  const ErrorText* text = text_of(error);
  return text != nullptr ? text->text : "unrecognized error code";
}
