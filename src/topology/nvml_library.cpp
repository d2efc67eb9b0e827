/// @file  The installed NVML, by dlopen.
#include <dlfcn.h>

#include "topology/nvml.hpp"

namespace tutti::nvml {

namespace {

struct Loaded {
  void* library = nullptr;
  bool started = false;
  Functions functions{};

  Loaded() = default;
  Loaded(const Loaded&) = delete;  // one handle, one owner
  Loaded& operator=(const Loaded&) = delete;
  ~Loaded() {
    if (started && functions.shutdown) functions.shutdown();
    if (library) dlclose(library);
  }

  template <class Function>
  void find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(library, name));
  }

  void find_all() {
    Functions& f = functions;
    find(f.init, "nvmlInit_v2");
    find(f.shutdown, "nvmlShutdown");
    find(f.count, "nvmlDeviceGetCount_v2");
    find(f.handle, "nvmlDeviceGetHandleByIndex_v2");
    find(f.pci_info, "nvmlDeviceGetPciInfo_v3");
    find(f.name, "nvmlDeviceGetName");
    find(f.uuid, "nvmlDeviceGetUUID");
    find(f.compute_capability, "nvmlDeviceGetCudaComputeCapability");
    find(f.memory, "nvmlDeviceGetMemoryInfo");
    find(f.generation, "nvmlDeviceGetCurrPcieLinkGeneration");
    find(f.width, "nvmlDeviceGetCurrPcieLinkWidth");
    find(f.max_generation, "nvmlDeviceGetMaxPcieLinkGeneration");
    find(f.max_width, "nvmlDeviceGetMaxPcieLinkWidth");
    find(f.link_state, "nvmlDeviceGetNvLinkState");
    find(f.link_remote, "nvmlDeviceGetNvLinkRemotePciInfo_v2");
    find(f.link_remote_type, "nvmlDeviceGetNvLinkRemoteDeviceType");
    find(f.mig_mode, "nvmlDeviceGetMigMode");
    find(f.mig_count, "nvmlDeviceGetMaxMigDeviceCount");
    find(f.mig_handle, "nvmlDeviceGetMigDeviceHandleByIndex");
    find(f.gpu_instance, "nvmlDeviceGetGpuInstanceId");
    find(f.compute_instance, "nvmlDeviceGetComputeInstanceId");
    find(f.utilisation, "nvmlDeviceGetUtilizationRates");
    find(f.temperature, "nvmlDeviceGetTemperature");
    find(f.power, "nvmlDeviceGetPowerUsage");
    find(f.power_limit, "nvmlDeviceGetEnforcedPowerLimit");
    find(f.field_values, "nvmlDeviceGetFieldValues");
  }
};

}  // namespace

std::shared_ptr<const Functions> library() {
  auto loaded = std::make_shared<Loaded>();
  loaded->library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!loaded->library) return nullptr;
  loaded->find_all();
  const Functions& f = loaded->functions;
  if (!f.init || !f.shutdown || !f.count || !f.handle || !f.pci_info) return nullptr;
  if (f.init() != success) return nullptr;
  loaded->started = true;
  return {loaded, &f};
}

}  // namespace tutti::nvml
