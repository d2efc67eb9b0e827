#include "topology/gpu_links.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <set>

#include "topology/attributes.hpp"
#include "topology/pci_id.hpp"
#include "topology/rates.hpp"
#include "topology/text.hpp"

namespace tutti {

namespace {

bool is_gpu_class(std::string_view pci_class) { return pci_class.starts_with("0x03") || pci_class.starts_with("0x12"); }

int small_number(std::string_view text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

void GpuLinks::chip_link(int cpu, int gpu, int megabytes, int count) {
  const double bandwidth = static_cast<double>(megabytes) * count / 1000;
  parts_.add(Link{.kind = LinkKind::c2c,
                  .from = cpu,
                  .to = gpu,
                  .count = count,
                  .bandwidth = Quantity::read(bandwidth),
                  .rated = Quantity::read(bandwidth),
                  .latency = Quantity::assumed(rates::latency(LinkKind::c2c))});
}

void GpuLinks::resolve() {
  for (const Device& device : parts_.devices) {
    if (const auto number = pci_number(device.pci)) by_bus_[*number].push_back(device.id);
  }
  std::vector<std::pair<int, const Entry*>> between_gpus;
  for (const Entry& entry : entries_) {
    const Device& gpu = parts_.devices[static_cast<std::size_t>(entry.gpu)];
    const int target = device_at(gpu.host, entry.target);
    const auto note = [&](const std::string& what) {
      parts_.notes.push_back(
          fmt::format("{}: the link of {} to {} {}", entry.where, gpu.name, shown(entry.target, 40), what));
    };
    if (target == entry.gpu) {
      note("leads back to itself and is left out");
    } else if (target >= 0 && parts_.devices[static_cast<std::size_t>(target)].kind == DeviceKind::gpu) {
      between_gpus.emplace_back(target, &entry);
    } else if (target >= 0 && parts_.devices[static_cast<std::size_t>(target)].kind == DeviceKind::nv_switch) {
      parts_.add(link_of(entry, target, entry.count));
    } else if (entry.target_class.starts_with("0x068001")) {  // POWER: NVLink to the processor
      parts_.add(link_of(entry, entry.cpu, entry.count));
    } else if (is_gpu_class(entry.target_class)) {
      note("leads to a GPU that is not in this file, and is left out");
    } else {
      const int found = nv_switch(entry);
      parts_.add(link_of(entry, found, entry.count));
    }
  }
  resolve_between_gpus(between_gpus);
  for (const auto& [from, target] : peers_) {
    const int to = device_at(parts_.devices[static_cast<std::size_t>(from)].host, target);
    if (to < 0 || to == from) {
      parts_.notes.push_back(fmt::format("the peer link of {} to {} leads nowhere",
                                         parts_.devices[static_cast<std::size_t>(from)].name, shown(target, 40)));
      continue;
    }
    parts_.add(Link{.kind = LinkKind::peer, .from = from, .to = to, .bandwidth = Quantity::assumed(rates::local)});
  }
}

void GpuLinks::resolve_between_gpus(const std::vector<std::pair<int, const Entry*>>& targets) {
  std::map<std::pair<int, int>, int> counts;
  for (const auto& [target, entry] : targets) counts[{entry->gpu, target}] += entry->count;
  std::set<std::pair<int, int>> done;
  for (const auto& [target, entry] : targets) {
    const std::pair there{entry->gpu, target};
    if (done.contains(there)) continue;
    done.insert(there);
    Link link = link_of(*entry, target, counts[there]);
    const auto back = counts.find({target, entry->gpu});
    link.one_way = back == counts.end() || back->second != counts[there];
    if (!link.one_way) done.insert({target, entry->gpu});
    if (link.one_way) {
      parts_.notes.push_back(fmt::format("{}: {} lists {} links to {}, which lists {} back", entry->where,
                                         parts_.devices[static_cast<std::size_t>(entry->gpu)].name, counts[there],
                                         parts_.devices[static_cast<std::size_t>(target)].name,
                                         back == counts.end() ? 0 : back->second));
    }
    parts_.add(link);
  }
}

int GpuLinks::device_at(int host, const std::string& target) const {
  const auto number = pci_number(target);
  if (!number) return -1;
  const auto found = by_bus_.find(*number);
  if (found == by_bus_.end()) return -1;
  for (const int id : found->second) {
    if (parts_.devices[static_cast<std::size_t>(id)].host == host) return id;
  }
  return found->second.front();
}

/// The NVSwitch of that bus id. Far ends that a virtual machine hides all look alike and are one switch.
int GpuLinks::nv_switch(const Entry& entry) {
  const auto key = normal_pci(entry.target);
  if (const auto known = switches_.find(key); known != switches_.end()) return known->second;
  const Device& gpu = parts_.devices[static_cast<std::size_t>(entry.gpu)];
  Device device{.kind = DeviceKind::nv_switch, .host = gpu.host};
  if (pci_number(entry.target)) {
    device.pci = key;
  } else {
    device.attributes["target"] = entry.target;
    device.model = "not visible";
  }
  const int id = parts_.add(std::move(device));
  switches_[key] = id;
  return id;
}

Link GpuLinks::link_of(const Entry& entry, int to, int count) const {
  const Device& gpu = parts_.devices[static_cast<std::size_t>(entry.gpu)];
  const auto rate = entry.kind == LinkKind::xgmi ? rates::xgmi(attribute(gpu, "gcn"))
                                                 : rates::nvlink(small_number(attribute(gpu, "sm")));
  return Link{.kind = entry.kind,
              .from = entry.gpu,
              .to = to,
              .count = count,
              .bandwidth = Quantity::assumed(rate.reached * count),
              .rated = Quantity::assumed(rate.rated * count),
              .latency = Quantity::assumed(rates::latency(entry.kind))};
}

}  // namespace tutti
