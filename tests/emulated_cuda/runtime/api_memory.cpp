/// @file  cuda*: memory, copies, pools, and handles for other processes.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "emulated_cuda/runtime/machine.hpp"
#include "emulated_cuda/runtime/memory.hpp"
#include "emulated_cuda/runtime/queue.hpp"
#include "emulated_cuda/runtime/settings.hpp"

using namespace tutti::emulated;

namespace {

cudaError_t make(void** place, std::size_t bytes, Origin origin) {
  if (place == nullptr) return remember(cudaErrorInvalidValue);
  *place = nullptr;
  if (bytes == 0) return cudaSuccess;
  *place = allocate(bytes, current_device(), origin);
  return remember(*place != nullptr ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t drop(void* place, Origin origin) {
  if (place == nullptr) return cudaSuccess;
  const auto known = allocation_at(place);
  if (!known || known->begin != place) return remember(cudaErrorInvalidValue);
  drain(device(known->device));  // as cudaFree does
  return remember(release_allocation(place, origin) ? cudaSuccess : cudaErrorInvalidValue);
}

/// Where a copy's end lies, and that it lies there whole.
enum class Place { host, device, beyond };
Place place_of(const void* address, std::size_t bytes) {
  const auto known = allocation_at(address);
  if (!known) return Place::host;
  if (static_cast<const char*>(address) + bytes > known->begin + known->bytes) return Place::beyond;
  return known->on_device() && known->origin != Origin::managed ? Place::device : Place::host;
}

cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, Queue* queue, bool wait) {
  TUTTI_EMULATED_BEGIN("cudaMemcpy");
  if (bytes == 0) return cudaSuccess;
  const Place target = place_of(to, bytes), source = place_of(from, bytes);
  if (target == Place::beyond || source == Place::beyond) return remember(cudaErrorInvalidValue);
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (kind != cudaMemcpyDefault &&
      ((target == Place::device) != to_device || (source == Place::device) != from_device)) {
    const auto managed = [](const void* p) {
      const auto a = allocation_at(p);
      return a && a->origin == Origin::managed;
    };
    if (!managed(to) && !managed(from)) return remember(cudaErrorInvalidValue);
  }
  if (queue->capture.status == cudaStreamCaptureStatusActive && wait) {
    return remember(cudaErrorStreamCaptureUnsupported);
  }
  const MarkPointer mark = queue->add([=, &mine = device(queue->device())] {
    if (mine.lost.load() == 0) std::memcpy(to, from, bytes);
  });
  if (wait) mark->wait();
  return remember(wait ? static_cast<cudaError_t>(here().lost.load()) : cudaSuccess);
}

cudaError_t fill(void* to, int value, std::size_t bytes, Queue* queue, bool wait) {
  TUTTI_EMULATED_BEGIN("cudaMemset");
  if (bytes == 0) return cudaSuccess;
  if (place_of(to, bytes) == Place::beyond || !allocation_at(to)) return remember(cudaErrorInvalidValue);
  const MarkPointer mark = queue->add([=] { std::memset(to, value, bytes); });
  if (wait) mark->wait();
  return cudaSuccess;
}

struct Handle {
  std::uint32_t magic;
  int process, descriptor;
};
constexpr std::uint32_t handle_magic = 0x74757474;

}  // namespace

TUTTI_EMULATED_API cudaError_t cudaMalloc(void** place, size_t bytes) {
  TUTTI_EMULATED_BEGIN("cudaMalloc");
  return make(place, bytes, Origin::device);
}
TUTTI_EMULATED_API cudaError_t cudaFree(void* place) {
  TUTTI_EMULATED_BEGIN("cudaFree");
  return drop(place, Origin::device) != cudaSuccess ? drop(place, Origin::managed) : cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaMallocManaged(void** place, size_t bytes, unsigned) {
  TUTTI_EMULATED_BEGIN("cudaMallocManaged");
  return make(place, bytes, Origin::managed);
}
TUTTI_EMULATED_API cudaError_t cudaMallocHost(void** place, size_t bytes) {
  TUTTI_EMULATED_BEGIN("cudaMallocHost");
  return make(place, bytes, Origin::pinned);
}
TUTTI_EMULATED_API cudaError_t cudaHostAlloc(void** place, size_t bytes, unsigned) {
  TUTTI_EMULATED_BEGIN("cudaHostAlloc");
  return make(place, bytes, Origin::pinned);
}
TUTTI_EMULATED_API cudaError_t cudaFreeHost(void* place) { return drop(place, Origin::pinned); }
TUTTI_EMULATED_API cudaError_t cudaHostRegister(void* place, size_t bytes, unsigned) {
  TUTTI_EMULATED_BEGIN("cudaHostRegister");
  if (allocation_at(place)) return remember(cudaErrorHostMemoryAlreadyRegistered);
  know({static_cast<char*>(place), bytes, current_device(), Origin::registered, nullptr});
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaHostUnregister(void* place) {
  return remember(release_allocation(place, Origin::registered) ? cudaSuccess : cudaErrorHostMemoryNotRegistered);
}
TUTTI_EMULATED_API cudaError_t cudaHostGetDevicePointer(void** device_side, void* host, unsigned) {
  if (!allocation_at(host)) return remember(cudaErrorInvalidValue);
  *device_side = host;
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total) {
  TUTTI_EMULATED_BEGIN("cudaMemGetInfo");
  *total = settings().memory_bytes;
  *free_bytes = *total - here().used.load();
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* facts, const void* address) {
  TUTTI_EMULATED_BEGIN("cudaPointerGetAttributes");
  std::memset(facts, 0, sizeof *facts);
  const auto known = allocation_at(address);
  facts->type = cudaMemoryTypeUnregistered;
  facts->device = -2;
  if (!known) return cudaSuccess;
  facts->type = known->origin == Origin::managed ? cudaMemoryTypeManaged
                : known->on_device()             ? cudaMemoryTypeDevice
                                                 : cudaMemoryTypeHost;
  facts->device = known->device;
  facts->devicePointer = const_cast<void*>(address);
  facts->hostPointer = facts->type == cudaMemoryTypeDevice ? nullptr : const_cast<void*>(address);
  return cudaSuccess;
}

// ---- copies ----------------------------------------------------------------------------------------------------------
TUTTI_EMULATED_API cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return copy(to, from, bytes, kind, default_queue(current_device()), true);
}
TUTTI_EMULATED_API cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                               cudaStream_t stream) {
  return copy(to, from, bytes, kind, queue_of(stream), false);
}
TUTTI_EMULATED_API cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, size_t bytes) {
  return copy(to, from, bytes, cudaMemcpyDeviceToDevice, default_queue(current_device()), true);
}
TUTTI_EMULATED_API cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, size_t bytes,
                                                   cudaStream_t stream) {
  return copy(to, from, bytes, cudaMemcpyDeviceToDevice, queue_of(stream), false);
}
TUTTI_EMULATED_API cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  return fill(to, value, bytes, default_queue(current_device()), true);
}
TUTTI_EMULATED_API cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  return fill(to, value, bytes, queue_of(stream), false);
}

