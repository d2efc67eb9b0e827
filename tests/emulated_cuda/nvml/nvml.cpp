/// @file  nvml*: a libnvidia-ml.so.1 over the machine that EMULATED_MACHINE describes.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "emulated_cuda/machine_file.hpp"

using namespace tutti::emulated;

namespace {

constexpr int success = 0, invalid_argument = 2, not_supported = 3, not_found = 6;

/// As NVML lays it out.
struct PciFacts {
  std::array<char, 16> legacy_bus_id;
  unsigned domain, bus, device, device_and_vendor, subsystem;
  std::array<char, 32> bus_id;
};
struct MemoryFacts {
  unsigned long long total, free, used;
};

const MachineFile& machine() {
  static const MachineFile file = machine_of_environment();
  return file;
}

/// Handle i + 1 is GPU i.
std::size_t index_of(void* handle) { return reinterpret_cast<std::uintptr_t>(handle) - 1; }
const MachineGpu& gpu_of(void* handle) { return machine().gpus[index_of(handle)]; }

void fill(PciFacts& facts, const MachineGpu& gpu) {
  facts = {};
  facts.domain = gpu.domain;
  facts.bus = gpu.bus;
  facts.device = gpu.device;
  facts.device_and_vendor = 0x233010de;
  std::snprintf(facts.bus_id.data(), facts.bus_id.size(), "%08X:%02X:%02X.0", gpu.domain, gpu.bus, gpu.device);
  std::snprintf(facts.legacy_bus_id.data(), facts.legacy_bus_id.size(), "%04X:%02X:%02X.0", gpu.domain, gpu.bus,
                gpu.device);
}

/// The far end of one of a GPU's NVLinks, which are numbered through; null: there is no such link.
const MachineLink* link_of(void* handle, unsigned number) {
  int first = 0;
  for (const MachineLink& link : machine().links) {
    if (static_cast<std::size_t>(link.gpu) != index_of(handle)) continue;
    if (static_cast<int>(number) < first + link.count) return &link;
    first += link.count;
  }
  return nullptr;
}

}  // namespace

#define TUTTI_NVML_API extern "C" __attribute__((visibility("default")))

TUTTI_NVML_API int nvmlInit_v2() { return machine().gpus.empty() ? 9 /* no driver */ : success; }
TUTTI_NVML_API int nvmlShutdown() { return success; }
TUTTI_NVML_API int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = static_cast<unsigned>(machine().gpus.size());
  return success;
}
TUTTI_NVML_API int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** handle) {
  if (index >= machine().gpus.size()) return invalid_argument;
  *handle = reinterpret_cast<void*>(std::uintptr_t{index} + 1);
  return success;
}
TUTTI_NVML_API int nvmlDeviceGetPciInfo_v3(void* handle, PciFacts* facts) {
  fill(*facts, gpu_of(handle));
  return success;
}
TUTTI_NVML_API int nvmlDeviceGetName(void* handle, char* text, unsigned bytes) {
  std::snprintf(text, bytes, "%s", gpu_of(handle).model.c_str());
  return success;
}
TUTTI_NVML_API int nvmlDeviceGetUUID(void* handle, char* text, unsigned bytes) {
  std::snprintf(text, bytes, "GPU-00000000-0000-0000-0000-%012zx", index_of(handle));
  return success;
}
TUTTI_NVML_API int nvmlDeviceGetCudaComputeCapability(void*, int* major, int* minor) {
  *major = 9;
  *minor = 0;
  return success;
}
TUTTI_NVML_API int nvmlDeviceGetMemoryInfo(void*, MemoryFacts* facts) {
  *facts = {1ULL << 30, 1ULL << 30, 0};
  return success;
}
TUTTI_NVML_API int nvmlDeviceGetNvLinkState(void* handle, unsigned number, unsigned* active) {
  if (link_of(handle, number) == nullptr) return not_supported;
  *active = 1;
  return success;
}
TUTTI_NVML_API int nvmlDeviceGetNvLinkRemotePciInfo_v2(void* handle, unsigned number, PciFacts* facts) {
  const MachineLink* link = link_of(handle, number);
  if (link == nullptr || link->peer < 0) return not_found;
  fill(*facts, machine().gpus[static_cast<std::size_t>(link->peer)]);
  return success;
}
TUTTI_NVML_API int nvmlDeviceGetNvLinkRemoteDeviceType(void* handle, unsigned number, unsigned* type) {
  const MachineLink* link = link_of(handle, number);
  if (link == nullptr) return not_found;
  *type = link->peer < 0 ? 2 : 0;
  return success;
}
TUTTI_NVML_API int nvmlDeviceGetMigMode(void*, unsigned*, unsigned*) { return not_supported; }
