/// @file  Output of nvidia-smi and rocm-smi: every dialect, and what pasting does to it.
#include <algorithm>
#include <functional>

#include "catch.hpp"
#include "contains.hpp"
#include "fixtures.hpp"
#include "tutti/topology/combine.hpp"
#include "tutti/topology/facts.hpp"
#include "tutti/topology/write.hpp"

using namespace tutti;

namespace {

std::string label(const Topology& topology, const char* a, const char* b) {
  REQUIRE(topology.find(a) >= 0);
  REQUIRE(topology.find(b) >= 0);
  return find_path(topology, topology.find(a), topology.find(b)).label();
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
  return text;
}

std::string with_each_line(const std::string& text, const std::function<std::string(const std::string&)>& change) {
  std::string out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out += change(line) + '\n';
  return out;
}

/// As a terminal of that width breaks lines.
std::string wrapped(const std::string& text, std::size_t width) {
  return with_each_line(text, [&](std::string line) {
    for (auto at = width; at < line.size(); at += width + 1) line.insert(at, "\n");
    return line;
  });
}

void check_same(const std::string& damaged) {
  const Topology sound = read_fixture("smi-topo.txt");
  INFO(damaged);
  const Topology read = from_text(damaged, "smi-topo.txt");
  CHECK(std::ranges::equal(read.devices(), sound.devices()));
  CHECK(std::ranges::equal(read.links(), sound.links()));
  CHECK(std::ranges::equal(read.stated(), sound.stated()));
  CHECK(std::ranges::equal(read.hosts(), sound.hosts()));
}

}  // namespace

TEST_CASE("the matrix of nvidia-smi gives GPUs, adapters, classes and affinities") {
  const Topology topology = read_fixture("smi-topo.txt");
  CHECK(topology.source() == "smi-topo");
  CHECK(topology.notes().empty());
  REQUIRE(topology.all(DeviceKind::gpu).size() == 4);
  REQUIRE(topology.all(DeviceKind::nic).size() == 3);
  CHECK(label(topology, "gpu0", "gpu3") == "NV18");
  CHECK(label(topology, "gpu1", "mlx5_0") == "PXB");
  CHECK(label(topology, "gpu3", "mlx5_3") == "PHB");
  CHECK(label(topology, "mlx5_0", "mlx5_bond_0") == "NODE");
  CHECK(topology.device(topology.find("gpu2")).numa_node == 1);
  CHECK(topology.device(topology.find("gpu2")).attributes.at("cpu_affinity") == "4-7,12-15");
  REQUIRE(topology.hosts()[0].numa_nodes.size() == 2);
  CHECK(topology.hosts()[0].numa_nodes[1].cpus == std::vector{4, 5, 6, 7, 12, 13, 14, 15});
  const auto nearest = nearest_nics(topology, topology.find("gpu2"));
  REQUIRE(nearest.nics.size() == 1);
  CHECK(topology.device(nearest.nics[0]).name == "mlx5_3");
}

TEST_CASE("a matrix that its own writer prints is read as the same classes") {
  const Topology topology = read_fixture("smi-topo.txt");
  const Topology again = from_text(to_matrix(topology), "again");
  CHECK(to_matrix(again) == to_matrix(topology));
}

TEST_CASE("NVLinks that no GPU has so many of lead through switches") {
  const Topology switched = read_fixture("smi-topo.txt");
  REQUIRE(switched.all(DeviceKind::nv_switch).size() == 1);
  CHECK(switched.links().size() == 4);
  CHECK(possible_bandwidth(switched, Collective::all_reduce).bus_bandwidth == Quantity::assumed(18 * 20.6));
  const Topology mesh = read_fixture("smi-topo-old.txt");
  CHECK(mesh.all(DeviceKind::nv_switch).empty());
  CHECK(mesh.links().size() == 4);
  CHECK(label(mesh, "gpu0", "gpu1") == "NV2");
  CHECK(label(mesh, "gpu0", "gpu2") == "NV1");
  CHECK(label(mesh, "gpu0", "gpu3") == "SYS");
}

