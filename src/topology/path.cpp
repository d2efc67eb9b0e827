#include "tutti/topology/path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "topology/pci_id.hpp"
#include "topology/rates.hpp"
#include "tutti/topology/topology.hpp"

namespace tutti {

std::string Path::label() const {
  return path == PathClass::nvlink ? fmt::format("NV{}", count) : std::string(name(path));
}

namespace {

/// The narrower of the two; unknown counts as no limit, and one assumed part makes the whole assumed.
Quantity narrower(const Quantity& a, const Quantity& b) {
  if (!a.known()) return b;
  if (!b.known()) return a;
  return {std::min(a.value, b.value), std::min(a.origin, b.origin)};
}

Quantity sum(const Quantity& a, const Quantity& b) {
  if (!a.known() || !b.known()) return {};
  return {a.value + b.value, std::min(a.origin, b.origin)};
}

void append(Path& path, const Topology& topology, int index) {
  const Link& link = topology.links()[static_cast<std::size_t>(index)];
  path.latency = path.links.empty() ? link.latency : sum(path.latency, link.latency);
  path.links.push_back(index);
  path.bandwidth = narrower(path.bandwidth, link.bandwidth);
}

const Link& link_at(const Topology& topology, int index) { return topology.links()[static_cast<std::size_t>(index)]; }

int other_end(const Link& link, int at) { return link.from == at ? link.to : link.from; }

/// All links of a kind between two devices that lead `from` → `to`, together as one hop.
struct Bundle {
  std::vector<int> links{};
  int count = 0;
  Quantity bandwidth{};
  Quantity latency{};