// ---- pools: what is taken comes at once, what is given back goes in the order of the stream ----------------------------
namespace {

struct MemoryPool {
  int device = 0;
  std::uint64_t release_threshold = 0;
};

MemoryPool& default_pool(int number) {
  static auto* const all = new std::vector<MemoryPool>(static_cast<std::size_t>(std::max(device_count(), 1)));
  MemoryPool& pool = (*all)[static_cast<std::size_t>(number)];
  pool.device = number;
  return pool;
}

}  // namespace

TUTTI_EMULATED_API cudaError_t cudaMallocFromPoolAsync(void** place, size_t bytes, cudaMemPool_t pool, cudaStream_t) {
  TUTTI_EMULATED_BEGIN("cudaMallocAsync");
  if (pool == nullptr || place == nullptr) return remember(cudaErrorInvalidValue);
  *place = bytes == 0 ? nullptr : allocate(bytes, reinterpret_cast<MemoryPool*>(pool)->device, Origin::device);
  return remember(*place != nullptr || bytes == 0 ? cudaSuccess : cudaErrorMemoryAllocation);
}
TUTTI_EMULATED_API cudaError_t cudaMallocAsync(void** place, size_t bytes, cudaStream_t stream) {
  return cudaMallocFromPoolAsync(place, bytes, reinterpret_cast<cudaMemPool_t>(&default_pool(current_device())),
                                 stream);
}
TUTTI_EMULATED_API cudaError_t cudaFreeAsync(void* place, cudaStream_t stream) {
  TUTTI_EMULATED_BEGIN("cudaFreeAsync");
  const auto known = allocation_at(place);
  if (place != nullptr && (!known || known->begin != place || known->origin != Origin::device)) {
    return remember(cudaErrorInvalidValue);
  }
  if (place != nullptr) queue_of(stream)->add([place] { release_allocation(place, Origin::device); });
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int number) {
  *pool = reinterpret_cast<cudaMemPool_t>(&default_pool(number));
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int number) {
  return cudaDeviceGetDefaultMemPool(pool, number);
}
TUTTI_EMULATED_API cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* wanted) {
  TUTTI_EMULATED_BEGIN("cudaMemPoolCreate");
  *pool = reinterpret_cast<cudaMemPool_t>(new MemoryPool{wanted->location.id});
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  delete reinterpret_cast<MemoryPool*>(pool);
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return cudaSuccess; }
TUTTI_EMULATED_API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  if (attribute == cudaMemPoolAttrReleaseThreshold) {
    std::memcpy(&reinterpret_cast<MemoryPool*>(pool)->release_threshold, value, sizeof(std::uint64_t));
  }
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  const auto& mine = *reinterpret_cast<MemoryPool*>(pool);
  std::uint64_t answer = 0;
  if (attribute == cudaMemPoolAttrReleaseThreshold) answer = mine.release_threshold;
  if (attribute == cudaMemPoolAttrUsedMemCurrent || attribute == cudaMemPoolAttrReservedMemCurrent) {
    answer = device(mine.device).used.load();
  }
  std::memcpy(value, &answer, sizeof answer);
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* wanted, size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const int mine = reinterpret_cast<MemoryPool*>(pool)->device;
    if (wanted[i].location.id != mine && !peers(wanted[i].location.id, mine)) {
      return remember(cudaErrorPeerAccessUnsupported);
    }
  }
  return cudaSuccess;
}