TEST_CASE("a matrix reads the same however it was pasted") {
  const auto text = fixture("smi-topo.txt");
  check_same(replaced(text, "\n", "\r\n"));
  check_same(replaced(text, "\t", "    "));
  check_same(replaced(text, "\t", "      "));
  check_same(with_each_line(text, [](const std::string& line) { return "[1,0]<stdout>:" + line; }));
  check_same(with_each_line(text, [](const std::string& line) { return "2026-11-30 21:04:17 INFO [node 3] " + line; }));
  check_same(with_each_line(text, [](const std::string& line) { return "> " + line; }));
  check_same(with_each_line(text, [](const std::string& line) { return "\"" + line + "\","; }));
  check_same("{'topology': '" + replaced(replaced(text, "\t", "\\t"), "\n", "\\n") + "'}");
  check_same(replaced(replaced(text, "\tGPU0\t", "\t\x1b[4mGPU0\t"), "GPU NUMA ID", "GPU NUMA ID\x1b[0m"));
  check_same("\x1b]0;a title\x07" + replaced(text, "NV18", "\x1b[32mNV18\x1b[0m"));
  check_same(replaced(text, "\n", "\n\n"));
  check_same(replaced(text, "NIC1\tNIC2", "NIC1NIC2"));
  check_same(replaced(text, "SYS\tNODE", "SYSNODE"));
  check_same(replaced(text, " X ", "X"));
  check_same("$ ssh box nvidia-smi topo -m\nGPU0 is the first.\n" + text);
  for (const std::size_t width : {20, 31, 40, 53, 64, 77}) check_same(wrapped(text, width));
}

TEST_CASE("old names of classes and adapters are read") {
  const Topology topology = read_fixture("smi-topo-old.txt");
  CHECK(label(topology, "gpu0", "mlx5_0") == "PIX");
  CHECK(label(topology, "gpu0", "mlx5_1") == "SYS");
  CHECK(topology.device(topology.find("gpu0")).numa_node == -1);
  CHECK(topology.device(topology.find("gpu3")).attributes.at("cpu_affinity") == "4-7");
}

TEST_CASE("a matrix drawn as a table, with affinities first, is read") {
  const Topology topology = read_fixture("smi-topo-table.md");
  CHECK(label(topology, "gpu0", "gpu1") == "NV4");
  CHECK(label(topology, "gpu1", "hsn0") == "PHB");
  CHECK(topology.device(topology.find("gpu0")).numa_node == 1);
  CHECK(topology.device(topology.find("gpu1")).attributes.at("cpu_affinity") == "0-7");
}

TEST_CASE("partitions of a GPU take its place in a matrix") {
  const Topology topology = read_fixture("smi-topo-mig.txt");
  REQUIRE(topology.all(DeviceKind::gpu).size() == 3);
  CHECK(topology.find("gpu0") < 0);
  CHECK(topology.device(topology.find("gpu0.1")).model == "NVIDIA A100-SXM4-40GB MIG 1g.5gb");
  CHECK(topology.device(topology.find("gpu0.1")).attributes.at("mig_of") == "gpu0");
  CHECK(label(topology, "gpu0.1", "mlx5_0") == "PIX");
  CHECK(label(topology, "gpu0.0", "gpu0.1") == "PIX");
  CHECK(label(topology, "gpu0.1", "gpu1") == "SYS");
}

