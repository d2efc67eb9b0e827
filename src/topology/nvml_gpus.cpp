/// @file  GPUs, their NVLinks and partitions, as NVML tells of them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "topology/gpu_links.hpp"
#include "topology/idle_links.hpp"
#include "topology/nvml.hpp"
#include "topology/pci_id.hpp"
#include "topology/rates.hpp"

namespace tutti::nvml {

namespace {

constexpr unsigned most_gpus = 1024;
enum RemoteType : unsigned { remote_gpu = 0, remote_power_cpu = 1, remote_switch = 2 };

/// Calls a function that fills one number; nothing when it is missing or refuses.
template <class Function, class... Arguments>
std::optional<unsigned> ask(Function* function, Arguments... arguments) {
  unsigned value = 0;
  if (!function || function(arguments..., &value) != success) return {};
  return value;
}

std::string text_of(int (*function)(Handle, char*, unsigned), Handle handle) {
  std::array<char, 256> text{};
  if (!function || function(handle, text.data(), static_cast<unsigned>(text.size())) != success) return {};
  text.back() = '\0';
  return text.data();
}

std::string bus_of(const PciInfo& info) {
  return fmt::format("{:04x}:{:02x}:{:02x}.0", info.domain, info.bus, info.device);
}

class Gpus {
 public:
  Gpus(const Functions& functions, TopologyParts& parts) : functions_(functions), parts_(parts), links_(parts) {}

  void add() {
    const auto count = ask(functions_.count);
    std::vector<std::pair<Handle, int>> gpus;
    for (unsigned i = 0; i < std::min(count.value_or(0), most_gpus); ++i) {
      Handle handle = nullptr;
      if (functions_.handle(i, &handle) != success) continue;
      PciInfo pci{};
      if (functions_.pci_info(handle, &pci) != success) continue;
      const int id = device_at(bus_of(pci));
      describe(handle, pci, static_cast<int>(i), id);
      gpus.emplace_back(handle, id);
    }
    for (const auto& [handle, id] : gpus) add_links(handle, id);
    links_.resolve();
    for (const auto& [handle, id] : gpus) partition(handle, id);
  }

 private:
  Device& device(int id) { return parts_.devices[static_cast<std::size_t>(id)]; }

  /// The device with this bus id; a new one that hangs nowhere when the PCI tree shows none, as in containers.
  int device_at(const std::string& bus) {
    for (const Device& known : parts_.devices) {
      if (!known.pci.empty() && pci_number(known.pci) == pci_number(bus)) return known.id;
    }
    parts_.notes.push_back(fmt::format("the driver knows a GPU {} that the PCI tree does not show", bus));
    return parts_.add(Device{.pci = bus});
  }

  void describe(Handle handle, const PciInfo& pci, int index, int id) {
    Device& gpu = device(id);
    gpu.kind = DeviceKind::gpu;
    gpu.index = index;
    gpu.name = fmt::format("gpu{}", index);
    if (auto model = text_of(functions_.name, handle); !model.empty()) gpu.model = std::move(model);
    if (auto uuid = text_of(functions_.uuid, handle); !uuid.empty()) gpu.attributes["uuid"] = std::move(uuid);
    gpu.attributes["vendor"] = fmt::format("0x{:04x}", pci.device_and_vendor & 0xffff);
    gpu.attributes["device"] = fmt::format("0x{:04x}", pci.device_and_vendor >> 16);
    int major = 0;
    int minor = 0;
    if (functions_.compute_capability && functions_.compute_capability(handle, &major, &minor) == success) {
      gpu.attributes["sm"] = fmt::format("{}", major * 10 + minor);
    }
    Memory memory{};
    if (functions_.memory && functions_.memory(handle, &memory) == success) {
      gpu.attributes["memory_bytes"] = fmt::format("{}", memory.total);
    }
    for (Link& link : parts_.links) {
      if (link.kind != LinkKind::pci || link.to != id) continue;
      describe(handle, link);
      if (link.speed_possible.known()) forget_idle_link(parts_, gpu);
    }
  }

