#include "tutti/topology/topology.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"
#include "contains.hpp"
#include "tutti/base/error.hpp"

using namespace tutti;

namespace {

/// Two NUMA nodes, a switch with a GPU and a NIC under the first, a GPU right under the second.
TopologyParts machine() {
  TopologyParts parts;
  parts.name = "box";
  parts.hosts.push_back({.host = "box", .id = "a"});
  parts.add(Device{.kind = DeviceKind::cpu, .name = "numa0", .numa_node = 0});
  parts.add(Device{.kind = DeviceKind::cpu, .name = "numa1", .numa_node = 1});
  parts.add(Device{.kind = DeviceKind::pci_switch, .name = "switch", .pci = "0000:10:00.0", .numa_node = 0});
  parts.add(Device{.kind = DeviceKind::gpu, .name = "gpu1", .pci = "0000:12:00.0", .numa_node = 0, .index = 1});
  parts.add(Device{.kind = DeviceKind::nic, .name = "mlx5_0", .pci = "0000:13:00.0", .numa_node = 0, .index = 0});
  parts.add(Device{.kind = DeviceKind::gpu, .name = "gpu0", .pci = "0000:82:00.0", .numa_node = 1, .index = 0});
  parts.add(Link{.kind = LinkKind::pci, .from = 0, .to = 2});
  parts.add(Link{.kind = LinkKind::pci, .from = 2, .to = 3});
  parts.add(Link{.kind = LinkKind::pci, .from = 2, .to = 4});
  parts.add(Link{.kind = LinkKind::pci, .from = 1, .to = 5});
  parts.add(Link{.kind = LinkKind::socket, .from = 0, .to = 1});
  return parts;
}

std::string refusal(const TopologyParts& parts) {
  try {
    Topology{parts};
  } catch (const Error& error) {
    CHECK(error.code() == Code::invalid_argument);
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a topology knows its tree, its kinds and its links") {
  const Topology topology(machine());
  CHECK(topology.parent(3) == 2);
  CHECK(topology.parent(2) == 0);
  CHECK(topology.parent(0) == -1);
  CHECK(topology.children(2).size() == 2);
  CHECK(topology.children(2)[1] == 4);
  CHECK(topology.links_of(2).size() == 3);
  CHECK(topology.all(DeviceKind::gpu) == std::vector<int>{5, 3});  // by their numbers
  CHECK(topology.all(DeviceKind::nv_switch).empty());
  CHECK_FALSE(topology.empty());
  CHECK(Topology{}.empty());
}

TEST_CASE("a device is found by name and by bus id in any spelling") {
  const Topology topology(machine());
  CHECK(topology.find("mlx5_0") == 4);
  CHECK(topology.find("0000:12:00.0") == 3);
  CHECK(topology.find("12:00.0") == 3);
  CHECK(topology.find("00000000:12:00.0") == 3);
  CHECK(topology.find("0000:12:00") == 3);
  CHECK(topology.find("0001:12:00.0") == -1);
  CHECK(topology.find("gpu7") == -1);
}

TEST_CASE("copies of a topology are equal and share, and others are compared by content") {
  const Topology one(machine());
  const Topology copy = one;
  CHECK(copy == one);
  CHECK(copy.devices().data() == one.devices().data());
  CHECK(Topology(machine()) == one);
  auto parts = machine();
  parts.links[0].count = 2;
  CHECK_FALSE(Topology(parts) == one);
}

TEST_CASE("what is no graph is refused by its place") {
  auto parts = machine();
  parts.links[1].to = 17;
  CHECK_THAT(refusal(parts), contains("link 1 goes from device 2 to 17, but there are 6"));
  parts = machine();
  parts.links[1].to = parts.links[1].from;
  CHECK_THAT(refusal(parts), contains("link 1"));
  parts = machine();
  parts.devices[3].host = 1;
  CHECK_THAT(refusal(parts), contains("\"gpu1\" is on host 1, but there are 1"));
  parts = machine();
  parts.devices[3].id = 4;
  CHECK_THAT(refusal(parts), contains("device 3 \"gpu1\" carries the id 4"));
  parts = machine();
  parts.links[2].bandwidth = Quantity::read(std::nan(""));
  CHECK_THAT(refusal(parts), contains("link 2 has bandwidth"));
  parts = machine();
  parts.links[2].latency = Quantity::read(-1);
  CHECK_THAT(refusal(parts), contains("link 2 has latency -1"));
  parts = machine();
  parts.links[2].count = -1;
  CHECK_THAT(refusal(parts), contains("link 2 counts -1"));
  parts = machine();
  parts.stated.push_back({.from = 3, .to = -1, .path = PathClass::pix});
  CHECK_THAT(refusal(parts), contains("a path is stated from device 3 to -1"));
}

TEST_CASE("the PCI links of a topology are a forest") {
  auto parts = machine();
  parts.add(Link{.kind = LinkKind::pci, .from = 1, .to = 3});
  CHECK_THAT(refusal(parts), contains("\"gpu1\" hangs under both \"switch\" and \"numa1\""));
  parts = machine();
  parts.links[0] = Link{.kind = LinkKind::pci, .from = 3, .to = 2};
  CHECK_THAT(refusal(parts), contains("hangs, in the end, under itself"));
  parts = machine();
  parts.add(Link{.kind = LinkKind::local, .from = 1, .to = 4});
  CHECK_THAT(refusal(parts), contains("\"mlx5_0\" hangs under both"));
}

TEST_CASE("the facts of a host make a small topology") {
  HostFacts facts{.host = "n1", .cpu_vendor = "AuthenticAMD"};
  facts.numa_nodes = {{.index = 0, .cpus = {0, 1}}, {.index = 3, .cpus = {2}}, {.index = 5, .cpus = {}}};
  const Topology topology = from_host_facts(facts);
  REQUIRE(topology.devices().size() == 2);  // the node with memory only is no place to be
  CHECK(topology.device(1).name == "numa3");
  CHECK(topology.hosts()[0] == facts);
  REQUIRE(topology.links().size() == 1);
  CHECK(topology.links()[0].kind == LinkKind::socket);
  CHECK(topology.links()[0].bandwidth == Quantity::assumed(16));
  facts.numa_nodes.resize(1);
  facts.numa_nodes[0].cpus.clear();
  CHECK(from_host_facts(facts).devices().size() == 1);
}

TEST_CASE("a tree deeper than PCI can be is refused, and stated paths are found from both ends") {
  TopologyParts parts;
  parts.hosts.resize(1);
  for (int level = 0; level <= Topology::most_levels; ++level) {
    parts.add(Device{.kind = DeviceKind::pci_switch, .name = "s" + std::to_string(level)});
    if (level > 0) parts.add(Link{.kind = LinkKind::pci, .from = level - 1, .to = level});
  }
  CHECK_THROWS_WITH(Topology(parts), contains("hangs 513 levels deep; at most 512"));
  parts.links.pop_back();
  parts.stated = {{.from = 9, .to = 4, .path = PathClass::sys},
                  {.from = 4, .to = 9, .path = PathClass::pix},
                  {.from = 8, .to = 1, .path = PathClass::phb}};
  const Topology topology(parts);
  CHECK(topology.stated_between(9, 4)->path == PathClass::sys);
  CHECK(topology.stated_between(4, 9)->path == PathClass::pix);
  CHECK(topology.stated_between(1, 8)->path == PathClass::phb);
  CHECK(topology.stated_between(1, 9) == nullptr);
}

TEST_CASE("machines of several hosts merge into one, each host once") {
  auto second = machine();
  second.name = "other";
  second.hosts[0] = {.host = "other", .id = "b"};
  second.devices[4].attributes["speed"] = "200000";
  second.stated.push_back({.from = 3, .to = 4, .path = PathClass::pix});
  const std::vector<Topology> read{Topology(machine()), Topology(machine()), Topology(second), Topology(machine())};
  const Topology merged = merge(read);
  REQUIRE(merged.hosts().size() == 2);
  CHECK(merged.hosts()[1].host == "other");
  CHECK(merged.all(DeviceKind::gpu).size() == 4);
  CHECK(merged.device(6 + 3).host == 1);
  CHECK(merged.parent(6 + 3) == 6 + 2);
  REQUIRE(merged.stated().size() == 1);
  CHECK(merged.stated()[0].from == 6 + 3);
  const auto fabric = merged.all(DeviceKind::network_switch);
  REQUIRE(fabric.size() == 1);
  CHECK(merged.links_of(fabric[0]).size() == 2);
  CHECK(find_path(merged, 3, 6 + 5).path == PathClass::net);
  CHECK(merge(std::vector<Topology>{}).empty());
  CHECK(merge(std::vector{read[0]}).all(DeviceKind::network_switch).empty());
}

TEST_CASE("hosts without an identity are never taken for one another") {
  auto parts = machine();
  parts.hosts[0].id.clear();
  CHECK(merge(std::vector{Topology(parts), Topology(parts)}).hosts().size() == 2);
}