  void add(const Topology& topology, int index) {
    const Link& link = link_at(topology, index);
    bandwidth = links.empty() ? link.bandwidth : sum(bandwidth, link.bandwidth);
    if (links.empty() || link.latency.value < latency.value) latency = link.latency;
    links.push_back(index);
    count += link.count;
  }
};

bool leads(const Link& link, int from) { return link.from == from || (!link.one_way && link.to == from); }

/// The NVSwitches that a device has links to.
std::set<int> switches_of(const Topology& topology, int id) {
  std::set<int> switches;
  for (const int index : topology.links_of(id)) {
    const Link& link = link_at(topology, index);
    const int other = link.from == id ? link.to : link.from;
    if (link.kind == LinkKind::nvlink && topology.device(other).kind == DeviceKind::nv_switch) switches.insert(other);
  }
  return switches;
}

/// NVLink or XGMI: straight, or in and out of NVSwitches. Those of one host are one crossbar all together; between
/// hosts only switches that both have links to.
std::optional<Path> accelerator_path(const Topology& topology, int from, int to) {
  Bundle straight;
  Bundle up;
  Bundle down;
  LinkKind kind = LinkKind::nvlink;
  auto out = switches_of(topology, from);
  auto in = switches_of(topology, to);
  if (topology.device(from).host != topology.device(to).host) {
    std::erase_if(out, [&](int id) { return !in.contains(id); });
    in = out;
  }
  for (const int index : topology.links_of(from)) {
    const Link& link = link_at(topology, index);
    if (link.kind != LinkKind::nvlink && link.kind != LinkKind::xgmi) continue;
    const int other = link.from == from ? link.to : link.from;
    if (other == to && leads(link, from)) {
      straight.add(topology, index);
      kind = link.kind;
    }
    if (out.contains(other)) up.add(topology, index);
  }
  for (const int index : topology.links_of(to)) {
    const Link& link = link_at(topology, index);
    if (link.kind == LinkKind::nvlink && in.contains(link.from == to ? link.to : link.from)) down.add(topology, index);
  }
  const int switched = std::min(up.count, down.count);
  if (straight.count == 0 && switched == 0) return {};
  Path path{.path = kind == LinkKind::xgmi ? PathClass::xgmi : PathClass::nvlink};
  if (straight.count >= switched) {
    path.count = straight.count;
    path.links = straight.links;
    path.bandwidth = straight.bandwidth;
    path.latency = straight.latency;
  } else {
    path.count = switched;
    path.links = up.links;
    path.links.insert(path.links.end(), down.links.begin(), down.links.end());
    path.bandwidth = narrower(up.bandwidth, down.bandwidth);
    path.latency = sum(up.latency, down.latency);
  }
  return path;
}

/// The ids from a device to the top of its tree, itself first.
std::vector<int> way_up(const Topology& topology, int id) {
  std::vector<int> way;
  for (; id >= 0; id = topology.parent(id)) way.push_back(id);
  return way;
}

int tree_link(const Topology& topology, int child) {
  for (const int index : topology.links_of(child)) {
    const Link& link = link_at(topology, index);
    if (link.to == child && (link.kind == LinkKind::pci || link.kind == LinkKind::local)) return index;
  }
  return -1;
}

bool same_function_family(const Device& a, const Device& b) {
  const auto first = pci_number(a.pci);
  const auto second = pci_number(b.pci);
  return a.host == b.host && first && second && *first >> 4 == *second >> 4;
}

PathClass tree_class(const Topology& topology, const std::vector<int>& up, const std::vector<int>& down) {
  const Device& top = topology.device(up.back());
  if (same_function_family(topology.device(up.front()), topology.device(down.front()))) return PathClass::pix;
  int switches = top.kind == DeviceKind::pci_switch ? 1 : 0;
  int bridges = 0;
  for (const auto* way : {&up, &down}) {
    for (std::size_t i = 1; i + 1 < way->size(); ++i) {
      const auto kind = topology.device((*way)[i]).kind;
      if (kind == DeviceKind::pci_switch) ++switches;
      if (kind == DeviceKind::host_bridge) ++bridges;
    }
  }
  if (top.kind == DeviceKind::cpu) return bridges > 1 ? PathClass::node : PathClass::phb;
  if (top.kind == DeviceKind::host_bridge) return PathClass::phb;
  return switches > 1 ? PathClass::pxb : PathClass::pix;
}

/// Up from one, down to the other; over the link between their CPUs when the trees differ.
std::optional<Path> tree_path(const Topology& topology, int from, int to) {
  auto up = way_up(topology, from);
  auto down = way_up(topology, to);
  Path path;
  int between = -1;
  if (up.back() == down.back()) {
    int meeting = up.back();
    while (!up.empty() && !down.empty() && up.back() == down.back()) {
      meeting = up.back();
      up.pop_back();
      down.pop_back();
    }
    up.push_back(meeting);
    down.push_back(meeting);
    path.path = tree_class(topology, up, down);
  } else {
    const auto cpu = [&](int id) { return topology.device(id).kind == DeviceKind::cpu; };
    if (!cpu(up.back()) || !cpu(down.back())) return {};
    for (const int index : topology.links_of(up.back())) {
      const Link& link = link_at(topology, index);
      if (link.kind == LinkKind::socket && (link.from == down.back() || link.to == down.back())) between = index;
    }
    path.path = PathClass::sys;
  }
  for (std::size_t i = 0; i + 1 < up.size(); ++i) append(path, topology, tree_link(topology, up[i]));
  if (between >= 0) append(path, topology, between);
  for (std::size_t i = down.size() - 1; i > 0; --i) append(path, topology, tree_link(topology, down[i - 1]));
  return path;
}

/// What a class that is only stated may be taken to carry: 16 lanes of the fourth generation, less between nodes.
Path stated_path(const Topology& topology, const StatedPath& stated) {
  Path path{.path = stated.path};
  const auto& host = topology.hosts()[static_cast<std::size_t>(topology.device(stated.from).host)];
  double bandwidth = rates::pci(16, 16).reached;
  if (stated.path == PathClass::sys) bandwidth = std::min(bandwidth, rates::socket(host).reached);
  path.bandwidth = Quantity::assumed(bandwidth);
  path.latency = Quantity::assumed(2 * rates::latency(LinkKind::pci));
  return path;
}

/// One side of a search over network links: the devices reached, and the link that each was reached by.
struct Reached {
  explicit Reached(int start) : frontier{start}, came_by{{start, -1}} {}
  std::vector<int> frontier;
  std::unordered_map<int, int> came_by;

  /// How many links the next step would look at.
  std::size_t next_looks(const Topology& topology) const {
    std::size_t count = 0;
    for (const int at : frontier) count += topology.links_of(at).size();
    return count;
  }

