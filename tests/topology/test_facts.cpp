#include "tutti/topology/facts.hpp"

#include "catch.hpp"
#include "contains.hpp"
#include "fixtures.hpp"

using namespace tutti;

namespace {

/// Four GPUs on NVLinks to one switch, and one GPU a PCI switch.
TopologyParts box() {
  TopologyParts parts;
  parts.hosts.push_back({.host = "box"});
  const int cpu = parts.add(Device{.kind = DeviceKind::cpu, .name = "numa0", .numa_node = 0});
  const int fabric = parts.add(Device{.kind = DeviceKind::nv_switch, .name = "nvswitch0"});
  for (int i = 0; i < 4; ++i) {
    const int gpu = parts.add(Device{
        .kind = DeviceKind::gpu, .name = "gpu" + std::to_string(i), .model = "NVIDIA A100-SXM4-80GB", .index = i});
    parts.add(Link{.kind = LinkKind::pci,
                   .from = cpu,
                   .to = gpu,
                   .bandwidth = Quantity::assumed(24),
                   .lanes = Quantity::read(16),
                   .speed = Quantity::read(16),
                   .lanes_possible = Quantity::read(16),
                   .speed_possible = Quantity::read(16)});
    parts.add(
        Link{.kind = LinkKind::nvlink, .from = gpu, .to = fabric, .count = 12, .bandwidth = Quantity::assumed(240)});
  }
  return parts;
}

Link& link_of(TopologyParts& parts, int gpu, LinkKind kind) {
  for (Link& link : parts.links) {
    if (link.kind == kind && (link.to == gpu || link.from == gpu)) return link;
  }
  throw std::out_of_range("no such link");
}

}  // namespace

TEST_CASE("a sound machine has no degraded links") { CHECK(degraded_links(Topology(box())).empty()); }

TEST_CASE("links with fewer lanes, less speed or fewer NVLinks than possible are found") {
  auto parts = box();
  link_of(parts, 3, LinkKind::pci).lanes = Quantity::read(8);
  link_of(parts, 4, LinkKind::pci).speed = Quantity::read(2.5);
  link_of(parts, 5, LinkKind::nvlink).count = 10;
  const auto found = degraded_links(Topology(parts));
  REQUIRE(found.size() == 3);
  CHECK(found[0].what == "gpu1 runs on 8 lanes; 16 are possible");
  CHECK(found[0].device == 3);
  CHECK(found[1].what == "gpu2 runs at 2.5 GT/s; 16 are possible (an idle GPU may be saving power)");
  CHECK(found[2].what == "gpu3 has 10 NVLinks; 12 belong to this model");
}

TEST_CASE("a GPU of unknown model is compared with its likes") {
  auto parts = box();
  for (Device& device : parts.devices) device.model.clear();
  CHECK(degraded_links(Topology(parts)).empty());
  link_of(parts, 2, LinkKind::nvlink).count = 8;
  parts.links.erase(parts.links.begin() + 7);  // gpu3's NVLink
  const auto found = degraded_links(Topology(parts));
  REQUIRE(found.size() == 2);
  CHECK(found[0].what == "gpu0 has 8 NVLinks; 12 has another one of this machine");
  CHECK(found[1].what == "gpu3 has 0 NVLinks; 12 has another one of this machine");
}

TEST_CASE("a whole machine of a known model with links missing is found, PCI boards are not") {
  auto parts = box();
  for (Link& link : parts.links) {
    if (link.kind == LinkKind::nvlink) link.count = 6;
  }
  CHECK(degraded_links(Topology(parts)).size() == 4);
  for (Device& device : parts.devices) device.model = "NVIDIA A100-PCIE-80GB PCIe";
  CHECK(degraded_links(Topology(parts)).empty());
}

TEST_CASE("links that the driver says are down are found") {
  auto parts = box();
  parts.devices[2].attributes["nvlinks_down"] = "2";
  link_of(parts, 2, LinkKind::nvlink).count = 10;
  const auto found = degraded_links(Topology(parts));
  REQUIRE(found.size() == 1);
  CHECK(found[0].what == "gpu0: 2 of its NVLinks are down, 10 work");
}

