/// @file  A driver library of two GPUs that are not there, for tests: found by the loader in place of NVML.
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace {

unsigned index_of(void* handle) { return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(handle)) - 1; }

struct Pci {
  char legacy_bus_id[16];
  unsigned domain, bus, device, device_and_vendor, subsystem;
  char bus_id[32];
};

}  // namespace

extern "C" {
int nvmlInit_v2() { return 0; }
int nvmlShutdown() { return 0; }
int nvmlDeviceGetCount_v2(unsigned* count) { return *count = 2, 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** handle) {
  *handle = reinterpret_cast<void*>(static_cast<std::uintptr_t>(index) + 1);
  return 0;
}
int nvmlDeviceGetPciInfo_v3(void* handle, Pci* info) {
  *info = {};
  info->bus = 0x11 + index_of(handle);
  info->device_and_vendor = 0x233010de;
  return 0;
}
int nvmlDeviceGetName(void*, char* text, unsigned size) { return std::snprintf(text, size, "Imaginary H100"), 0; }
int nvmlDeviceGetUUID(void* handle, char* text, unsigned size) {
  return std::snprintf(text, size, "GPU-0000000%u", index_of(handle)), 0;
}
int nvmlDeviceGetUtilizationRates(void* handle, unsigned rates[2]) {
  rates[0] = 40 + 50 * index_of(handle);
  rates[1] = 7;
  return 0;
}
int nvmlDeviceGetMemoryInfo(void*, unsigned long long memory[3]) {
  memory[0] = 80ULL << 30;
  memory[1] = 60ULL << 30;
  memory[2] = 20ULL << 30;
  return 0;
}
int nvmlDeviceGetTemperature(void* handle, int, unsigned* celsius) { return *celsius = 50 + 5 * index_of(handle), 0; }
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) { return *milliwatts = 431'200, 0; }
int nvmlDeviceGetEnforcedPowerLimit(void*, unsigned* milliwatts) { return *milliwatts = 700'000, 0; }
}