TEST_CASE("affinities: lists of nodes, fields that are empty, and columns that are not there") {
  const auto numa = [](const std::string& text, const char* gpu) {
    const Topology topology = from_text(text, "f");
    return topology.device(topology.find(gpu)).numa_node;
  };
  const std::string rack =
      "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
      "GPU0\t X \tNV18\t0-71\t0,2-17\t\tN/A\nGPU1\tNV18\t X \t72-143\t1,18-33\t\t5\n";
  CHECK(numa(rack, "gpu0") == 0);
  CHECK(numa(rack, "gpu1") == 1);
  CHECK(from_text(rack, "f").device(from_text(rack, "f").find("gpu1")).attributes.at("gpu_numa_id") == "5");
  CHECK(numa(replaced(rack, "1,18-33", "0,2-17"), "gpu0") == -1);  // one list for all is no place
  const std::string cut =
      "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
      "GPU0\t X \tPHB\t\t0\t\tN/A\nGPU1\tPHB\t X \t1\t1\t\tN/A\n";
  CHECK(numa(cut, "gpu0") == 0);
  CHECK(from_text(cut, "f").device(0).attributes.count("cpu_affinity") == 0);
  CHECK(from_text(cut, "f").device(1).attributes.at("cpu_affinity") == "1");
  CHECK(numa("  GPU0 GPU1 CPU Affinity NUMA Affinity\nGPU0 X PHB 0-11 N/A\nGPU1 PHB X 0-11 N/A\n", "gpu0") == -1);
  CHECK(numa("  GPU0 CPU Affinity NUMA Affinity\nGPU0 X 0-11 3\n", "gpu0") == 3);
}

TEST_CASE("what a matrix contradicts itself in, or lacks, is named") {
  const auto text = fixture("smi-topo.txt");
  const auto odd = from_text(replaced(text, "GPU1\tNV18\t X ", "GPU1\tSYS\t X "), "f");
  CHECK(has_note(odd, "gpu0 to gpu1 is NV18 in the row of GPU0 and SYS in the row of GPU1; the first counts"));
  const auto cut = from_text(text.substr(0, text.find("NIC1\tSYS")), "f");
  CHECK(has_note(cut, "line 1: there is no row for NIC1, NIC2"));
  CHECK(label(cut, "gpu2", "NIC1") == "PIX");
  CHECK(label(cut, "NIC1", "NIC2") == "-");
  CHECK(has_note(from_text(replaced(text, "GPU2\tNV18\tNV18\t X ", "GPU2\tNV18\tNV18\tPHB"), "f"),
                 "line 4: GPU2 to itself is PHB"));
  CHECK(has_note(from_text(text + text, "f"), "a second matrix begins here"));
}

TEST_CASE("a matrix that ends within a row is refused by its line") {
  const auto text = fixture("smi-topo.txt");
  CHECK_THAT(complaint(text.substr(0, text.find("GPU2\tNV18\tNV18\t X ") + 14)),
             contains("f:4: expected 7 path classes") && contains("in the row of GPU2, found 2 before"));
  CHECK_THAT(complaint(replaced(text, "GPU3\tNV18\tNV18", "GPU3\tNV18\tFOO")),
             contains("f:5: ") && contains("found 1 before \"FOO"));
  CHECK_THAT(complaint(replaced(text, "\tGPU1\tGPU2", "\tGPU2\tGPU2")), contains("f:1: GPU2 heads two columns"));
}

TEST_CASE("peer access between GPUs is read with its kind, and what is not there is named") {
  const Topology topology = read_fixture("smi-p2p.txt");
  CHECK(topology.source() == "smi-p2p");
  REQUIRE(topology.all(DeviceKind::gpu).size() == 3);
  CHECK(topology.device(0).attributes.at("p2p_read") == "gpu1=OK gpu2=CNS");
  CHECK(topology.device(2).attributes.at("p2p_atomics") == "gpu0=NS gpu1=NS");
  CHECK(has_note(topology, "no reading between GPUs: GPU0 to GPU2 (not supported by the chipset), GPU1 to GPU2 (not"));
  CHECK(has_note(topology, "line 15: no atomics between GPUs"));
  CHECK_THAT(complaint("\tGPU0\tGPU1\nGPU0\tX\tOK\nGPU1\tOK\n"), contains("f:3: expected 2 of X, OK"));
}

