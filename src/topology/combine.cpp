#include "tutti/topology/combine.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "topology/cpu_list.hpp"
#include "topology/match.hpp"
#include "topology/nvlink_status.hpp"
#include "topology/same_machine.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

namespace {

bool has_tree(const Topology& topology) {
  return std::any_of(topology.devices().begin(), topology.devices().end(), [&](const Device& device) {
    return (device.kind == DeviceKind::gpu || device.kind == DeviceKind::nic) && topology.parent(device.id) >= 0;
  });
}

bool is_gpu_link(const Link& link) {
  return link.kind == LinkKind::nvlink || link.kind == LinkKind::xgmi || link.kind == LinkKind::c2c;
}

bool has_gpu_links(const TopologyParts& parts) {
  return std::any_of(parts.links.begin(), parts.links.end(), is_gpu_link);
}

/// One source added to what is already known.
class Addition {
 public:
  Addition(TopologyParts& known, const Topology& source)
      : known_(known), source_(source), before_(known), here_(match_devices(known, source.parts())) {}

  std::vector<std::string> why_not() const { return why_not_one_machine(known_, source_, here_); }

  void add() {
    hosts();
    const std::size_t had = known_.devices.size();
    for (const Device& device : source_.devices()) {
      int& at = here_[static_cast<std::size_t>(device.id)];
      if (at >= 0) {
        fields(known_.devices[static_cast<std::size_t>(at)], device);
      } else if (wanted(device)) {
        at = known_.add(device);
      }
    }
    name_one_sided(had);
    tree(had);
    gpu_links();
    stated();
    known_.notes.insert(known_.notes.end(), source_.notes().begin(), source_.notes().end());
  }

 private:
  void conflict(const std::string& what, const std::string& ours, const std::string& theirs) {
    known_.notes.push_back(
        fmt::format("{}: {} in {}, {} in {}; the first counts", what, ours, known_.name, theirs, source_.name()));
  }

  void hosts() {
    if (known_.hosts.empty() || source_.hosts().empty()) return;
    HostFacts& ours = known_.hosts[0];
    const HostFacts& theirs = source_.hosts()[0];
    const auto take = [&](const char* what, auto& mine, const auto& other, const auto& nothing, bool compare) {
      if (mine == nothing) {
        mine = other;
      } else if (compare && other != nothing && mine != other) {
        conflict(what, fmt::format("{}", mine), fmt::format("{}", other));
      }
    };
    take("host name", ours.host, theirs.host, std::string{}, false);
    take("host id", ours.id, theirs.id, std::string{}, false);
    take("architecture", ours.architecture, theirs.architecture, std::string{}, true);
    take("processor vendor", ours.cpu_vendor, theirs.cpu_vendor, std::string{}, true);
    take("processor", ours.cpu_model, theirs.cpu_model, std::string{}, false);
    take("processor family", ours.cpu_family, theirs.cpu_family, -1, true);
    take("processor model", ours.cpu_model_number, theirs.cpu_model_number, -1, true);
    take("sockets", ours.packages, theirs.packages, 0, true);
    take("cores", ours.cores, theirs.cores, 0, true);
    take("CPUs", ours.cpus, theirs.cpus, 0, true);
    take("memory", ours.memory_bytes, theirs.memory_bytes, std::size_t{0}, false);
    take("L1", ours.l1_bytes, theirs.l1_bytes, std::size_t{0}, false);
    take("L2", ours.l2_bytes, theirs.l2_bytes, std::size_t{0}, false);
    take("L3", ours.l3_bytes, theirs.l3_bytes, std::size_t{0}, false);
    take("CPUs of an L3", ours.cpus_per_l3, theirs.cpus_per_l3, 0, false);
    if (ours.allowed_cpus.empty()) ours.allowed_cpus = theirs.allowed_cpus;
    if (ours.numa_nodes.empty()) ours.numa_nodes = theirs.numa_nodes;
    for (const NumaNode& node : ours.numa_nodes) {
      for (const NumaNode& other : theirs.numa_nodes) {
        if (node.index != other.index || node.cpus.empty() || other.cpus.empty() || node.cpus == other.cpus) continue;
        conflict(fmt::format("CPUs of NUMA node {}", node.index), format_cpu_list(node.cpus),
                 format_cpu_list(other.cpus));
      }
    }
  }

