/// @file  A topology as people like to read it: the machine as a tree with bandwidths, oddities last.
#include <fmt/format.h>

#include <ostream>

#include "tutti/base/units.hpp"
#include "tutti/topology/topology.hpp"

namespace tutti {

namespace {

std::string described(const Device& device) {
  std::string text(device.name);
  if (!device.pci.empty()) text += " " + device.pci;
  if (!device.model.empty()) text += "  " + device.model;
  return text;
}

void print_below(std::ostream& out, const Topology& topology, int id, const std::string& indent) {
  for (const int index : topology.links_of(id)) {
    const Link& link = topology.links()[static_cast<std::size_t>(index)];
    if (link.kind != LinkKind::pci || link.from != id) continue;
    out << indent << described(topology.device(link.to));
    if (link.bandwidth.known()) {
      out << fmt::format("  {:g} GB/s{}", link.bandwidth.value, link.bandwidth.is_assumed() ? " assumed" : "");
    }
    out << '\n';
    print_below(out, topology, link.to, indent + "  ");
  }
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Topology& topology) {
  for (std::size_t host = 0; host < topology.hosts().size(); ++host) {
    const HostFacts& facts = topology.hosts()[host];
    out << fmt::format("host {}: {} sockets, {} cores, {} CPUs ({} allowed), {} memory\n",
                       facts.host.empty() ? "?" : facts.host, facts.packages, facts.cores, facts.cpus,
                       facts.allowed_cpus.size(), format_bytes(facts.memory_bytes));
    for (const Device& device : topology.devices()) {
      if (device.host != static_cast<int>(host) || topology.parent(device.id) >= 0) continue;
      out << "  " << described(device) << '\n';
      print_below(out, topology, device.id, "    ");
    }
  }
  for (const std::string& note : topology.notes()) out << "note: " << note << '\n';
  return out;
}

}  // namespace tutti
