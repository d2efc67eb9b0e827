#include <algorithm>

#include "catch.hpp"
#include "contains.hpp"
#include "fixtures.hpp"
#include "topology/flatten.hpp"
#include "topology/nccl_graph.hpp"
#include "tutti/topology/write.hpp"

using namespace tutti;

namespace {

const Link* link_between(const Topology& topology, int a, int b, LinkKind kind) {
  for (const Link& link : topology.links()) {
    const bool joins = (link.from == a && link.to == b) || (link.from == b && link.to == a);
    if (joins && link.kind == kind) return &link;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("NCCL XML becomes devices with places, numbers and everything it says") {
  const Topology topology = read_fixture("nccl-switched.xml");
  CHECK(topology.all(DeviceKind::cpu).size() == 2);
  CHECK(topology.all(DeviceKind::gpu).size() == 3);
  CHECK(topology.all(DeviceKind::nic).size() == 4);
  CHECK(topology.all(DeviceKind::pci_switch).size() == 4);
  CHECK(topology.all(DeviceKind::nv_switch).size() == 2);
  const Device& gpu = topology.device(topology.find("gpu2"));
  CHECK(gpu.pci == "0000:82:00.0");
  CHECK(gpu.numa_node == 1);
  CHECK(gpu.rank == 2);
  CHECK(gpu.attributes.at("sm") == "90");
  CHECK(gpu.attributes.at("device") == "0x2330");
  const Device& nic = topology.device(topology.find("mlx5_2"));
  CHECK(nic.pci == "0000:90:00.0");
  CHECK(nic.index == 2);
  CHECK(port_speed(nic) == Quantity::read(25));
  const Device& eth = topology.device(topology.find("eth0"));
  CHECK(eth.pci.empty());
  CHECK(topology.device(topology.parent(eth.id)).name == "numa1");
  CHECK(topology.hosts()[0].cpus == 32);
  CHECK(topology.hosts()[0].numa_nodes[1].cpus.front() == 16);
  CHECK(topology.notes().empty());
}

TEST_CASE("a host without a hash gets one that no other has, where NCCL writes it") {
  std::string text = fixture("nccl-chip.xml");
  text.replace(text.find(" host_hash=\"0xaa\""), 17, "");
  text.replace(text.find("0xbb"), 4, "0x1");
  const Topology topology = from_text(text, "f");
  REQUIRE(topology.hosts().size() == 2);
  const std::string written = to_nccl_xml(topology);
  CHECK_THAT(written, contains("<cpu numaid=\"0\" host_hash=\"0x3\" affinity="));
  const Topology again = from_text(written, "f");
  CHECK(again.hosts().size() == 2);
  CHECK(to_nccl_xml(again) == written);
}

TEST_CASE("a GPU stays one though its class says otherwise and nothing else is known of it") {
  const Topology topology = from_text(
      R"(<system version="1"><cpu numaid="0"><pci busid="0000:01:00.0" class="0x020700"><gpu/></pci></cpu></system>)",
      "f");
  REQUIRE(topology.all(DeviceKind::gpu).size() == 1);
  CHECK(from_text(to_nccl_xml(topology), "f").all(DeviceKind::gpu).size() == 1);
}

TEST_CASE("PCI links of NCCL XML carry what NCCL plans with, and what the wire could") {
  const Topology topology = read_fixture("nccl-switched.xml");
  const int gpu = topology.find("gpu1");
  const Link* link = link_between(topology, topology.parent(gpu), gpu, LinkKind::pci);
  REQUIRE(link);
  CHECK(link->lanes == Quantity::read(8));
  CHECK(link->speed == Quantity::read(32));
  CHECK(link->bandwidth == Quantity::assumed(24));
  CHECK(link->rated.value == Approx(31.507692));
  CHECK(link->from == topology.parent(gpu));
  const Link* socket = link_between(topology, 0, topology.find("numa1"), LinkKind::socket);
  REQUIRE(socket);
  CHECK(socket->bandwidth == Quantity::assumed(22));  // Sapphire Rapids
}

TEST_CASE("several NVSwitches are one crossbar, and their links add up") {
  const Topology topology = read_fixture("nccl-switched.xml");
  const Path path = find_path(topology, topology.find("gpu0"), topology.find("gpu2"));
  CHECK(path.label() == "NV18");
  CHECK(path.bandwidth.value == Approx(18 * 20.6));
  CHECK(path.links.size() == 4);
}

TEST_CASE("files with places only have GPUs and NICs by class") {
  const Topology topology = read_fixture("nccl-cloud.xml");
  REQUIRE(topology.all(DeviceKind::gpu).size() == 1);
  REQUIRE(topology.all(DeviceKind::nic).size() == 1);
  const Device& gpu = topology.device(topology.all(DeviceKind::gpu)[0]);
  CHECK(gpu.pci == "0000:10:1c.0");
  CHECK(gpu.name == "gpu0");
  CHECK(gpu.index == -1);
  CHECK(nearest_nics(topology, gpu.id).path == PathClass::pix);
  CHECK(has_note(topology, "line 9: 0000:00:16.0 is of unknown kind"));
  CHECK(has_note(topology, "line 7: link_speed \"16.0 GT/s\": NCCL does not know this spelling"));
  const Link* link = link_between(topology, topology.parent(gpu.id), gpu.id, LinkKind::pci);
  CHECK(link->bandwidth.value == 12);
}

TEST_CASE("NCCL XML with prolog, tabs, entities and oddities is read, and the oddities are named") {
  const Topology topology = read_fixture("nccl-odd.xml");
  CHECK(topology.device(0).numa_node == -1);
  const int gpu0 = topology.find("gpu0");
  const int gpu1 = topology.find("gpu1");
  CHECK(topology.device(gpu0).pci == "0000:01:00.0");
  CHECK(topology.device(gpu0).attributes.at("colour") == "blue");
  const Path there = find_path(topology, gpu0, gpu1);
  const Path back = find_path(topology, gpu1, gpu0);
  CHECK(there.label() == "NV2");
  CHECK(back.label() == "NV1");
  CHECK(has_note(topology, "gpu0 lists 2 links to gpu1, which lists 1 back"));
  CHECK(has_note(topology, "the link of gpu0 to 0000:01:00.0 leads back to itself"));
  CHECK(has_note(topology, "the link of gpu0 to 0000:77:00.0 leads to a GPU that is not in this file"));
  CHECK(has_note(topology, "<dream> is not known"));
  CHECK(has_note(topology, "link_speed \"Unknown\" is no PCI speed"));
  REQUIRE(topology.all(DeviceKind::nv_switch).size() == 1);
  CHECK(topology.device(topology.all(DeviceKind::nv_switch)[0]).model == "not visible");
}

TEST_CASE("one file may hold several hosts that share an NVLink domain") {
  const Topology topology = read_fixture("nccl-chip.xml");
  REQUIRE(topology.hosts().size() == 2);
  const auto gpus = topology.all(DeviceKind::gpu);
  REQUIRE(gpus.size() == 2);
  CHECK(topology.device(gpus[1]).host == 1);
  CHECK(find_path(topology, gpus[0], gpus[1]).label() == "NV18");
  const Path chip = find_path(topology, 0, gpus[0]);
  CHECK(chip.path == PathClass::c2c);
  CHECK(chip.bandwidth == Quantity::read(450));
}

TEST_CASE("RCCL's dialect has XGMI links") {
  const Topology topology = read_fixture("rccl-pair.xml");
  const Path path = find_path(topology, topology.find("gpu0"), topology.find("gpu1"));
  CHECK(path.label() == "XGMI");
  CHECK(path.count == 4);
  CHECK(path.bandwidth.value == 4 * 36);
  CHECK(topology.hosts()[0].cpu_family == 23);  // NCCL's 143: base and extended family side by side
}

TEST_CASE("NCCL XML that says nothing sensible is refused with its line") {
  CHECK_THAT(complaint("<system/>"), contains("f:1: expected a number in version=\"\""));
  CHECK_THAT(complaint("<system version=\"7\"/>"), contains("version 7"));
  CHECK_THAT(complaint("<system version=\"1\"/>"), contains("expected a <cpu>"));
  CHECK_THAT(complaint("<system version=\"1\">\n<cpu/></system>"), contains("f:2: expected a number in numaid"));
  CHECK_THAT(complaint("<system version=\"1\">\n<cpu numaid=\"0\"/>\n<cpu numaid=\"0\"/></system>"),
             contains("f:3: a second <cpu> with numaid 0"));
  CHECK_THAT(complaint("<system version=\"1\"><cpu numaid=\"0\">\n<pci busid=\"here\"/></cpu></system>"),
             contains("f:2: expected a bus id"));
  CHECK_THAT(complaint("<system version=\"1\"><cpu numaid=\"0\"><pci busid=\"01:00.0\"><gpu dev=\"0\">\n"
                       "<nvlink target=\"02:00.0\" count=\"-3\"/></gpu></pci></cpu></system>"),
             contains("f:2: count=\"-3\""));
}

TEST_CASE("NCCL XML that we write is the same graph when it is read") {
  for (const char* name : {"nccl-switched.xml", "nccl-cloud.xml", "nccl-odd.xml", "nccl-chip.xml", "rccl-pair.xml"}) {
    CAPTURE(name);
    const Topology topology = read_fixture(name);
    const Topology again = from_text(to_nccl_xml(topology), name);
    CHECK(std::ranges::equal(again.devices(), topology.devices()));
    CHECK(std::ranges::equal(again.links(), topology.links()));
    CHECK(std::ranges::equal(again.hosts(), topology.hosts()));
  }
}

TEST_CASE("a machine that hwloc saw becomes NCCL XML with its paths kept") {
  const Topology topology = read_fixture("hwloc-2.xml");
  const Topology again = from_text(to_nccl_xml(topology), "nccl");
  const auto gpus = topology.all(DeviceKind::gpu);
  const auto gpus_again = again.all(DeviceKind::gpu);
  REQUIRE(gpus_again.size() == gpus.size());
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    CHECK(again.device(gpus_again[i]).pci == topology.device(gpus[i]).pci);
    CHECK(again.device(gpus_again[i]).attributes.at("sm") == "90");
    for (std::size_t k = 0; k < gpus.size(); ++k) {
      CHECK(find_path(again, gpus_again[i], gpus_again[k]).label() == find_path(topology, gpus[i], gpus[k]).label());
    }
  }
}

TEST_CASE("a machine of which only path classes are known gets a tree that has them") {
  TopologyParts parts;
  parts.hosts.resize(1);
  for (int i = 0; i < 4; ++i) {
    parts.add(Device{.kind = DeviceKind::gpu,
                     .name = "gpu" + std::to_string(i),
                     .pci = "0000:0" + std::to_string(i + 1) + ":00.0",
                     .index = i});
  }
  for (int i = 0; i < 2; ++i) {
    parts.add(Device{.kind = DeviceKind::nic,
                     .name = "mlx5_" + std::to_string(i),
                     .pci = "0000:1" + std::to_string(i) + ":00.0",
                     .index = i});
  }
  const auto state = [&](int a, int b, PathClass path) { parts.stated.push_back({.from = a, .to = b, .path = path}); };
  state(0, 1, PathClass::pix);
  state(0, 4, PathClass::pix);
  state(1, 4, PathClass::pix);
  state(0, 2, PathClass::phb);
  state(1, 2, PathClass::phb);
  state(2, 4, PathClass::phb);
  state(2, 5, PathClass::pxb);
  for (const int i : {0, 1, 4}) state(i, 5, PathClass::phb);
  for (const int i : {0, 1, 2, 4, 5}) state(3, i, PathClass::sys);
  const Topology topology(parts);
  const Topology again = from_text(to_nccl_xml(topology), "made");
  CHECK(again.all(DeviceKind::cpu).size() == 2);
  for (const StatedPath& stated : topology.stated()) {
    CAPTURE(stated.from, stated.to);
    const int from = again.find(topology.device(stated.from).pci);
    const int to = again.find(topology.device(stated.to).pci);
    CHECK(name(find_path(again, from, to).path) == name(stated.path));
  }
  parts.devices[2].pci.clear();
  CHECK_THROWS_WITH(to_nccl_xml(Topology(parts)), contains("gpu2 has no PCI bus id"));
}

TEST_CASE("a Broadcom switch of two levels is one when it is flattened") {
  auto text = fixture("nccl-switched.xml");
  const std::string plain =
      "vendor=\"0x10b5\" device=\"0x8747\" subsystem_vendor=\"0x10b5\" subsystem_device=\"0x0001\"";
  const std::string broadcom =
      "vendor=\"0x1000\" device=\"0xc030\" subsystem_vendor=\"0x1000\" subsystem_device=\"0x1003\"";
  for (std::size_t at = 0; (at = text.find(plain, at)) != std::string::npos;) text.replace(at, plain.size(), broadcom);
  const Topology raw = from_text(text, "broadcom");
  const Topology flat = flatten_switches(raw);
  CHECK(find_path(raw, raw.find("gpu2"), raw.find("mlx5_1")).path == PathClass::pxb);
  CHECK(find_path(flat, flat.find("gpu2"), flat.find("mlx5_1")).path == PathClass::pix);
  CHECK(flat.devices().size() == raw.devices().size() - 1);
  CHECK(flatten_switches(read_fixture("nccl-switched.xml")) == read_fixture("nccl-switched.xml"));
}

TEST_CASE("NCCL graph XML has channels with their hops and bandwidths") {
  const auto graphs = read_nccl_graphs(fixture("nccl-graph.xml"), "g");
  REQUIRE(graphs.size() == 2);
  CHECK(graphs[0].pattern == NcclPattern::ring);
  CHECK(graphs[0].intra_bandwidth == 20);
  CHECK(graphs[0].inter_bandwidth == 12.5);
  CHECK(graphs[0].intra_class == PathClass::nvlink);
  REQUIRE(graphs[0].channels.size() == 2);
  CHECK_FALSE(graphs[0].channels[1][0].is_gpu);
  CHECK(graphs[0].channels[1][2].host == 1);
  CHECK(graphs[0].channels[1][2].index == 10);
  CHECK(graphs[1].channels.empty());
  const Topology topology = read_fixture("nccl-graph.xml");
  CHECK(topology.all(DeviceKind::gpu).size() == 4);
  CHECK(topology.all(DeviceKind::nic).size() == 2);
  CHECK(topology.hosts().size() == 2);
  CHECK_THAT(complaint("<graphs version=\"1\"/>"), contains("expected a <graph>"));
  CHECK_THAT(complaint("<graphs version=\"1\">\n<graph id=\"0\" pattern=\"9\"/></graphs>"), contains("f:2: pattern 9"));
  CHECK_THAT(
      complaint("<graphs version=\"1\"><graph id=\"0\" pattern=\"4\" speedintra=\"fast\" speedinter=\"1\"/></graphs>"),
      contains("expected GB/s in speedintra=\"fast\""));
}