TEST_CASE("bus bandwidth through switches is that of a GPU's links") {
  const auto bound = possible_bandwidth(Topology(box()), Collective::all_reduce);
  CHECK(bound.bus_bandwidth == Quantity::assumed(240));
  CHECK_THAT(bound.why, contains("the 12 NVLinks of gpu"));
  CHECK(possible_bandwidth(Topology(box()), Collective::all_to_all).bus_bandwidth.value == 240);
  auto one_slow = box();
  link_of(one_slow, 4, LinkKind::nvlink).bandwidth = Quantity::read(100);
  CHECK(possible_bandwidth(Topology(one_slow), Collective::broadcast).bus_bandwidth.value == 100);
}

TEST_CASE("bus bandwidth of straight links: rings use all, pairs their own") {
  auto parts = box();
  std::erase_if(parts.links, [](const Link& link) { return link.kind == LinkKind::nvlink; });
  for (int a = 2; a < 6; ++a) {
    for (int b = a + 1; b < 6; ++b) {
      const double rate = a == 2 && b == 3 ? 20 : 40;
      parts.add(Link{.kind = LinkKind::nvlink, .from = a, .to = b, .bandwidth = Quantity::read(rate)});
    }
  }
  CHECK(possible_bandwidth(Topology(parts), Collective::all_gather).bus_bandwidth == Quantity::read(100));
  CHECK(possible_bandwidth(Topology(parts), Collective::all_to_all).bus_bandwidth == Quantity::read(60));
}

TEST_CASE("without NVLink the narrowest hop of the tree counts") {
  auto parts = box();
  std::erase_if(parts.links, [](const Link& link) { return link.kind == LinkKind::nvlink; });
  link_of(parts, 4, LinkKind::pci).bandwidth = Quantity::read(6);
  const auto bound = possible_bandwidth(Topology(parts), Collective::all_reduce);
  CHECK(bound.bus_bandwidth.value == 6);
  CHECK(bound.why == "PHB from gpu1 to gpu2");
  REQUIRE(bound.link >= 0);
  CHECK(parts.links[static_cast<std::size_t>(bound.link)].to == 4);
}

TEST_CASE("between hosts the adapters count, together") {
  auto parts = box();
  parts.hosts[0].id = "a";
  for (int i = 0; i < 2; ++i) {
    const int nic = parts.add(
        Device{.kind = DeviceKind::nic, .name = "mlx5_" + std::to_string(i), .attributes = {{"speed", "200000"}}});
    parts.add(Link{.kind = LinkKind::pci, .from = 0, .to = nic, .bandwidth = Quantity::assumed(24)});
  }
  auto other = parts;
  other.hosts[0].id = "b";
  const Topology two = merge(std::vector{Topology(parts), Topology(other)});
  const auto ring = possible_bandwidth(two, Collective::all_reduce);
  CHECK(ring.bus_bandwidth.value == 48);
  CHECK(ring.why == "the 2 adapters of box");
  // Of each GPU's 8 parts, 4 leave the host: 7/8 of the data at 48 GB/s for 4 GPUs sending half of it away.
  CHECK(possible_bandwidth(two, Collective::all_to_all).bus_bandwidth.value == Approx(48.0 * 7 / (4 * 4)));
}

TEST_CASE("one NVLink domain over several hosts needs no adapters") {
  const Topology rack = read_fixture("nccl-chip.xml");
  CHECK(possible_bandwidth(rack, Collective::all_reduce).bus_bandwidth.value == Approx(18 * 40.1));
}

TEST_CASE("there is no bus bandwidth of one GPU, nor of a barrier") {
  TopologyParts parts;
  parts.hosts.resize(1);
  parts.add(Device{.kind = DeviceKind::gpu});
  CHECK_FALSE(possible_bandwidth(Topology(parts), Collective::all_reduce).bus_bandwidth.known());
  CHECK_FALSE(possible_bandwidth(Topology{}, Collective::all_to_all).bus_bandwidth.known());
  CHECK_THROWS_WITH(possible_bandwidth(Topology(parts), Collective::barrier),
                    contains("no bus bandwidth is defined for barrier"));
}
