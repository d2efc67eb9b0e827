/// @file  Topologies made of hosts: one from its facts, several joined.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "topology/sockets.hpp"
#include "tutti/topology/topology.hpp"

namespace tutti {

Topology from_host_facts(const HostFacts& facts) {
  TopologyParts parts;
  parts.name = facts.host;
  parts.source = "host facts";
  parts.hosts.push_back(facts);
  for (const NumaNode& node : facts.numa_nodes) {
    if (node.cpus.empty() && facts.numa_nodes.size() > 1) continue;  // memory only
    parts.add(Device{.kind = DeviceKind::cpu,
                     .name = fmt::format("numa{}", node.index),
                     .model = facts.cpu_model,
                     .numa_node = node.index});
  }
  join_sockets(parts);
  return Topology(std::move(parts));
}

namespace {

/// Appends one machine's parts, its hosts at their new indices; an index < 0 leaves the host out.
void append(TopologyParts& all, const TopologyParts& machine, const std::vector<int>& new_host) {
  std::vector<int> new_id(machine.devices.size(), -1);
  for (const Device& device : machine.devices) {
    const int host = new_host[static_cast<std::size_t>(device.host)];
    if (host < 0) continue;
    Device moved = device;
    moved.host = host;
    new_id[static_cast<std::size_t>(device.id)] = all.add(std::move(moved));
  }
  for (Link link : machine.links) {
    link.from = new_id[static_cast<std::size_t>(link.from)];
    link.to = new_id[static_cast<std::size_t>(link.to)];
    if (link.from >= 0 && link.to >= 0) all.add(link);
  }
  for (StatedPath path : machine.stated) {
    path.from = new_id[static_cast<std::size_t>(path.from)];
    path.to = new_id[static_cast<std::size_t>(path.to)];
    if (path.from >= 0 && path.to >= 0) all.stated.push_back(path);
  }
  all.notes.insert(all.notes.end(), machine.notes.begin(), machine.notes.end());
}

/// Without a description of the fabric, every adapter reaches every other at its own speed.
void join_adapters(TopologyParts& all) {
  std::vector<Device> nics;
  std::vector<bool> has_nic(all.hosts.size());
  for (const Device& device : all.devices) {
    if (device.kind == DeviceKind::network_switch) return;
    if (device.kind != DeviceKind::nic) continue;
    nics.push_back(device);
    has_nic[static_cast<std::size_t>(device.host)] = true;
  }
  if (std::count(has_nic.begin(), has_nic.end(), true) < 2) return;
  const int fabric =
      all.add(Device{.kind = DeviceKind::network_switch, .name = "network", .model = "assumed: one switch"});
  for (const Device& nic : nics) all.add(network_link(nic, fabric));
}

}  // namespace

Topology merge(std::span<const Topology> machines) {
  TopologyParts all;
  all.source = "merged";
  std::map<std::string, int> known;
  for (const Topology& machine : machines) {
    std::vector<int> new_host;
    for (const HostFacts& host : machine.hosts()) {
      const int next = static_cast<int>(all.hosts.size());
      const bool again = !host.id.empty() && !known.emplace(host.id, next).second;
      new_host.push_back(again ? -1 : next);
      if (!again) all.hosts.push_back(host);
    }
    if (std::all_of(new_host.begin(), new_host.end(), [](int host) { return host < 0; })) continue;
    append(all, machine.parts(), new_host);
    all.name += (all.name.empty() ? "" : " + ") + machine.name();
  }
  join_adapters(all);
  return Topology(std::move(all));
}

}  // namespace tutti