  /// The links from a device back to the start.
  std::vector<int> links(const Topology& topology, int at) const {
    std::vector<int> back;
    for (int index = came_by.at(at); index >= 0; index = came_by.at(at)) {
      back.push_back(index);
      at = other_end(link_at(topology, index), at);
    }
    return back;
  }
};

/// One step further; where both sides meet, or -1.
int go_on(const Topology& topology, Reached& side, const Reached& other) {
  std::vector<int> next;
  for (const int at : side.frontier) {
    for (const int index : topology.links_of(at)) {
      const Link& link = link_at(topology, index);
      if (link.kind != LinkKind::network) continue;
      const int neighbour = other_end(link, at);
      if (!side.came_by.emplace(neighbour, index).second) continue;
      if (other.came_by.contains(neighbour)) return neighbour;
      next.push_back(neighbour);
    }
  }
  side.frontier = std::move(next);
  return -1;
}

/// The fewest network links between two adapters, searched from both ends, there first where less is to be looked at: a leaf
/// switch is met before all that hangs on it is gone through.
std::optional<Path> network_path(const Topology& topology, int from, int to) {
  if (from == to) return {};
  Path path{.path = PathClass::net};
  Reached near(from);
  Reached far(to);
  for (int meeting = -1; meeting < 0;) {
    if (near.frontier.empty() || far.frontier.empty()) return {};
    const bool first = near.next_looks(topology) <= far.next_looks(topology);
    meeting = first ? go_on(topology, near, far) : go_on(topology, far, near);
    if (meeting < 0) continue;
    auto links = near.links(topology, meeting);
    std::reverse(links.begin(), links.end());
    for (const int index : far.links(topology, meeting)) links.push_back(index);
    for (const int index : links) append(path, topology, index);
  }
  return path;
}

Path joined(Path first, const Path& second) {
  first.links.insert(first.links.end(), second.links.begin(), second.links.end());
  first.bandwidth = narrower(first.bandwidth, second.bandwidth);
  first.latency = sum(first.latency, second.latency);
  return first;
}

/// To the nearest adapter, over the network, and from the other's nearest adapter.
Path path_between_hosts(const Topology& topology, int from, int to) {
  const auto adapter = [&](int id) {
    if (topology.device(id).kind == DeviceKind::nic || topology.device(id).kind == DeviceKind::network_switch)
      return id;
    const auto nearest = nearest_nics(topology, id);
    return nearest.nics.empty() ? -1 : nearest.nics.front();
  };
  const int out = adapter(from);
  const int in = adapter(to);
  if (out < 0 || in < 0) return {};
  auto middle = network_path(topology, out, in);
  if (!middle) return {};
  Path path = std::move(*middle);
  if (out != from) path = joined(find_path(topology, from, out), path);
  if (in != to) path = joined(std::move(path), find_path(topology, in, to));
  path.path = PathClass::net;
  path.count = 0;
  return path;
}

}  // namespace

Path find_path(const Topology& topology, int from, int to) {
  const Device& source = topology.device(from);
  const Device& target = topology.device(to);
  if (from == to) return Path{.path = PathClass::self, .latency = Quantity::read(0)};
  if (auto path = accelerator_path(topology, from, to)) return *path;
  if (source.host != target.host || source.kind == DeviceKind::network_switch ||
      target.kind == DeviceKind::network_switch) {
    return path_between_hosts(topology, from, to);
  }
  Path path;
  bool chip = false;
  for (const int index : topology.links_of(from)) {
    const Link& link = link_at(topology, index);
    if (link.kind == LinkKind::c2c && (link.from == to || link.to == to)) {
      path = Path{.path = PathClass::c2c, .count = link.count};
      append(path, topology, index);
      chip = true;
    }
  }
  if (!chip) {
    if (auto tree = tree_path(topology, from, to)) path = std::move(*tree);
  }
  if (const StatedPath* stated = topology.stated_between(from, to)) {
    if (path.path == PathClass::none) path = stated_path(topology, *stated);
    path.path = stated->path;  // who looked at the machine knows better than what is assumed between NUMA nodes
  }
  for (const Device* end : {&source, &target}) {
    if (end->kind == DeviceKind::nic && path.path != PathClass::none) {
      path.bandwidth = narrower(path.bandwidth, port_speed(*end));
    }
  }
  return path;
}

NearestNics nearest_nics(const Topology& topology, int device) {
  NearestNics nearest;
  const int host = topology.device(device).host;
  for (const int id : topology.devices_of(host)) {
    const Device& nic = topology.device(id);
    if (nic.kind != DeviceKind::nic || nic.id == device) continue;
    const Path path = find_path(topology, device, nic.id);
    if (path.path == PathClass::none || path.path > nearest.path) continue;
    if (path.path < nearest.path) nearest = NearestNics{.path = path.path};
    nearest.nics.push_back(nic.id);
    if (path.bandwidth.value > nearest.bandwidth.value) nearest.bandwidth = path.bandwidth;
  }
  return nearest;
}

}  // namespace tutti
