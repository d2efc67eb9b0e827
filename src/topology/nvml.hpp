/// @file  NVML, the driver's library: the few functions that a topology and metrics need, found at run time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "tutti/topology/topology.hpp"

namespace tutti::nvml {

using Handle = void*;
inline constexpr int success = 0;
inline constexpr unsigned max_links = 18;

/// As NVML lays it out.
struct PciInfo {
  std::array<char, 16> legacy_bus_id;
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned device_and_vendor;
  unsigned subsystem;
  std::array<char, 32> bus_id;
};
struct Memory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};
struct Utilisation {
  unsigned gpu;  ///< percent
  unsigned memory;
};
struct FieldValue {
  unsigned field;
  unsigned scope;
  long long timestamp;
  long long latency;
  unsigned type;
  int result;
  unsigned long long value;  ///< a union of numbers, of the type that `type` says
};

/// The library's functions, by its names. Each returns 0 for success. Null where the library has none of it.
struct Functions {
  int (*init)() = nullptr;                                         // nvmlInit_v2
  int (*shutdown)() = nullptr;                                     // nvmlShutdown
  int (*count)(unsigned*) = nullptr;                               // nvmlDeviceGetCount_v2
  int (*handle)(unsigned, Handle*) = nullptr;                      // nvmlDeviceGetHandleByIndex_v2
  int (*pci_info)(Handle, PciInfo*) = nullptr;                     // nvmlDeviceGetPciInfo_v3
  int (*name)(Handle, char*, unsigned) = nullptr;                  // nvmlDeviceGetName
  int (*uuid)(Handle, char*, unsigned) = nullptr;                  // nvmlDeviceGetUUID
  int (*compute_capability)(Handle, int*, int*) = nullptr;         // nvmlDeviceGetCudaComputeCapability
  int (*memory)(Handle, Memory*) = nullptr;                        // nvmlDeviceGetMemoryInfo
  int (*generation)(Handle, unsigned*) = nullptr;                  // nvmlDeviceGetCurrPcieLinkGeneration
  int (*width)(Handle, unsigned*) = nullptr;                       // nvmlDeviceGetCurrPcieLinkWidth
  int (*max_generation)(Handle, unsigned*) = nullptr;              // nvmlDeviceGetMaxPcieLinkGeneration
  int (*max_width)(Handle, unsigned*) = nullptr;                   // nvmlDeviceGetMaxPcieLinkWidth
  int (*link_state)(Handle, unsigned, unsigned*) = nullptr;        // nvmlDeviceGetNvLinkState
  int (*link_remote)(Handle, unsigned, PciInfo*) = nullptr;        // nvmlDeviceGetNvLinkRemotePciInfo_v2
  int (*link_remote_type)(Handle, unsigned, unsigned*) = nullptr;  // nvmlDeviceGetNvLinkRemoteDeviceType
  int (*mig_mode)(Handle, unsigned*, unsigned*) = nullptr;         // nvmlDeviceGetMigMode
  int (*mig_count)(Handle, unsigned*) = nullptr;                   // nvmlDeviceGetMaxMigDeviceCount
  int (*mig_handle)(Handle, unsigned, Handle*) = nullptr;          // nvmlDeviceGetMigDeviceHandleByIndex
  int (*gpu_instance)(Handle, unsigned*) = nullptr;                // nvmlDeviceGetGpuInstanceId
  int (*compute_instance)(Handle, unsigned*) = nullptr;            // nvmlDeviceGetComputeInstanceId
  int (*utilisation)(Handle, Utilisation*) = nullptr;              // nvmlDeviceGetUtilizationRates
  int (*temperature)(Handle, int, unsigned*) = nullptr;            // nvmlDeviceGetTemperature
  int (*power)(Handle, unsigned*) = nullptr;                       // nvmlDeviceGetPowerUsage, milliwatts
  int (*power_limit)(Handle, unsigned*) = nullptr;                 // nvmlDeviceGetEnforcedPowerLimit, milliwatts
  int (*field_values)(Handle, int, FieldValue*) = nullptr;         // nvmlDeviceGetFieldValues
};

/// The installed library, started; null where there is none or it has no driver. Shut down when the last copy of
/// the pointer goes. Any thread.
std::shared_ptr<const Functions> library();

/// Completes the GPUs in `parts` that NVML knows, by bus id, and adds those that are missing, the links between
/// them, and partitions in place of partitioned GPUs. What a function refuses is left as it was.
void add_gpus(const Functions& functions, TopologyParts& parts);

}  // namespace tutti::nvml
