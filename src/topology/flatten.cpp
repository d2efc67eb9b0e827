#include "topology/flatten.hpp"

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "topology/attributes.hpp"

namespace tutti {

namespace {

/// 4 or 5 for the switch chips of that PCI generation, 0 for everything else.
int generation(const Device& device) {
  if (device.kind != DeviceKind::pci_switch) return 0;
  if (attribute(device, "vendor") != "0x1000") return 0;
  const auto chip = attribute(device, "device");
  if (chip == "0xc010" && attribute(device, "subsystem_vendor") == "0x1000" &&
      attribute(device, "subsystem_device").starts_with("0xa")) {
    return 4;
  }
  return chip == "0xc030" && attribute(device, "subsystem_vendor") == "0x1000" ? 5 : 0;
}

/// Of the fifth generation only these lower halves are taken in.
bool is_lower_half(const Device& device) {
  return generation(device) == 4 || attribute(device, "subsystem_device").starts_with("0x1");
}

}  // namespace

Topology flatten_switches(const Topology& topology) {
  const auto count = topology.devices().size();
  std::vector<int> becomes(count);  // the device that each is now part of
  for (const Device& device : topology.devices()) {
    int id = device.id;
    const int above = topology.parent(id);
    if (above >= 0 && generation(device) != 0 && generation(device) == generation(topology.device(above)) &&
        is_lower_half(device)) {
      id = becomes[static_cast<std::size_t>(above)];
    }
    becomes[static_cast<std::size_t>(device.id)] = id;
  }
  TopologyParts flat = topology.parts();
  flat.devices.clear();
  flat.links.clear();
  flat.stated.clear();
  std::vector<int> new_id(count, -1);
  for (const Device& device : topology.devices()) {
    const auto id = static_cast<std::size_t>(device.id);
    if (becomes[id] == device.id) new_id[id] = flat.add(device);
  }
  const auto moved = [&](int id) { return new_id[static_cast<std::size_t>(becomes[static_cast<std::size_t>(id)])]; };
  for (Link link : topology.links()) {
    link.from = moved(link.from);
    link.to = moved(link.to);
    if (link.from != link.to) flat.add(link);
  }
  for (StatedPath path : topology.stated()) {
    path.from = moved(path.from);
    path.to = moved(path.to);
    if (path.from != path.to) flat.stated.push_back(path);
  }
  return Topology(std::move(flat));
}

}  // namespace tutti
