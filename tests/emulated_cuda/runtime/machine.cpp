#include "emulated_cuda/runtime/machine.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "emulated_cuda/abi.hpp"
#include "emulated_cuda/runtime/memory.hpp"
#include "emulated_cuda/runtime/settings.hpp"

namespace tutti::emulated {

namespace {

struct Fault {
  std::string what;
  int device;
  int after;
  int error;
  bool stays;
};

struct Faults {
  std::mutex mutex;
  std::vector<Fault> all;
  std::atomic<int> count{0};

  Faults() {
    const std::string& text = settings().fail;  // "cudaMalloc@2:3=2,kernel:1=719"
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find(',', at), text.size());
      const std::string one = text.substr(at, end - at);
      const std::size_t equals = one.find('='), colon = one.find(':'), on = one.find('@');
      Fault fault{one.substr(0, std::min({equals, colon, on, one.size()})), -1, 1, 999, true};
      if (on != std::string::npos) fault.device = std::atoi(one.c_str() + on + 1);
      if (colon != std::string::npos) fault.after = std::atoi(one.c_str() + colon + 1);
      if (equals != std::string::npos) fault.error = std::atoi(one.c_str() + equals + 1);
      all.push_back(fault);
      at = end + 1;
    }
    count = static_cast<int>(all.size());
  }
};
Faults& faults() {
  static Faults* const all = new Faults;
  return *all;
}

thread_local int current = 0;
thread_local cudaError_t last = cudaSuccess;

}  // namespace

int device_count() { return settings().devices; }

Device& device(int number) {
  static std::vector<std::unique_ptr<Device>>* const all = [] {
    auto* devices = new std::vector<std::unique_ptr<Device>>;
    for (int i = 0; i < std::max(device_count(), 1); ++i) {
      devices->push_back(std::make_unique<Device>());
      devices->back()->number = i;
    }
    return devices;
  }();
  return *(*all)[static_cast<std::size_t>(number)];
}

int& current_device() { return current; }
cudaError_t& last_error() { return last; }

cudaError_t remember(cudaError_t error) {
  if (error != cudaSuccess && error != cudaErrorNotReady) last = error;
  return error;
}

cudaError_t fault_on(const char* what, int number) {
  if (const int lost = device(number).lost.load()) return static_cast<cudaError_t>(lost);
  Faults& all = faults();
  if (all.count.load(std::memory_order_relaxed) == 0) return cudaSuccess;
  const std::lock_guard lock(all.mutex);
  for (Fault& fault : all.all) {
    if (fault.what != what || (fault.device >= 0 && fault.device != number)) continue;
    if (fault.after > 1) {
      --fault.after;
      continue;
    }
    const auto error = static_cast<cudaError_t>(fault.error);
    if (!fault.stays) fault.what.clear();
    return error;
  }
  return cudaSuccess;
}

cudaError_t fault(const char* what) {
  if (settings().driver_version == 0) return cudaErrorInsufficientDriver;
  if (device_count() == 0) return cudaErrorNoDevice;
  return fault_on(what, current);
}

}  // namespace tutti::emulated

using namespace tutti::emulated;

extern "C" void tutti_emulated_fail(const char* what, int number, int after, int error, int stays) {
  const std::lock_guard lock(faults().mutex);
  faults().all.push_back({what, number, after, error, stays != 0});
  faults().count = static_cast<int>(faults().all.size());
}

extern "C" void tutti_emulated_fail_nothing() {
  const std::lock_guard lock(faults().mutex);
  faults().all.clear();
  faults().count = 0;
}

extern "C" void tutti_emulated_lose_device(int number, int error) { device(number).lost = error; }

extern "C" int tutti_emulated_is_here() { return 1; }

extern "C" std::size_t tutti_emulated_bytes_in_use(int number) { return device(number).used.load(); }
