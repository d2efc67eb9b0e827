#include "plan/channels/domain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace tutti::plan {

std::vector<Domain> domains_of(const Topology& topology) {
  std::vector<int> root(topology.hosts().size());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int host) {
    while (root[static_cast<std::size_t>(host)] != host) host = root[static_cast<std::size_t>(host)];
    return host;
  };
  for (const Link& link : topology.links()) {
    if (link.kind != LinkKind::nvlink && link.kind != LinkKind::xgmi) continue;
    const int a = find(topology.device(link.from).host);
    const int b = find(topology.device(link.to).host);
    root[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
  }
  std::map<int, Domain> by_root;
  for (const int gpu : topology.all(DeviceKind::gpu)) {
    const int host = topology.device(gpu).host;
    Domain& domain = by_root[find(host)];
    domain.gpus.push_back(gpu);
    if (domain.hosts.empty() || domain.hosts.back() != host) domain.hosts.push_back(host);
  }
  for (const int nic : topology.all(DeviceKind::nic)) {
    const auto of = by_root.find(find(topology.device(nic).host));
    if (of != by_root.end()) of->second.nics.push_back(nic);
  }
  std::vector<Domain> domains;
  for (auto& [host, domain] : by_root) domains.push_back(std::move(domain));
  return domains;
}

std::string shape_of(const Topology& topology, const Domain& domain) {
  std::map<int, int> local;
  std::string shape;
  std::set<int> links;
  for (const int host : domain.hosts) {
    for (const int id : topology.devices_of(host)) {
      const Device& device = topology.device(id);
      if (device.kind == DeviceKind::network_switch) continue;
      local.emplace(id, static_cast<int>(local.size()));
      const Quantity port = device.kind == DeviceKind::nic ? port_speed(device) : Quantity{};
      shape += fmt::format("{}{}/{} ", name(device.kind), device.numa_node, port.value);
      for (const int index : topology.links_of(id)) links.insert(index);
    }
  }
  for (const int index : links) {
    const Link& link = topology.links()[static_cast<std::size_t>(index)];
    const auto from = local.find(link.from);
    const auto to = local.find(link.to);
    if (from == local.end() || to == local.end()) continue;
    shape += fmt::format("{}{}-{}:{}{} ", name(link.kind), from->second, to->second, link.bandwidth.value,
                         link.one_way ? ">" : "");
  }
  for (const StatedPath& stated : topology.stated()) {
    const auto from = local.find(stated.from);
    const auto to = local.find(stated.to);
    if (from != local.end() && to != local.end()) {
      shape += fmt::format("{}{}-{} ", name(stated.path), from->second, to->second);
    }
  }
  return shape;
}

std::string why_no_ring(const Topology& topology, const HopGraph& graph) {
  const auto named = [&](int i) {
    const Device& gpu = topology.device(graph.gpus[static_cast<std::size_t>(i)]);
    return topology.hosts().size() > 1 ? fmt::format("{} of host {}", gpu.name, gpu.host) : gpu.name;
  };
  const auto open = [&](int from, int to) {
    const Hop& hop = graph.between(from, to);
    return !hop.uses.empty() && std::all_of(hop.uses.begin(), hop.uses.end(), [&](const Use& use) {
      return graph.capacity[static_cast<std::size_t>(use.wire)] > 0;
    });
  };
  for (int i = 0; i < graph.size(); ++i) {
    int out = 0;
    int in = 0;
    for (int j = 0; j < graph.size(); ++j) {
      out += i != j && open(i, j);
      in += i != j && open(j, i);
    }
    if (out == 0 && in == 0) return fmt::format("no link or path joins {} to any other GPU", named(i));
    if (out == 0) return fmt::format("{} can send to no other GPU: all its links are one-way, towards it", named(i));
    if (in == 0) return fmt::format("no GPU can send to {}: all its links are one-way, away from it", named(i));
  }
  std::vector<bool> reached(graph.gpus.size(), false);
  std::vector<int> frontier{0};
  reached[0] = true;
  while (!frontier.empty()) {
    const int at = frontier.back();
    frontier.pop_back();
    for (int to = 0; to < graph.size(); ++to) {
      if (reached[static_cast<std::size_t>(to)] || !open(at, to)) continue;
      reached[static_cast<std::size_t>(to)] = true;
      frontier.push_back(to);
    }
  }
  for (int i = 0; i < graph.size(); ++i) {
    if (!reached[static_cast<std::size_t>(i)]) {
      return fmt::format("no way leads from {} to {}: the GPUs fall into parts that nothing joins", named(0), named(i));
    }
  }
  return "each GPU reaches others, but no order of all of them closes to a ring within the links' bandwidth";
}

}  // namespace tutti::plan
