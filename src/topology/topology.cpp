#include "tutti/topology/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "topology/pci_id.hpp"
#include "topology/text.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

namespace {

void refuse(const TopologyParts& parts, const std::string& why) {
  throw Error(Code::invalid_argument,
              fmt::format("{}: {}", parts.name.empty() ? "topology" : parts.name, shown(why, 1000)));
}

void check_quantity(const TopologyParts& parts, std::size_t link, const char* what, const Quantity& quantity) {
  if (!std::isfinite(quantity.value) || quantity.value < 0) {
    refuse(parts, fmt::format("link {} has {} {}", link, what, quantity.value));
  }
}

void check(const TopologyParts& parts) {
  for (std::size_t i = 0; i < parts.devices.size(); ++i) {
    const Device& device = parts.devices[i];
    if (device.id != static_cast<int>(i)) {
      refuse(parts, fmt::format("device {} \"{}\" carries the id {}", i, device.name, device.id));
    }
    if (device.host < 0 || static_cast<std::size_t>(device.host) >= parts.hosts.size()) {
      refuse(parts, fmt::format("device \"{}\" is on host {}, but there are {}", device.name, device.host,
                                parts.hosts.size()));
    }
  }
  const auto known = [&](int id) { return id >= 0 && static_cast<std::size_t>(id) < parts.devices.size(); };
  for (std::size_t i = 0; i < parts.links.size(); ++i) {
    const Link& link = parts.links[i];
    if (!known(link.from) || !known(link.to) || link.from == link.to) {
      refuse(parts, fmt::format("link {} goes from device {} to {}, but there are {} devices", i, link.from, link.to,
                                parts.devices.size()));
    }
    if (const int least = std::min(link.count, link.count_possible); least < 0) {
      refuse(parts, fmt::format("link {} counts {} links", i, least));
    }
    check_quantity(parts, i, "bandwidth", link.bandwidth);
    check_quantity(parts, i, "rated bandwidth", link.rated);
    check_quantity(parts, i, "latency", link.latency);
    check_quantity(parts, i, "lanes", link.lanes);
    check_quantity(parts, i, "speed", link.speed);
    check_quantity(parts, i, "possible lanes", link.lanes_possible);
    check_quantity(parts, i, "possible speed", link.speed_possible);
  }
  for (const StatedPath& path : parts.stated) {
    if (!known(path.from) || !known(path.to)) {
      refuse(parts, fmt::format("a path is stated from device {} to {}, but there are {} devices", path.from, path.to,
                                parts.devices.size()));
    }
  }
}

std::pair<int, int> ends_of(const std::vector<StatedPath>& stated, int index) {
  const StatedPath& path = stated[static_cast<std::size_t>(index)];
  return {path.from, path.to};
}

}  // namespace

int TopologyParts::add(Device device) {
  device.id = static_cast<int>(devices.size());
  devices.push_back(std::move(device));
  return devices.back().id;
}

int TopologyParts::add(Link link) {
  links.push_back(link);
  return static_cast<int>(links.size()) - 1;
}

Topology::Topology() {
  static const auto nothing = std::make_shared<const Data>();
  data_ = nothing;
}

Topology::Topology(TopologyParts parts) {
  check(parts);
  auto data = std::make_shared<Data>();
  const auto count = parts.devices.size();
  data->devices_of.resize(parts.hosts.size());
  for (const Device& device : parts.devices) {
    data->devices_of[static_cast<std::size_t>(device.host)].push_back(device.id);
  }
  data->links_of.resize(count);
  data->children.resize(count);
  data->parents.assign(count, -1);
  for (std::size_t i = 0; i < parts.links.size(); ++i) {
    const Link& link = parts.links[i];
    const auto from = static_cast<std::size_t>(link.from);
    const auto to = static_cast<std::size_t>(link.to);
    data->links_of[from].push_back(static_cast<int>(i));
    data->links_of[to].push_back(static_cast<int>(i));
    if (link.kind != LinkKind::pci && link.kind != LinkKind::local) continue;
    if (data->parents[to] >= 0) {
      refuse(parts,
             fmt::format("\"{}\" hangs under both \"{}\" and \"{}\"", parts.devices[to].name,
                         parts.devices[static_cast<std::size_t>(data->parents[to])].name, parts.devices[from].name));
    }
    data->parents[to] = link.from;
    data->children[from].push_back(link.to);
  }
  std::vector<int> level(count);
  std::vector<int> state(count);  // 0 not seen, 1 on the way up from here, 2 known to reach a top
  for (std::size_t start = 0; start < count; ++start) {
    std::vector<int> way;
    int at = static_cast<int>(start);
    for (; at >= 0 && state[static_cast<std::size_t>(at)] == 0; at = data->parents[static_cast<std::size_t>(at)]) {
      state[static_cast<std::size_t>(at)] = 1;
      way.push_back(at);
    }
    if (at >= 0 && state[static_cast<std::size_t>(at)] == 1) {
      refuse(parts,
             fmt::format("\"{}\" hangs, in the end, under itself", parts.devices[static_cast<std::size_t>(at)].name));
    }
    int depth = at < 0 ? 0 : level[static_cast<std::size_t>(at)];
    for (auto id = way.rbegin(); id != way.rend(); ++id) {
      state[static_cast<std::size_t>(*id)] = 2;
      level[static_cast<std::size_t>(*id)] = ++depth;
    }
    if (depth > most_levels) {
      refuse(parts, fmt::format("\"{}\" hangs {} levels deep; at most {} are possible", parts.devices[start].name,
                                depth, most_levels));
    }
  }
  data->stated_order.resize(parts.stated.size());
  std::iota(data->stated_order.begin(), data->stated_order.end(), 0);
  std::stable_sort(data->stated_order.begin(), data->stated_order.end(),
                   [&](int a, int b) { return ends_of(parts.stated, a) < ends_of(parts.stated, b); });
  data->parts = std::move(parts);
  data_ = std::move(data);
}

std::vector<int> Topology::all(DeviceKind kind) const {
  std::vector<int> ids;
  for (const Device& device : devices()) {
    if (device.kind == kind) ids.push_back(device.id);
  }
  if (kind == DeviceKind::gpu) {
    std::stable_sort(ids.begin(), ids.end(), [&](int a, int b) {
      return std::pair(device(a).host, device(a).index) < std::pair(device(b).host, device(b).index);
    });
  }
  return ids;
}

const StatedPath* Topology::stated_between(int from, int to) const {
  const auto& stated = data_->parts.stated;
  const auto& order = data_->stated_order;
  for (const auto& ends : {std::pair(from, to), std::pair(to, from)}) {
    const auto at = std::lower_bound(order.begin(), order.end(), ends,
                                     [&](int index, const auto& wanted) { return ends_of(stated, index) < wanted; });
    if (at != order.end() && ends_of(stated, *at) == ends) return &stated[static_cast<std::size_t>(*at)];
  }
  return nullptr;
}

int Topology::find(std::string_view name_or_pci) const {
  const auto number = pci_number(name_or_pci);
  for (const Device& device : devices()) {
    if (device.name == name_or_pci) return device.id;
    if (number && !device.pci.empty() && pci_number(device.pci) == number) return device.id;
  }
  return -1;
}

}  // namespace tutti