TEST_CASE("the state of NVLinks is read: how many work, and how fast") {
  const Topology topology = read_fixture("smi-nvlink.txt");
  CHECK(topology.source() == "smi-nvlink");
  REQUIRE(topology.all(DeviceKind::gpu).size() == 2);
  CHECK(topology.device(0).model == "NVIDIA A100-SXM4-80GB");
  CHECK(topology.device(0).attributes.at("nvlinks") == "3");
  CHECK(topology.device(0).attributes.at("nvlinks_down") == "1");
  CHECK(topology.device(0).attributes.at("nvlink_GBs") == "25");
  CHECK(topology.device(1).attributes.at("nvlink_GBs") == "12.5");
  CHECK(has_note(topology, "line 6: the NVLinks of gpu1 run at different speeds"));
  const auto elided = from_text("GPU 0: H100 (UUID: x)\n Link 0: 26.562 GB/s\n [...]\n Link 17: 26.562 GB/s\n", "f");
  CHECK(elided.device(0).attributes.at("nvlinks") == "18");
  CHECK_THAT(complaint("GPU 0: H100\n Link 0: 25 GB/s\n Link 1: fast\n"), contains("f:3: expected GB/s or <inactive>"));
  CHECK_THAT(complaint("GPU 0: H100\n Link 0: 25 GB/s\n Link 300: 25 GB/s\n"), contains("f:3: Link 300"));
}

TEST_CASE("one paste may hold the matrix, the models and the state of the links") {
  const auto both = from_text(fixture("smi-topo-old.txt") + fixture("smi-nvlink.txt") + fixture("smi-p2p.txt"), "f");
  CHECK(both.source() == "smi-topo");
  CHECK(both.device(both.find("gpu1")).model == "NVIDIA A100-SXM4-80GB");
  CHECK(both.device(both.find("gpu0")).attributes.at("nvlinks") == "3");
  CHECK(both.device(both.find("gpu0")).attributes.at("p2p_read") == "gpu1=OK gpu2=CNS");
}

TEST_CASE("tables of rocm-smi give links, classes and NUMA nodes") {
  const Topology topology = read_fixture("rocm-smi.txt");
  CHECK(topology.source() == "rocm-smi");
  REQUIRE(topology.all(DeviceKind::gpu).size() == 4);
  CHECK(label(topology, "gpu0", "gpu1") == "XGMI");
  CHECK(label(topology, "gpu0", "gpu2") == "PHB");
  CHECK(label(topology, "gpu0", "gpu3") == "SYS");
  CHECK(topology.device(0).pci == "0000:c1:00.0");
  CHECK(topology.device(1).numa_node == 1);
  CHECK(topology.device(0).attributes.at("weights") == "0 15 40 72");
  CHECK(topology.device(0).attributes.at("hops") == "0 1 2 3");
  CHECK(has_note(topology, "PHB is taken within a NUMA node"));
  const auto only_numa = from_text("GPU[0]\t\t: (Topology) Numa Node: 0\nGPU[1]\t\t: (Topology) Numa Node: -1\n", "f");
  CHECK(only_numa.all(DeviceKind::gpu).size() == 2);
  CHECK_THAT(complaint("GPU[0]\t\t: (Topology) Numa Node: x\n"), contains("f:1: expected a NUMA node, found \"x\""));
  CHECK_THAT(complaint("ROCm System Management Interface\n"), contains("expected tables or lines of GPUs"));
}

TEST_CASE("ports of adapters are read with rate and state, in three spellings") {
  const Topology topology = read_fixture("ibstat.txt");
  CHECK(topology.source() == "ibstat");
  const auto nics = topology.all(DeviceKind::nic);
  REQUIRE(nics.size() == 3);
  CHECK(topology.device(nics[0]).attributes.at("speed") == "400000");
  CHECK(topology.device(nics[1]).name == "mlx5_0");
  CHECK(topology.device(nics[1]).attributes.at("port") == "2");
  CHECK(topology.device(nics[2]).attributes.at("link_layer") == "Ethernet");
  CHECK(has_note(topology, "line 11: mlx5_0 is not active: Down"));
  const auto status = from_text("Infiniband device 'mlx5_3' port 1 status:\n\trate: 200 Gb/sec (4X HDR)\n", "f");
  CHECK(port_speed(status.device(0)) == Quantity::read(25));
  CHECK(from_text("hca_id: mlx5_4\n\tport: 1\n\t\tstate: PORT_DOWN (1)\n", "f").device(0).name == "mlx5_4");
  CHECK_THAT(complaint("CA 'mlx5_0'\n\tPort 1:\n\t\tRate: fast\n"), contains("f:3: expected a rate in Gbit/s"));
}

