#include "topology/match.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "topology/pci_id.hpp"

namespace tutti {

namespace {

/// What a device is recognised by, weakest last: places, then numbers, then names.
class Index {
 public:
  explicit Index(const TopologyParts& base) {
    for (const Device& device : base.devices) {
      if (const auto bus = pci_number(device.pci)) by_bus_.emplace(std::tuple(device.host, *bus), device.id);
      by_number_.emplace(std::tuple(device.host, device.kind, number(device)), device.id);
      by_name_.emplace(std::tuple(device.host, device.kind, device.name), device.id);
    }
  }

  int bus(const Device& device) {
    const auto number = pci_number(device.pci);
    return number ? take(by_bus_, std::tuple(device.host, *number)) : -1;
  }
  int number_or_name(const Device& device) {
    if (number(device) >= 0) {
      if (const int found = take(by_number_, std::tuple(device.host, device.kind, number(device))); found >= 0)
        return found;
    }
    return take(by_name_, std::tuple(device.host, device.kind, device.name));
  }

 private:
  static int number(const Device& device) {
    if (device.kind == DeviceKind::cpu) return device.numa_node;
    return device.kind == DeviceKind::gpu ? device.index : -1;  // a plugin may number NICs as it likes
  }

  template <class Map, class Key>
  int take(const Map& map, const Key& key) {
    const auto [first, last] = map.equal_range(key);
    for (auto at = first; at != last; ++at) {
      if (taken_.insert(at->second).second) return at->second;
    }
    return -1;
  }

  std::multimap<std::tuple<int, std::uint64_t>, int> by_bus_;
  std::multimap<std::tuple<int, DeviceKind, int>, int> by_number_;
  std::multimap<std::tuple<int, DeviceKind, std::string>, int> by_name_;
  std::set<int> taken_;
};

}  // namespace

std::vector<int> match_devices(const TopologyParts& base, const TopologyParts& other) {
  Index index(base);
  std::vector<int> found;
  for (const Device& device : other.devices) found.push_back(index.bus(device));
  for (const Device& device : other.devices) {
    int& match = found[static_cast<std::size_t>(device.id)];
    if (match >= 0) continue;
    match = index.number_or_name(device);
  }
  return found;
}

std::string call(const Device& device) {
  if (device.pci.empty() || device.name.find(device.pci) != std::string::npos) return device.name;
  return device.name + " " + device.pci;
}

}  // namespace tutti
