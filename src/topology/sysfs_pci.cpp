#include "topology/sysfs_pci.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topology/idle_links.hpp"
#include "topology/rates.hpp"
#include "topology/sysfs.hpp"
#include "topology/text.hpp"

namespace tutti {

namespace {

namespace fs = std::filesystem;

/// The number at the start of "32.0 GT/s PCIe" or "200 Gb/sec (4X HDR)"; unknown for "Unknown".
Quantity leading_number(const fs::path& path) {
  const auto text = read_small_file(path, 128).value_or("");
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && value > 0 && value < 1e5 ? Quantity::read(value) : Quantity{};
}

/// `sleeps`: of a GPU, which slows its link while it has nothing to do; what it can do counts.
void complete(const fs::path& function, Link& link, bool sleeps) {
  const auto take = [&](Quantity& target, const char* file) {
    if (const auto value = leading_number(function / file); value.known()) target = value;
  };
  take(link.speed, "current_link_speed");
  take(link.lanes, "current_link_width");
  take(link.speed_possible, "max_link_speed");
  take(link.lanes_possible, "max_link_width");
  // What the slot above cannot do is not possible either.
  const auto above = fs::path(function) / "..";
  if (const auto lanes = leading_number(above / "max_link_width"); lanes.known() && link.lanes_possible.known()) {
    link.lanes_possible.value = std::min(link.lanes_possible.value, lanes.value);
  }
  if (const auto speed = leading_number(above / "max_link_speed"); speed.known() && link.speed_possible.known()) {
    link.speed_possible.value = std::min(link.speed_possible.value, speed.value);
  }
  if (link.speed.origin == Origin::read && link.lanes.origin == Origin::read) {
    const bool asleep = sleeps && link.speed_possible.known() && link.speed.value < link.speed_possible.value;
    const Quantity& speed = asleep ? link.speed_possible : link.speed;
    const auto rate = rates::pci(speed.value, static_cast<int>(link.lanes.value));
    link.bandwidth = Quantity::assumed(rate.reached);
    link.rated = asleep ? Quantity::assumed(rate.rated) : Quantity::read(rate.rated);
  }
}

/// One InfiniBand or RoCE port; false when there is no such port.
bool complete_port(const fs::path& fabric_device, const std::string& port, Device& nic) {
  const auto folder = fabric_device / "ports" / port;
  const auto state = read_small_file(folder / "state", 64);  // "4: ACTIVE"
  if (!state) return false;
  nic.attributes["port"] = port;
  nic.attributes["state"] = state->starts_with('4') ? "active" : "down";
  if (const auto layer = read_small_file(folder / "link_layer", 64)) nic.attributes["link_layer"] = *layer;
  if (const auto rate = leading_number(folder / "rate"); rate.known()) {
    nic.attributes["speed"] = fmt::format("{:.0f}", rate.value * 1000);
  }
  if (const auto guid = read_small_file(fabric_device / "node_guid", 64)) nic.attributes["guid"] = *guid;
  if (const auto firmware = read_small_file(fabric_device / "fw_ver", 64)) nic.attributes["firmware"] = *firmware;
  return true;
}

void complete_ethernet(const fs::path& interface, Device& nic) {
  if (const auto speed = read_number(interface / "speed"); speed && *speed > 0) {
    nic.attributes["speed"] = fmt::format("{}", *speed);
  }
  if (const auto state = read_small_file(interface / "operstate", 32)) {
    nic.attributes["state"] = *state == "up" ? "active" : *state;
  }
  if (const auto address = read_small_file(interface / "address", 64)) nic.attributes["address"] = *address;
  if (const auto mtu = read_small_file(interface / "mtu", 16)) nic.attributes["mtu"] = *mtu;
}

void note_state(const Device& nic, std::vector<std::string>& notes) {
  const auto state = nic.attributes.find("state");
  if (state != nic.attributes.end() && state->second == "down") {
    notes.push_back(fmt::format("{} {}: its port is down", nic.name, nic.pci));
  }
}

void add_ports(const fs::path& root, TopologyParts& parts, int id, const Link* link_to_it) {
  const auto fabric = root / "sys/class/infiniband" / parts.devices[static_cast<std::size_t>(id)].name;
  const auto ports = names_in(fabric / "ports");
  if (ports.empty()) {
    Device& nic = parts.devices[static_cast<std::size_t>(id)];
    complete_ethernet(root / "sys/class/net" / nic.name, nic);
    note_state(nic, parts.notes);
    return;
  }
  const Device as_found = parts.devices[static_cast<std::size_t>(id)];
  const Link link = link_to_it ? *link_to_it : Link{};
  bool first = true;
  for (const auto& port : ports) {
    Device nic = as_found;
    if (!complete_port(fabric, port, nic)) continue;
    std::erase_if(parts.notes, [&](const std::string& note) {  // the PCI reader only knows the first port
      return note == fmt::format("{} {}: its port is down", nic.name, nic.pci);
    });
    note_state(nic, parts.notes);
    if (first) {
      parts.devices[static_cast<std::size_t>(id)] = std::move(nic);
    } else if (link_to_it) {
      Link another = link;
      another.to = parts.add(std::move(nic));
      parts.add(another);
    }
    first = false;
  }
}

}  // namespace

void add_sysfs_facts(const fs::path& root, TopologyParts& parts) {
  const auto functions = root / "sys/bus/pci/devices";
  std::vector<int> link_to(parts.devices.size(), -1);
  for (std::size_t i = 0; i < parts.links.size(); ++i) {
    Link& link = parts.links[i];
    const Device& device = parts.devices[static_cast<std::size_t>(link.to)];
    if (link.kind != LinkKind::pci && link.kind != LinkKind::local) continue;
    link_to[static_cast<std::size_t>(link.to)] = static_cast<int>(i);
    if (link.kind == LinkKind::pci && !device.pci.empty()) {
      std::error_code error;
      const auto function = fs::canonical(functions / device.pci, error);
      if (error) continue;
      complete(function, link, device.kind == DeviceKind::gpu);
      if (link.speed_possible.known()) forget_idle_link(parts, device);
    }
  }
  const auto count = parts.devices.size();
  for (std::size_t id = 0; id < count; ++id) {
    if (parts.devices[id].kind != DeviceKind::nic) continue;
    const Link link = link_to[id] >= 0 ? parts.links[static_cast<std::size_t>(link_to[id])] : Link{};
    add_ports(root, parts, static_cast<int>(id), link_to[id] >= 0 ? &link : nullptr);
  }
}

}  // namespace tutti