  void fields(Device& ours, const Device& theirs) {
    const auto number = [&](const char* what, int& mine, int other) {
      if (mine < 0) mine = other;
      if (other >= 0 && mine != other) {
        conflict(fmt::format("{} of {}", what, call(ours)), fmt::format("{}", mine), fmt::format("{}", other));
      }
    };
    if (ours.kind == DeviceKind::other) ours.kind = theirs.kind;
    if (theirs.kind != DeviceKind::other && ours.kind != theirs.kind) {
      conflict("kind of " + call(ours), std::string(name(ours.kind)), std::string(name(theirs.kind)));
    }
    number("NUMA node", ours.numa_node, theirs.numa_node);
    number("number", ours.index, theirs.index);
    number("rank", ours.rank, theirs.rank);
    if (ours.model.empty()) ours.model = theirs.model;
    if (ours.pci.empty()) ours.pci = theirs.pci;
    if (!theirs.pci.empty() && ours.pci != theirs.pci) {
      conflict("bus id of " + ours.name, ours.pci, theirs.pci);
    }
    for (const auto& [key, value] : theirs.attributes) {
      const auto [mine, fresh] = ours.attributes.emplace(key, value);
      if (!fresh && mine->second != value && key != "osdevs") {
        conflict(fmt::format("{} of {}", key, call(ours)), mine->second, value);
      }
    }
  }

  /// A tree's inner nodes come with the tree; of two trees only one is taken.
  bool wanted(const Device& device) const {
    if (device.kind == DeviceKind::nv_switch) return !has_gpu_links(before_);
    if (device.kind == DeviceKind::gpu || device.kind == DeviceKind::nic || device.kind == DeviceKind::network_switch)
      return true;
    return !known_has_tree();
  }

  bool known_has_tree() const {
    return std::any_of(before_.links.begin(), before_.links.end(),
                       [](const Link& l) { return l.kind == LinkKind::pci; });
  }

  void name_one_sided(std::size_t had) {
    const auto lists = [](const TopologyParts& parts, DeviceKind kind) {
      return std::any_of(parts.devices.begin(), parts.devices.end(), [&](const Device& d) { return d.kind == kind; });
    };
    std::set<int> seen(here_.begin(), here_.end());
    for (const auto kind : {DeviceKind::gpu, DeviceKind::nic}) {
      if (!lists(before_, kind) || !lists(source_.parts(), kind)) continue;
      for (const Device& device : known_.devices) {
        if (device.kind != kind) continue;
        const bool ours = static_cast<std::size_t>(device.id) < had;
        if (!ours)
          known_.notes.push_back(fmt::format("{} is in {} and not in {}", call(device), source_.name(), known_.name));
        if (ours && !seen.contains(device.id)) {
          known_.notes.push_back(fmt::format("{} is in {} and not in {}", call(device), known_.name, source_.name()));
        }
      }
    }
  }

  int at_home(int id) const { return here_[static_cast<std::size_t>(id)]; }

  /// Tree and socket links of devices that are new; better numbers for links that both have.
  void tree(std::size_t had) {
    for (const Link& link : source_.links()) {
      if (is_gpu_link(link)) continue;
      const int to = at_home(link.to);
      int from = at_home(link.from);
      if (to < 0) continue;
      for (int above = link.from; from < 0 && above >= 0; above = source_.parent(above)) from = at_home(above);
      if (from < 0) continue;
      const bool in_tree = link.kind == LinkKind::pci || link.kind == LinkKind::local;
      Link* mine = find(link.kind, from, to);
      if (mine) {
        better(*mine, link);
      } else if (static_cast<std::size_t>(to) >= had || !in_tree) {
        if (link.kind == LinkKind::socket && static_cast<std::size_t>(std::max(from, to)) < had) continue;
        Link moved = link;
        moved.from = from;
        moved.to = to;
        known_.add(moved);
      }
    }
  }

  /// The link between two devices; in the tree, the only one above `to`.
  Link* find(LinkKind kind, int from, int to) {
    for (Link& link : known_.links) {
      if (link.kind != kind || link.to != to) continue;
      if (kind == LinkKind::pci || kind == LinkKind::local || link.from == from) return &link;
    }
    return nullptr;
  }

  void better(Link& ours, const Link& theirs) {
    const auto take = [&](const char* what, Quantity& mine, const Quantity& other) {
      if (mine.origin < other.origin) mine = other;
      const bool both_read = mine.origin == Origin::read && other.origin == Origin::read;
      if (both_read && std::abs(mine.value - other.value) > 0.02 * std::max(mine.value, other.value)) {
        conflict(fmt::format("{} of the link to {}", what, call(known_.devices[static_cast<std::size_t>(ours.to)])),
                 fmt::format("{:g}", mine.value), fmt::format("{:g}", other.value));
      }
    };
    const bool better_rate = ours.rated.origin < theirs.rated.origin;
    take("lanes", ours.lanes, theirs.lanes);
    take("speed", ours.speed, theirs.speed);
    take("possible lanes", ours.lanes_possible, theirs.lanes_possible);
    take("possible speed", ours.speed_possible, theirs.speed_possible);
    take("rate", ours.rated, theirs.rated);
    if (better_rate && theirs.bandwidth.known()) ours.bandwidth = theirs.bandwidth;
    take("bandwidth", ours.bandwidth, theirs.bandwidth);
  }

