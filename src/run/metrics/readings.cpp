#include "run/metrics/readings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace tutti::metrics {

namespace {

namespace fs = std::filesystem;

constexpr unsigned most_gpus_read = 64;
constexpr std::size_t most_ports_read = 64;
constexpr int temperature_of_the_chip = 0;  // NVML_TEMPERATURE_GPU
// Numbers of fields, in NVML's list.
constexpr unsigned nvlink_sent_kib = 138, nvlink_received_kib = 139, pcie_sent_bytes = 197, pcie_received_bytes = 198;
constexpr unsigned all_links = ~0U;

template <class Value, class Function, class... Arguments>
std::optional<Value> told(Function* function, Arguments... arguments) {
  Value value{};
  if (function == nullptr || function(arguments..., &value) != nvml::success) return {};
  return value;
}

std::string text_told(int (*function)(nvml::Handle, char*, unsigned), nvml::Handle handle) {
  std::array<char, 128> text{};
  if (function == nullptr || function(handle, text.data(), static_cast<unsigned>(text.size() - 1)) != nvml::success) {
    return {};
  }
  return text.data();
}

std::optional<std::uint64_t> field(const nvml::Functions& functions, nvml::Handle handle, unsigned number,
                                   unsigned scope, std::uint64_t unit) {
  if (functions.field_values == nullptr) return {};
  nvml::FieldValue value{};
  value.field = number;
  value.scope = scope;
  if (functions.field_values(handle, 1, &value) != nvml::success || value.result != nvml::success) return {};
  // 1 unsigned int, 2 unsigned long, 3 unsigned long long, as the union is read
  if (value.type == 1) return std::uint64_t{static_cast<std::uint32_t>(value.value)} * unit;
  if (value.type == 2 || value.type == 3) return value.value * unit;
  return {};
}

std::optional<std::uint64_t> counter(const fs::path& file) {
  std::ifstream in(file);
  std::uint64_t value = 0;
  if (!(in >> value)) return {};
  return value;
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (auto each = fs::directory_iterator(folder, error); !error && each != fs::directory_iterator();
       each.increment(error)) {
    found.push_back(each->path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

void add_adapters(const fs::path& root, std::vector<PortReading>& ports) {
  for (const fs::path& device : entries(root / "sys/class/infiniband")) {
    for (const fs::path& port : entries(device / "ports")) {
      const auto sent = counter(port / "counters/port_xmit_data"), received = counter(port / "counters/port_rcv_data");
      if (!sent || !received) continue;
      std::string layer;
      std::ifstream(port / "link_layer") >> layer;
      constexpr std::uint64_t word = 4;  // the counters count in words of four bytes
      ports.push_back({.link = layer == "Ethernet" ? "roce" : "infiniband",
                       .device = fmt::format("{}:{}", device.filename().string(), port.filename().string()),
                       .sent = *sent * word,
                       .received = *received * word});
    }
  }
}

void add_interfaces(const fs::path& root, std::vector<PortReading>& ports) {
  std::vector<fs::path> interfaces = entries(root / "sys/class/net");
  const auto is_adapter = [](const fs::path& interface) {
    std::error_code ignored;
    return fs::exists(interface / "device", ignored);
  };
  if (std::any_of(interfaces.begin(), interfaces.end(), is_adapter)) {
    std::erase_if(interfaces, [&](const fs::path& interface) { return !is_adapter(interface); });
  }
  for (const fs::path& interface : interfaces) {
    if (interface.filename() == "lo") continue;
    const auto sent = counter(interface / "statistics/tx_bytes"), received = counter(interface / "statistics/rx_bytes");
    if (!sent || !received) continue;
    ports.push_back(
        {.link = "ethernet", .device = interface.filename().string(), .sent = *sent, .received = *received});
  }
}

}  // namespace

std::vector<GpuReading> read_gpus(const nvml::Functions& functions) {
  std::vector<GpuReading> gpus;
  const unsigned count = told<unsigned>(functions.count).value_or(0);
  for (unsigned i = 0; i < std::min(count, most_gpus_read); ++i) {
    nvml::Handle handle = nullptr;
    if (functions.handle == nullptr || functions.handle(i, &handle) != nvml::success) continue;
    GpuReading gpu{.index = static_cast<int>(i),
                   .uuid = text_told(functions.uuid, handle),
                   .name = text_told(functions.name, handle)};
    if (const auto busy = told<nvml::Utilisation>(functions.utilisation, handle)) gpu.utilisation = busy->gpu / 100.0;
    if (const auto memory = told<nvml::Memory>(functions.memory, handle)) {
      gpu.memory_used = memory->used;
      gpu.memory_total = memory->total;
    }
    if (const auto celsius = told<unsigned>(functions.temperature, handle, temperature_of_the_chip)) {
      gpu.temperature = *celsius;
    }
    if (const auto milliwatts = told<unsigned>(functions.power, handle)) gpu.power = *milliwatts / 1000.0;
    if (const auto milliwatts = told<unsigned>(functions.power_limit, handle)) gpu.power_limit = *milliwatts / 1000.0;
    gpu.nvlink_sent = field(functions, handle, nvlink_sent_kib, all_links, 1024);
    gpu.nvlink_received = field(functions, handle, nvlink_received_kib, all_links, 1024);
    gpu.pcie_sent = field(functions, handle, pcie_sent_bytes, 0, 1);
    gpu.pcie_received = field(functions, handle, pcie_received_bytes, 0, 1);
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

std::vector<PortReading> read_ports(const std::string& root) {
  std::vector<PortReading> ports;
  const fs::path base = root.empty() ? "/" : root;
  add_adapters(base, ports);
  add_interfaces(base, ports);
  if (ports.size() > most_ports_read) ports.resize(most_ports_read);
  return ports;
}

}  // namespace tutti::metrics