// ---- between processes: the exporter's descriptor, found through /proc, so that nothing is left behind ---------------
TUTTI_EMULATED_API cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* place) {
  TUTTI_EMULATED_BEGIN("cudaIpcGetMemHandle");
  const auto known = allocation_at(place);
  if (!known || known->begin != place || known->origin != Origin::device) return remember(cudaErrorInvalidValue);
  const Handle mine{handle_magic, getpid(), known->physical->descriptor()};
  std::memset(handle, 0, sizeof *handle);
  std::memcpy(handle, &mine, sizeof mine);
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaIpcOpenMemHandle(void** place, cudaIpcMemHandle_t handle, unsigned flags) {
  TUTTI_EMULATED_BEGIN("cudaIpcOpenMemHandle");
  Handle theirs{};
  std::memcpy(&theirs, &handle, sizeof theirs);
  if (theirs.magic != handle_magic || flags != cudaIpcMemLazyEnablePeerAccess) return remember(cudaErrorInvalidValue);
  if (theirs.process == getpid()) return remember(cudaErrorDeviceUninitialized);
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/fd/%d", theirs.process, theirs.descriptor);
  const int descriptor = open(path, O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return remember(cudaErrorMapBufferObjectFailed);
  const auto physical = Physical::adopt(descriptor);
  if (physical == nullptr) {
    close(descriptor);
    return remember(cudaErrorMapBufferObjectFailed);
  }
  if (physical->device() != current_device() && physical->device() < device_count() &&
      !peers(current_device(), physical->device())) {
    return remember(cudaErrorPeerAccessUnsupported);
  }
  *place = map_physical(physical, nullptr, current_device(), Origin::imported);
  return remember(*place != nullptr ? cudaSuccess : cudaErrorMapBufferObjectFailed);
}
TUTTI_EMULATED_API cudaError_t cudaIpcCloseMemHandle(void* place) {
  return remember(release_allocation(place, Origin::imported) ? cudaSuccess : cudaErrorInvalidValue);
}