  void gpu_links() {
    if (!has_gpu_links(source_.parts())) return;
    if (!has_gpu_links(before_)) {
      for (Link link : source_.links()) {
        link.from = at_home(link.from);
        link.to = at_home(link.to);
        if (is_gpu_link(link) && link.from >= 0 && link.to >= 0) known_.add(link);
      }
      return;
    }
    // Both have them, perhaps one straight and one through switches: what counts is what a matrix would show.
    const Topology ours(before_);
    const auto gpus = source_.all(DeviceKind::gpu);
    for (const int a : gpus) {
      for (const int b : gpus) {
        const int mine_a = at_home(a);
        const int mine_b = at_home(b);
        const auto known = static_cast<int>(before_.devices.size());
        if (a >= b || mine_a < 0 || mine_b < 0 || mine_a >= known || mine_b >= known) continue;
        const auto mine = accelerator_label(ours, mine_a, mine_b);
        const auto theirs = accelerator_label(source_, a, b);
        if (mine == theirs) continue;
        conflict(fmt::format("{} to {}", source_.device(a).name, source_.device(b).name), mine, theirs);
      }
    }
  }

  static std::string accelerator_label(const Topology& topology, int a, int b) {
    const Path path = find_path(topology, a, b);
    const bool linked = path.path == PathClass::nvlink || path.path == PathClass::xgmi;
    return linked ? path.label() : "no NVLink";
  }

  void stated() {
    const Topology now(known_);
    std::vector<StatedPath> fresh;
    for (StatedPath path : source_.stated()) {
      path.from = at_home(path.from);
      path.to = at_home(path.to);
      if (path.from < 0 || path.to < 0) continue;
      const PathClass mine = find_path(now, path.from, path.to).path;
      if (mine == PathClass::none) {
        fresh.push_back(path);
      } else if (mine != path.path && !alike(now, mine, path.path)) {
        conflict(fmt::format("{} to {}", now.device(path.from).name, now.device(path.to).name), std::string(name(mine)),
                 std::string(name(path.path)));
      }
    }
    known_.stated.insert(known_.stated.end(), fresh.begin(), fresh.end());
  }

  /// A tree without host bridges cannot tell NODE from PHB, and NVLink hides what lies beside it.
  static bool alike(const Topology& ours, PathClass mine, PathClass theirs) {
    if (mine == PathClass::nvlink || mine == PathClass::xgmi) return true;
    const auto blurred = [](PathClass path) { return path == PathClass::phb || path == PathClass::node; };
    return blurred(mine) && blurred(theirs) && ours.all(DeviceKind::host_bridge).empty();
  }

  TopologyParts& known_;
  const Topology& source_;
  const TopologyParts before_;
  std::vector<int> here_;  ///< for each device of the source, the one it is here; −1: left out
};

}  // namespace

Topology combine(std::span<const Topology> sources, bool even_if_different) {
  expect(!sources.empty(), Code::invalid_argument, "there is nothing to combine");
  for (const Topology& source : sources) {
    if (source.hosts().size() > 1) {
      throw Error(Code::invalid_argument,
                  fmt::format("{} describes {} hosts; only sources of one machine can be combined", source.name(),
                              source.hosts().size()));
    }
  }
  std::vector<const Topology*> order;
  for (const Topology& source : sources) order.push_back(&source);
  const auto first_tree = std::find_if(order.begin(), order.end(), [](const Topology* t) { return has_tree(*t); });
  if (first_tree != order.end()) std::rotate(order.begin(), first_tree, first_tree + 1);
  TopologyParts known = order.front()->parts();
  std::string names = known.name;
  for (std::size_t i = 1; i < order.size(); ++i) {
    Addition addition(known, *order[i]);
    const auto why = addition.why_not();
    if (!why.empty() && !even_if_different) {
      throw Error(
          Code::invalid_argument,
          fmt::format("{} and {} are not of one machine: {}", names, order[i]->name(), fmt::join(why, "; ")),
          {.remedy = "`tutti topology diff` compares machines; --even-if-different puts them together all the same"});
    }
    addition.add();
    names += " + " + order[i]->name();
  }
  if (order.size() > 1) {
    known.name = names;
    known.source = "combined";
    use_nvlink_status(known);
  }
  return Topology(std::move(known));
}

}  // namespace tutti
