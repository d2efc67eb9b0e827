#include "tutti/topology/write.hpp"

#include <sstream>

#include "catch.hpp"
#include "contains.hpp"
#include "fixtures.hpp"

using namespace tutti;

TEST_CASE("the matrix is laid out as nvidia-smi lays it out") {
  const std::string expected =
      "\tGPU0\tGPU1\tGPU2\tNIC0\tNIC1\tNIC2\tNIC3\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
      "GPU0\t X \tNV18\tNV18\tPIX\tSYS\tSYS\tSYS\t0-15\t0\tN/A\n"
      "GPU1\tNV18\t X \tNV18\tPHB\tSYS\tSYS\tSYS\t0-15\t0\tN/A\n"
      "GPU2\tNV18\tNV18\t X \tSYS\tPXB\tPXB\tPHB\t16-31\t1\tN/A\n"
      "NIC0\tPIX\tPHB\tSYS\t X \tSYS\tSYS\tSYS\n"
      "NIC1\tSYS\tSYS\tPXB\tSYS\t X \tPIX\tPHB\n"
      "NIC2\tSYS\tSYS\tPXB\tSYS\tPIX\t X \tPHB\n"
      "NIC3\tSYS\tSYS\tPHB\tSYS\tPHB\tPHB\t X \n";
  const auto matrix = to_matrix(read_fixture("nccl-switched.xml"));
  CHECK(matrix.substr(0, expected.size()) == expected);
  CHECK_THAT(matrix, contains("NIC1: mlx5_1") && contains("NV#  = "));
  CHECK(to_matrix(Topology{}).empty());
}

TEST_CASE("the text is a tree with bandwidths, links, nearest adapters, oddities") {
  const auto text = to_text(read_fixture("nccl-switched.xml"));
  CHECK_THAT(text, contains("├─ numa0  CPUs 0-15\n"));
  CHECK_THAT(text, contains("│  │  ├─ gpu0 0000:12:00.0  rank 0  ~48 GB/s gen 5 x16\n"));
  CHECK_THAT(text, contains("mlx5_0 0000:13:00.0  port 50 GB/s  ~48 GB/s gen 5 x16\n"));
  CHECK_THAT(text, contains("socket ~22 GB/s: numa0–numa1\n"));
  CHECK_THAT(text, contains("nvlink x18 ~370.8 GB/s each to nvswitch0 nvswitch1: gpu0 gpu1 gpu2\n"));
  CHECK_THAT(text, contains("gpu2: mlx5_1 mlx5_2 (PXB, ~24 GB/s)\n"));
  CHECK_THAT(text, contains("all_reduce: ~370.8 GB/s (the 18 NVLinks of gpu"));
  CHECK_THAT(text, contains("\n~ assumed from tables"));
  std::ostringstream out;
  out << read_fixture("nccl-switched.xml");
  CHECK(out.str() == text);
  CHECK_THAT(to_text(read_fixture("nccl-odd.xml")), contains("Oddities:\n") && contains("gpu0→gpu1"));
  CHECK(to_text(Topology{}) == "topology: no devices: it lists none\n");
}

TEST_CASE("links between all pairs of devices are written as that") {
  TopologyParts parts;
  parts.hosts.resize(1);
  for (int i = 0; i < 3; ++i) parts.add(Device{.kind = DeviceKind::gpu, .name = "gpu" + std::to_string(i), .index = i});
  for (const auto& [a, b] : {std::pair{0, 1}, {0, 2}, {1, 2}}) {
    parts.add(Link{.kind = LinkKind::nvlink, .from = a, .to = b, .count = 4, .bandwidth = Quantity::read(80)});
  }
  CHECK_THAT(to_text(Topology(parts)), contains("nvlink x4 80 GB/s: all pairs of gpu0 gpu1 gpu2\n"));
}

TEST_CASE("the graph for Graphviz has every device and link, and names cannot break out of it") {
  TopologyParts parts;
  parts.name = "a\"b\\c\n";
  parts.hosts.push_back({.host = "h\""});
  parts.add(Device{.kind = DeviceKind::gpu, .name = "g\"; evil", .pci = "0000:01:00.0"});
  parts.add(Device{.kind = DeviceKind::gpu, .name = "gpu1"});
  parts.add(Link{
      .kind = LinkKind::nvlink, .from = 0, .to = 1, .one_way = true, .count = 2, .bandwidth = Quantity::assumed(40)});
  const auto dot = to_dot(Topology(parts));
  CHECK_THAT(dot, contains("graph topology {\n  label=\"a\\\"b\\\\c\";"));
  CHECK_THAT(dot, contains("d0 [label=\"g\\\"; evil\\n0000:01:00.0\""));
  CHECK_THAT(dot, contains("d0 -- d1 [") && contains("label=\"2x ~40 GB/s\", dir=forward"));
}

TEST_CASE("every form is written, and SVG where Graphviz is there") {
  const Topology topology = read_fixture("nccl-switched.xml");
  CHECK(topology_format_named("nccl-xml") == TopologyFormat::nccl_xml);
  CHECK(topology_format_named("xml") == std::nullopt);
  for (const auto format : {TopologyFormat::text, TopologyFormat::matrix, TopologyFormat::json,
                            TopologyFormat::nccl_xml, TopologyFormat::dot}) {
    CHECK(write(topology, format).ends_with('\n'));
  }
  try {
    const std::string svg = write(topology, TopologyFormat::svg);
    CHECK_THAT(svg, contains("<svg"));
  } catch (const Error& error) {
    CHECK(error.code() == Code::unsupported);
    CHECK_THAT(error.what(), contains("needs the program `dot`"));
  }
}

TEST_CASE("what has no devices says so in every form, and nothing is written that is not read again") {
  const Topology none = from_text(
      "{\"format\":\"tutti-topology\",\"version\":1,\"name\":\"none\",\"hosts\":[],"
      "\"devices\":[],\"links\":[]}",
      "none.json");
  CHECK_THAT(write(none, TopologyFormat::text), contains("none: no devices"));
  CHECK_THROWS_WITH(write(none, TopologyFormat::nccl_xml), contains("lists no CPUs, GPUs or adapters"));
  CHECK_THROWS_WITH(write(none, TopologyFormat::matrix), contains("lists no GPUs"));
  CHECK(from_text(write(none, TopologyFormat::json), "again").empty());
}

TEST_CASE("a tree without a processor above it gets one in NCCL XML") {
  TopologyParts parts;
  parts.hosts.resize(1);
  for (const auto& [bus, gpu_bus] : {std::pair("0000:10:00.0", "0000:11:00.0"), {"0000:20:00.0", "0000:21:00.0"}}) {
    const int above = parts.add(Device{.kind = DeviceKind::pci_switch, .name = "switch", .pci = bus});
    const int gpu = parts.add(Device{.kind = DeviceKind::gpu, .name = "gpu", .pci = gpu_bus});
    parts.add(Link{.kind = LinkKind::pci, .from = above, .to = gpu});
  }
  const Topology again = from_text(to_nccl_xml(Topology(parts)), "again");
  CHECK(again.all(DeviceKind::gpu).size() == 2);
  CHECK(again.all(DeviceKind::cpu).size() == 1);
}