TEST_CASE("heads of matrices without rows are passed over, however many") {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "\tGPU0\tGPU1\n";
  CHECK_THAT(complaint(text), contains("f:1: a matrix of 2 GPUs and adapters begins here"));
  CHECK(from_text("\tGPU0\tGPU1\n" + fixture("smi-topo.txt"), "f").all(DeviceKind::gpu).size() == 4);
}

TEST_CASE("a matrix that ends within its first row, or is too wide, is refused by what it is") {
  const std::string head = "\tGPU0\tGPU1\tGPU2\tCPU Affinity\tNUMA Affinity\n";
  for (const char* row : {"", "GPU0", "GPU0\t", "GPU0\t X", "GPU0\t X \tS"}) {
    CAPTURE(row);
    CHECK_THROWS_WITH(
        from_text(head + row, "cut.txt"),
        contains("cut.txt:1: a matrix of 3 GPUs and adapters begins here, and its first row ends before"));
  }
  CHECK_THROWS_WITH(from_text(head + "GPU0\t X \tSYS", "cut.txt"), contains("cut.txt:2: expected 3 path classes"));
  std::string wide;
  for (int gpu = 0; gpu < 400; ++gpu) wide += "\tGPU" + std::to_string(gpu);
  CHECK_THROWS_WITH(from_text(wide + "\nGPU0\t X \tSYS", "wide.txt"),
                    contains("wide.txt:1: a matrix of 400 GPUs and adapters; at most 256 are read"));
  CHECK_THROWS_WITH(from_text("GPU0 is warm", "other.txt"), contains("begins nothing that is known"));
}

TEST_CASE("what NVLinks can do and how many errors they had is read, and that it is not their state is said") {
  const std::string capabilities =
      "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-1)\n"
      "\t Link 0, P2P is supported: true\n\t Link 0, Link is supported: false\n"
      "\t Link 1, P2P is supported: false\n\t Link 1, SLI is supported: true\n";
  const Topology able = from_text(capabilities, "c.txt");
  CHECK(able.source() == "smi-nvlink");
  CHECK(able.device(0).attributes.at("nvlinks_listed") == "2");
  CHECK(!able.device(0).attributes.contains("nvlinks"));
  CHECK(able.device(0).model == "NVIDIA H100 80GB HBM3");
  CHECK_THAT(able.notes()[0], contains("NVLinks 1 of gpu0 do not support copies"));
  CHECK_THAT(able.notes()[1], contains("do not say which NVLinks work"));

  const std::string errors =
      "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-1)\n\t Link 0: Replay Errors: 0\n\t Link 0: CRC Errors: 0\n"
      "GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-2)\n\t Link 3: Replay Errors: 142\n\t Link 3: Recovery Errors: 3\n";
  const Topology counted = from_text(errors, "e.txt");
  CHECK(counted.device(0).attributes.at("nvlink_errors") == "0");
  CHECK(counted.device(1).attributes.at("nvlink_errors") == "145");
  CHECK_THAT(counted.notes()[1], contains("line 5: NVLink 3 has had 142 Replay Errors"));

  const Topology all = from_text(fixture("smi-nvlink.txt") + "\n" + capabilities + errors, "all.txt");
  CHECK(all.device(0).attributes.at("nvlinks") == "3");
  CHECK(all.device(0).attributes.at("nvlink_errors") == "0");
  CHECK_THROWS_WITH(from_text("Link 0, P2P is supported: true\n", "nobody.txt"),
                    contains("found no line that names the GPU"));
}