  /// An idle GPU turns its link down to save power. What it can do is what counts; what it does is kept beside.
  void describe(Handle handle, Link& link) {
    constexpr std::array speeds{2.5, 5.0, 8.0, 16.0, 32.0, 64.0};
    const auto speed_of = [&](std::optional<unsigned> generation) {
      return generation && *generation >= 1 && *generation <= speeds.size() ? Quantity::read(speeds[*generation - 1])
                                                                            : Quantity{};
    };
    const auto lanes_of = [](std::optional<unsigned> width) {
      return width && *width >= 1 && *width <= 32 ? Quantity::read(*width) : Quantity{};
    };
    link.speed = speed_of(ask(functions_.generation, handle));
    link.speed_possible = speed_of(ask(functions_.max_generation, handle));
    link.lanes = lanes_of(ask(functions_.width, handle));
    link.lanes_possible = lanes_of(ask(functions_.max_width, handle));
    const Quantity speed = link.speed_possible.known() ? link.speed_possible : link.speed;
    if (!speed.known() || !link.lanes.known()) return;
    const auto rate = rates::pci(speed.value, static_cast<int>(link.lanes.value));
    link.bandwidth = Quantity::assumed(rate.reached);
    link.rated = speed == link.speed ? Quantity::read(rate.rated) : Quantity::assumed(rate.rated);
  }

  int cpu_above(int id) const {
    for (bool climbed = true; climbed;) {
      climbed = false;
      for (const Link& link : parts_.links) {
        if (link.to == id && (link.kind == LinkKind::pci || link.kind == LinkKind::local)) {
          id = link.from;
          climbed = true;
          break;
        }
      }
    }
    return id;
  }

  void add_links(Handle handle, int id) {
    std::map<std::pair<std::string, std::string>, int> counts;  // by far end and its class
    int down = 0;
    for (unsigned link = 0; link < max_links; ++link) {
      const auto active = ask(functions_.link_state, handle, link);
      if (!active) continue;  // this model has fewer
      if (*active == 0) {
        ++down;
        continue;
      }
      PciInfo remote{};
      const bool seen = functions_.link_remote && functions_.link_remote(handle, link, &remote) == success &&
                        remote.domain < 0xffff'ffff && remote.bus <= 0xff && remote.device <= 0xff;
      const auto type = ask(functions_.link_remote_type, handle, link).value_or(seen ? remote_gpu : remote_switch);
      const char* pci_class = type == remote_gpu ? "0x030200" : type == remote_power_cpu ? "0x068001" : "0x068000";
      ++counts[{seen ? bus_of(remote) : "fffffff:ffff:ff", seen || type == remote_power_cpu ? pci_class : "0x068000"}];
    }
    if (down > 0) device(id).attributes["nvlinks_down"] = fmt::format("{}", down);
    for (const auto& [target, count] : counts) {
      links_.gpu_link({.gpu = id,
                       .cpu = cpu_above(id),
                       .target = target.first,
                       .target_class = target.second,
                       .count = count,
                       .where = "NVML"});
    }
  }

  /// Partitions take the place of their GPU: nobody can use the whole while they are there.
  void partition(Handle whole, int id) {
    unsigned mode = 0;
    unsigned pending = 0;
    if (!functions_.mig_mode || functions_.mig_mode(whole, &mode, &pending) != success || mode != 1) return;
    const auto most = ask(functions_.mig_count, whole).value_or(0);
    const Device gpu = device(id);
    int found = 0;
    for (unsigned i = 0; i < std::min(most, 64U); ++i) {
      Handle handle = nullptr;
      if (!functions_.mig_handle || functions_.mig_handle(whole, i, &handle) != success) continue;
      Device part = gpu;
      part.name = fmt::format("{}.{}", gpu.name, found);
      if (auto model = text_of(functions_.name, handle); !model.empty()) part.model = std::move(model);
      if (auto uuid = text_of(functions_.uuid, handle); !uuid.empty()) part.attributes["uuid"] = std::move(uuid);
      part.attributes["mig_of"] = gpu.name;
      if (const auto instance = ask(functions_.gpu_instance, handle))
        part.attributes["gpu_instance"] = fmt::format("{}", *instance);
      if (const auto instance = ask(functions_.compute_instance, handle)) {
        part.attributes["compute_instance"] = fmt::format("{}", *instance);
      }
      if (found++ == 0) {
        part.id = id;
        device(id) = std::move(part);
      } else {
        add_beside(id, std::move(part));
      }
    }
    if (found == 0)
      parts_.notes.push_back(fmt::format("{} is in MIG mode and has no partitions: nobody can use it", gpu.name));
  }

  void add_beside(int id, Device part) {
    const int added = parts_.add(std::move(part));
    for (std::size_t i = 0; i < parts_.links.size(); ++i) {
      Link link = parts_.links[i];
      if (link.kind != LinkKind::pci || link.to != id) continue;
      link.to = added;
      parts_.add(link);
      return;
    }
  }

  const Functions& functions_;
  TopologyParts& parts_;
  GpuLinks links_;
};

}  // namespace

void add_gpus(const Functions& functions, TopologyParts& parts) { Gpus(functions, parts).add(); }

}  // namespace tutti::nvml
