#include "plan/channels/hops.hpp"

#include <algorithm>
#include <set>

#include "topology/rates.hpp"

namespace tutti::plan {

namespace {

constexpr double unlimited = 1e6;

const Link& link_at(const Topology& topology, int index) { return topology.links()[static_cast<std::size_t>(index)]; }

double capacity_of(const Link& link) {
  if (link.bandwidth.known() && link.bandwidth.value > 0) return link.bandwidth.value;
  if (link.kind == LinkKind::local || link.kind == LinkKind::peer || link.kind == LinkKind::network) return unlimited;
  return rates::pci(8, 16).reached;
}

bool touches(const Link& link, int device) { return link.from == device || link.to == device; }

int other_end(const Link& link, int device) { return link.from == device ? link.to : link.from; }

/// Adds parallel links away from (or towards) a device, each with its share by bandwidth.
void spread(const Topology& topology, const std::vector<int>& links, const std::vector<bool>& forward, Hop& hop) {
  double all = 0;
  for (const int index : links) all += capacity_of(link_at(topology, index));
  for (std::size_t i = 0; i < links.size(); ++i) {
    hop.uses.push_back({2 * links[i] + (forward[i] ? 0 : 1), capacity_of(link_at(topology, links[i])) / all});
  }
}

/// Links between NVSwitches of two boards, from those of one GPU to those of the other; none when they share a switch.
void spread_trunk(const Topology& topology, const std::set<int>& out, const std::set<int>& in, Hop& hop) {
  if (std::any_of(out.begin(), out.end(), [&](int id) { return in.contains(id); })) return;
  std::vector<int> links;
  std::vector<bool> forward;
  for (const int id : out) {
    for (const int index : topology.links_of(id)) {
      const Link& link = link_at(topology, index);
      if (!in.contains(other_end(link, id))) continue;
      links.push_back(index);
      forward.push_back(link.from == id);
    }
  }
  spread(topology, links, forward, hop);
}

/// NVLink or XGMI: parallel straight links, or up to the switches and down from them.
void accelerator_hop(const Topology& topology, const Path& path, int from, int to, Hop& hop) {
  std::vector<int> straight, up, down;
  std::vector<bool> straight_forward, up_forward, down_forward;
  std::set<int> out, in;
  for (const int index : path.links) {
    const Link& link = link_at(topology, index);
    if (touches(link, from) && touches(link, to)) {
      straight.push_back(index);
      straight_forward.push_back(link.from == from);
    } else if (touches(link, from)) {
      up.push_back(index);
      up_forward.push_back(link.from == from);
      out.insert(other_end(link, from));
    } else {
      down.push_back(index);
      down_forward.push_back(link.to == to);
      in.insert(other_end(link, to));
    }
  }
  spread(topology, straight, straight_forward, hop);
  spread(topology, up, up_forward, hop);
  spread(topology, down, down_forward, hop);
  if (!out.empty()) spread_trunk(topology, out, in, hop);
}

}  // namespace

Hop hop(const Topology& topology, int from, int to) {
  const Path path = find_path(topology, from, to);
  Hop result{.path = path.path};
  if (path.path == PathClass::none || path.path == PathClass::self) return result;
  if (path.path == PathClass::nvlink || path.path == PathClass::xgmi) {
    if (!path.links.empty()) {
      accelerator_hop(topology, path, from, to, result);
      return result;
    }
  }
  int at = from;
  for (const int index : path.links) {
    const Link& link = link_at(topology, index);
    const bool forward = link.from == at;
    result.uses.push_back({2 * index + (forward ? 0 : 1), 1});
    at = other_end(link, at);
  }
  const auto adapter = [&](int id) { return topology.device(id).kind == DeviceKind::nic; };
  if (adapter(from) && adapter(to)) return result;  // their ports count where data comes from or goes to a GPU
  if (adapter(to)) {
    result.uses.push_back({port_out(topology, to), 1});
  } else if (adapter(from)) {
    result.uses.push_back({port_in(topology, from), 1});
  } else if (path.links.empty()) {
    result.uses.push_back({port_out(topology, from), 1});
    result.uses.push_back({port_in(topology, to), 1});
  }
  return result;
}

const Hop& Hops::operator()(int from, int to) {
  const auto [known, fresh] = known_.try_emplace({from, to});
  if (fresh) known->second = hop(topology_, from, to);
  return known->second;
}

std::vector<double> capacities(const Topology& topology, int* unknown) {
  std::vector<double> all(2 * (topology.links().size() + topology.devices().size()), unlimited);
  for (std::size_t i = 0; i < topology.links().size(); ++i) {
    const Link& link = topology.links()[i];
    all[2 * i] = capacity_of(link);
    all[2 * i + 1] = link.one_way ? 0 : capacity_of(link);
    if (unknown && !link.bandwidth.known() && (link.kind == LinkKind::pci || link.kind == LinkKind::nvlink)) ++*unknown;
  }
  for (const Device& device : topology.devices()) {
    const auto out = static_cast<std::size_t>(port_out(topology, device.id));
    const Quantity port = port_speed(device);
    if (device.kind == DeviceKind::nic && port.known()) all[out] = all[out + 1] = port.value;
  }
  // Paths that are only stated: what a device has is what the widest of them carries.
  for (const StatedPath& stated : topology.stated()) {
    if (topology.device(stated.from).kind != DeviceKind::gpu || topology.device(stated.to).kind != DeviceKind::gpu)
      continue;
    const Path path = find_path(topology, stated.from, stated.to);
    if (!path.links.empty() || !path.bandwidth.known()) continue;
    for (const int id : {stated.from, stated.to}) {
      for (const auto wire : {port_out(topology, id), port_in(topology, id)}) {
        double& capacity = all[static_cast<std::size_t>(wire)];
        capacity = capacity == unlimited ? path.bandwidth.value : std::max(capacity, path.bandwidth.value);
      }
    }
  }
  return all;
}

}  // namespace tutti::plan
