#include "plan/channels/domain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace tutti::plan {

std::vector<Domain> domains_of(const Topology& topology) {
  std::vector<int> root(topology.hosts().size());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int host) {
    while (root[static_cast<std::size_t>(host)] != host) {
      int& above = root[static_cast<std::size_t>(host)];
      host = above = root[static_cast<std::size_t>(above)];
    }
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

std::vector<std::string> shapes_of(const Topology& topology, const std::vector<Domain>& domains) {
  struct Seat {
    int domain = -1;
    int number = 0;  // within the domain
  };
  std::vector<Seat> seats(topology.devices().size());
  std::vector<std::string> shapes(domains.size());
  for (std::size_t d = 0; d < domains.size(); ++d) {
    int number = 0;
    for (const int host : domains[d].hosts) {
      for (const int id : topology.devices_of(host)) {
        const Device& device = topology.device(id);
        if (device.kind == DeviceKind::network_switch) continue;
        seats[static_cast<std::size_t>(id)] = {static_cast<int>(d), number++};
        const Quantity port = device.kind == DeviceKind::nic ? port_speed(device) : Quantity{};
        shapes[d] += fmt::format("{}{}/{} ", name(device.kind), device.numa_node, port.value);
      }
    }
  }
  const auto join = [&](std::string_view what, int from, int to, const auto&... more) {
    const Seat a = seats[static_cast<std::size_t>(from)];
    const Seat b = seats[static_cast<std::size_t>(to)];
    if (a.domain < 0 || a.domain != b.domain) return;
    std::string& shape = shapes[static_cast<std::size_t>(a.domain)];
    shape += fmt::format("{}{}-{}", what, a.number, b.number);
    (..., (shape += fmt::format(":{}", more)));
    shape += ' ';
  };
  for (const Link& link : topology.links())
    join(name(link.kind), link.from, link.to, link.bandwidth.value, link.one_way);
  for (const StatedPath& stated : topology.stated()) join(name(stated.path), stated.from, stated.to);
  return shapes;
}

double size_of(const Topology& topology, const Domain& domain) {
  double each = static_cast<double>(domain.nics.size());
  for (const int gpu : domain.gpus) {
    each += static_cast<double>(topology.links_of(gpu).size());
    for (int at = gpu; at >= 0; at = topology.parent(at)) ++each;
  }
  return static_cast<double>(domain.gpus.size()) * each;
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
