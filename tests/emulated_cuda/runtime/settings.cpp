#include "emulated_cuda/runtime/settings.hpp"

#include <cstdlib>

#include "emulated_cuda/machine_file.hpp"

namespace tutti::emulated {

namespace {

std::string text(const char* name, const char* fallback = "") {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : fallback;
}
long number(const char* name, long fallback) {
  const std::string value = text(name);
  return value.empty() ? fallback : std::atol(value.c_str());
}

Settings read() {
  Settings s;
  for (const MachineGpu& gpu : machine_of_environment().gpus) s.buses.push_back(gpu.bus);
  if (!s.buses.empty()) s.devices = static_cast<int>(s.buses.size());
  s.devices = static_cast<int>(number("EMULATED_CUDA_DEVICES", s.devices));
  const std::string visible = text("CUDA_VISIBLE_DEVICES");
  if (!visible.empty()) {
    int count = 1;
    for (const char c : visible) count += c == ',' ? 1 : 0;
    s.visible_first = std::atoi(visible.c_str());
    s.devices = s.visible_first < 0 || s.visible_first >= s.devices ? 0 : count;
  }
  s.multiprocessors = static_cast<unsigned>(number("EMULATED_CUDA_MULTIPROCESSORS", s.multiprocessors));
  s.blocks_per_multiprocessor = static_cast<int>(number("EMULATED_CUDA_OCCUPANCY", s.blocks_per_multiprocessor));
  s.memory_bytes = static_cast<std::size_t>(number("EMULATED_CUDA_MEMORY_MB", static_cast<long>(s.memory_bytes >> 20)))
                   << 20;
  s.jitter_us = static_cast<unsigned>(number("EMULATED_CUDA_JITTER_US", 0));
  s.seed = static_cast<unsigned>(number("EMULATED_CUDA_SEED", 0));
  s.timeout_ms = static_cast<std::uint64_t>(number("EMULATED_CUDA_TIMEOUT_MS", static_cast<long>(s.timeout_ms)));
  const long compute = number("EMULATED_CUDA_COMPUTE", 90);
  s.compute_major = static_cast<int>(compute / 10);
  s.compute_minor = static_cast<int>(compute % 10);
  s.driver_version = static_cast<int>(number("EMULATED_CUDA_DRIVER_VERSION", s.driver_version));
  s.kernels = text("EMULATED_CUDA_KERNELS");
  s.no_peer = text("EMULATED_CUDA_NO_PEER");
  s.fail = text("EMULATED_CUDA_FAIL");
  s.fresh_fibres = number("EMULATED_CUDA_FRESH_FIBRES", 0) != 0;
  return s;
}

}  // namespace

const Settings& settings() {
  static const Settings* const all = new Settings(read());  // worker threads may outlive main
  return *all;
}

bool peers(int from, int to) {
  const std::string& without = settings().no_peer;
  if (without == "all") return false;
  for (std::size_t at = 0; at < without.size();) {
    char* end = nullptr;
    const long a = std::strtol(without.c_str() + at, &end, 10);
    if (*end != '-') break;
    const long b = std::strtol(end + 1, &end, 10);
    if ((a == from && b == to) || (a == to && b == from)) return false;
    at = static_cast<std::size_t>(end - without.c_str()) + 1;
  }
  return true;
}

}  // namespace tutti::emulated
