#include <fmt/format.h>

#include <algorithm>

#include "catch.hpp"
#include "contains.hpp"
#include "fixtures.hpp"

using namespace tutti;

namespace {

const Link* pci_link_to(const Topology& topology, int id) {
  for (const int index : topology.links_of(id)) {
    const Link& link = topology.links()[static_cast<std::size_t>(index)];
    if (link.kind == LinkKind::pci && link.to == id) return &link;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("a CPU that a damaged file of hwloc names twice is one") {
  const Topology topology = from_text(
      R"(<topology version="3.0"><object type="Machine" os_index="0" cpuset="0x3"><object type="Package" os_index="0">
      <object type="PU" os_index="1"/><object type="PU" os_index="1"/></object></object></topology>)",
      "f");
  CHECK(topology.hosts()[0].numa_nodes[0].cpus == std::vector{1});
  CHECK(deserialise(serialise(topology)) == topology);
}

TEST_CASE("hwloc XML of version 1 has the machine's processors and PCI tree") {
  const Topology topology = read_fixture("hwloc-1.xml");
  const HostFacts& host = topology.hosts()[0];
  CHECK(host.host == "old1");
  CHECK(host.packages == 2);
  CHECK(host.cores == 4);
  CHECK(host.cpus == 4);
  CHECK(host.allowed_cpus == std::vector<int>{0, 1, 2});
  CHECK(host.cpu_model == "AMD EPYC 7402 24-Core Processor");
  CHECK(host.cpu_family == 23);
  CHECK(host.l3_bytes == 16777216);
  CHECK(host.cpus_per_l3 == 2);
  CHECK(host.l2_bytes == 524288);
  REQUIRE(host.numa_nodes.size() == 2);
  CHECK(host.numa_nodes[1].package == 1);
  CHECK(host.memory_bytes == 2147483648);

  const auto gpus = topology.all(DeviceKind::gpu);
  REQUIRE(gpus.size() == 2);  // the management controller is none
  CHECK(topology.device(gpus[0]).pci == "0000:83:00.0");
  CHECK(topology.device(gpus[0]).numa_node == 1);
  CHECK(topology.device(gpus[1]).pci == "0000:03:00.0");
  CHECK(topology.device(gpus[1]).attributes.at("gcn") == "gfx906");
  const int nic = topology.find("mlx5_0");
  REQUIRE(nic >= 0);
  CHECK(topology.device(nic).attributes.at("osdevs") == "ib0 mlx5_0");
  CHECK(topology.device(nic).attributes.at("state") == "down");
  CHECK(topology.notes().size() == 1);
}

TEST_CASE("root ports and lower ports are folded, upper ports are switches") {
  const Topology topology = read_fixture("hwloc-1.xml");
  const int gpu = topology.find("gpu1");
  const int nic = topology.find("mlx5_0");
  CHECK(topology.parent(gpu) == topology.parent(nic));
  CHECK(topology.device(topology.parent(gpu)).pci == "0000:01:00.0");
  CHECK(topology.device(topology.parent(topology.parent(gpu))).kind == DeviceKind::host_bridge);
  CHECK(find_path(topology, gpu, nic).path == PathClass::pix);
  CHECK(find_path(topology, gpu, topology.find("gpu0")).path == PathClass::sys);
  const Link* to_gpu = pci_link_to(topology, gpu);
  REQUIRE(to_gpu);
  CHECK(to_gpu->rated == Quantity::read(31.0));
  CHECK(to_gpu->bandwidth == Quantity::assumed(24));
  const Link* to_nic = pci_link_to(topology, nic);
  REQUIRE(to_nic);
  CHECK(to_nic->rated.value == Approx(15.753846));  // its own says nothing, the port above does
}

TEST_CASE("of the two ends of a PCI link the lower counts, and a GPU's link at 2.5 GT/s is asleep") {
  const auto machine = [](const char* root, const char* upper, const char* lower, const char* gpu) {
    return fmt::format(
        R"(<topology version="2.0"><object type="Machine" os_index="0" cpuset="0x1" nodeset="0x1">
<object type="NUMANode" os_index="0" cpuset="0x1" nodeset="0x1"/><object type="PU" os_index="0" cpuset="0x1" nodeset="0x1"/>
<object type="Bridge" bridge_type="0-1" bridge_pci="0000:[00-05]">
<object type="Bridge" bridge_type="1-1" pci_busid="0000:00:01.0" pci_type="0604 [1022:1453] [0000:0000] 00" pci_link_speed="{}">
<object type="Bridge" bridge_type="1-1" pci_busid="0000:01:00.0" pci_type="0604 [1002:14a0] [0000:0000] 00" pci_link_speed="{}">
<object type="Bridge" bridge_type="1-1" pci_busid="0000:02:00.0" pci_type="0604 [1002:14a1] [0000:0000] 00" pci_link_speed="{}">
<object type="PCIDev" pci_busid="0000:03:00.0" pci_type="0302 [10de:1db1] [10de:1212] a1" pci_link_speed="{}"/>
</object></object></object></object></object></topology>)",
        root, upper, lower, gpu);
  };
  const Topology port = from_text(machine("15.753846", "15.753846", "1.969231", "15.753846"), "port");
  const Link* link = pci_link_to(port, port.find("0000:03:00.0"));
  REQUIRE(link);
  CHECK(link->rated == Quantity::read(1.969231));
  REQUIRE(port.notes().size() == 1);
  CHECK_THAT(port.notes()[0], contains("0000:03:00.0: its link carries 15.75 GB/s by what it says, 1.969 by the port"));

  const Topology idle = from_text(machine("1.000000", "1.000000", "31.507692", "31.507692"), "idle");
  const Link* asleep = pci_link_to(idle, idle.find("0000:01:00.0"));
  REQUIRE(asleep);
  CHECK(asleep->bandwidth == Quantity::assumed(12));
  CHECK(asleep->speed == Quantity::assumed(2.5));
  CHECK(pci_link_to(idle, idle.find("0000:03:00.0"))->bandwidth == Quantity::assumed(24));
  REQUIRE(idle.notes().size() == 1);
  CHECK_THAT(idle.notes()[0], contains("its PCI link is read at 2.5 GT/s (1 GB/s)"));
}

TEST_CASE("hwloc XML of version 2 has NVLinks, and NUMA nodes with memory only") {
  const Topology topology = read_fixture("hwloc-2.xml");
  const HostFacts& host = topology.hosts()[0];
  CHECK(host.l1_bytes == 49152);
  REQUIRE(host.numa_nodes.size() == 3);
  CHECK(host.numa_nodes[2].cpus.empty());
  CHECK(topology.all(DeviceKind::cpu).size() == 2);
  const int gpu0 = topology.find("gpu0");
  const int gpu1 = topology.find("gpu1");
  const int gpu2 = topology.find("gpu2");
  CHECK(topology.device(gpu0).model == "NVIDIA H200");
  CHECK(topology.device(gpu0).index == 0);  // NVML's number, not CUDA's
  CHECK(topology.device(gpu0).attributes.at("sm") == "90");
  CHECK(find_path(topology, gpu0, gpu1).label() == "NV6");
  CHECK(find_path(topology, gpu0, gpu2).label() == "NV9");
  CHECK(find_path(topology, gpu1, gpu2).label() == "SYS");
  CHECK(find_path(topology, gpu2, gpu1).label() == "NV3");  // the matrix is not symmetric, and neither are we
  CHECK(find_path(topology, gpu0, topology.find("mlx5_0")).path == PathClass::phb);
  CHECK(find_path(topology, gpu1, topology.find("mlx5_0")).path == PathClass::node);
  CHECK(topology.device(gpu2).numa_node == 1);
}

TEST_CASE("hwloc XML of version 3 has kinds as bits and matrices over mixed objects") {
  const Topology topology = read_fixture("hwloc-3.xml");
  const int gpu0 = topology.find("gpu0");
  CHECK(topology.all(DeviceKind::gpu).size() == 2);
  CHECK(topology.all(DeviceKind::nv_switch).size() == 1);
  CHECK(topology.find("eth0") >= 0);
  CHECK(topology.device(topology.find("eth0")).attributes.at("address") == "02:00:00:00:00:01");
  CHECK(find_path(topology, gpu0, topology.find("gpu1")).label() == "NV2");
  const auto to_cpu = std::count_if(topology.links().begin(), topology.links().end(), [&](const Link& link) {
    return link.kind == LinkKind::nvlink && link.from == gpu0 && topology.device(link.to).kind == DeviceKind::cpu;
  });
  CHECK(to_cpu == 1);
  CHECK(topology.hosts()[0].architecture == "ppc64le");
  CHECK(topology.hosts()[0].host == "Model Three");
}

TEST_CASE("hwloc XML that does not add up is refused, or the part is left out by name") {
  auto text = fixture("hwloc-2.xml");
  text.replace(text.find("nbobjs=\"3\""), 10, "nbobjs=\"4\"");
  const Topology topology = from_text(text, "f");
  CHECK(find_path(topology, topology.find("gpu0"), topology.find("gpu1")).path == PathClass::node);
  REQUIRE(topology.notes().size() == 1);
  CHECK_THAT(topology.notes()[0], contains("says it has 4 objects, lists 3 and has 9 values"));
  CHECK_THAT(complaint("<topology version=\"9.0\"><object type=\"Machine\"/></topology>"), contains("version \"9.0\""));
  CHECK_THAT(complaint("<topology version=\"2.0\"/>"), contains("expected an <object type=\"Machine\">"));
  CHECK_THAT(complaint("<topology><object type=\"Machine\"/></topology>"), contains("expected a NUMANode or a PU"));
  CHECK_THAT(
      complaint("<topology><object type=\"Machine\">\n<object type=\"NUMANode\" os_index=\"x\"/></object></topology>"),
      contains("f:2: a NUMANode without a sane os_index"));
  CHECK_THAT(complaint("<topology><object type=\"Machine\"><object type=\"NUMANode\" os_index=\"1\" cpuset=\"1\"/>"
                       "<object type=\"NUMANode\" os_index=\"1\" cpuset=\"2\"/></object></topology>"),
             contains("two NUMANodes 1"));
  CHECK_THAT(complaint("<topology><object type=\"Machine\"><object type=\"NUMANode\" os_index=\"1\" cpuset=\"1\"/>\n"
                       "<object type=\"PCIDev\" pci_busid=\"there\"/></object></topology>"),
             contains("f:2: expected a bus id"));
}

TEST_CASE("a machine without PCI devices is a machine with CPUs") {
  const Topology topology = from_text(
      "<topology version=\"3.0\"><object type=\"Machine\"><object type=\"PU\" os_index=\"1\"/></object></topology>",
      "f");
  CHECK(topology.devices().size() == 1);
  CHECK(topology.hosts()[0].numa_nodes[0].cpus == std::vector<int>{1});
}
