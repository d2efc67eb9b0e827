#include "topology/nccl_log.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "catch.hpp"
#include "contains.hpp"
#include "fixtures.hpp"
#include "tutti/topology/facts.hpp"
#include "tutti/topology/write.hpp"

using namespace tutti;

namespace {

std::string label(const Topology& topology, const char* a, const char* b) {
  REQUIRE(topology.find(a) >= 0);
  REQUIRE(topology.find(b) >= 0);
  return find_path(topology, topology.find(a), topology.find(b)).label();
}

}  // namespace

TEST_CASE("the system that an NCCL log draws is a graph with NCCL's bandwidths") {
  const Topology topology = read_fixture("nccl-log-system.txt");
  CHECK(topology.source() == "nccl-log");
  REQUIRE(topology.all(DeviceKind::gpu).size() == 4);
  CHECK(topology.all(DeviceKind::cpu).size() == 2);
  CHECK(topology.all(DeviceKind::pci_switch).size() == 2);
  CHECK(topology.all(DeviceKind::nv_switch).size() == 1);
  CHECK(topology.all(DeviceKind::nic).size() == 2);
  CHECK(topology.hosts()[0].host == "box");
  CHECK(topology.hosts()[0].cpu_vendor == "GenuineIntel");
  const Device& gpu = topology.device(topology.find("gpu1"));
  CHECK(gpu.pci == "0000:2a:00.0");
  CHECK(gpu.rank == 1);
  CHECK(gpu.numa_node == 0);
  CHECK(label(topology, "gpu0", "gpu3") == "NV18");
  CHECK(label(topology, "gpu0", "mlx5_0") == "PIX");
  CHECK(label(topology, "gpu1", "mlx5_0") == "PHB");
  CHECK(label(topology, "gpu3", "mlx5_4") == "PIX");
  CHECK(label(topology, "gpu0", "mlx5_4") == "SYS");
  CHECK(find_path(topology, topology.find("gpu0"), topology.find("gpu2")).bandwidth == Quantity::read(370.8));
  CHECK(topology.device(topology.find("gpu0")).attributes.at("cpu_affinity") == "0-3");
  CHECK(topology.device(topology.find("mlx5_4")).attributes.at("speed") == "200000");
  CHECK(topology.device(topology.find("mlx5_4")).attributes.at("link_layer") == "RoCE");
  CHECK(has_note(topology, "NCCL 2.18.3+cuda12.2 made 2 rings and 2 trees over 4 ranks"));
  CHECK(has_note(topology, "plans its rings with 80 GB/s"));
}

TEST_CASE("a machine from an NCCL log is written as NCCL XML and read again") {
  const Topology topology = read_fixture("nccl-log-system.txt");
  const Topology again = from_text(to_nccl_xml(topology), "again");
  CHECK(again.all(DeviceKind::gpu).size() == 4);
  CHECK(label(again, "gpu0", "gpu3") == "NV18");
  CHECK(label(again, "gpu0", "mlx5_0") == "PIX");
  CHECK(label(again, "gpu0", "mlx5_4") == "SYS");
}

TEST_CASE("rings, trees, connections and plans of an NCCL log are kept") {
  const auto logged = logged_channels(fixture("nccl-log-system.txt"));
  CHECK(logged.version == "2.18.3+cuda12.2");
  CHECK(logged.ranks == 4);
  REQUIRE(logged.rings.size() == 2);
  CHECK(logged.rings.at(1) == std::vector{0, 3, 2, 1});
  REQUIRE(logged.trees.size() == 2);
  CHECK(logged.trees.at(0)[2] == LoggedTreeNode{.rank = 2, .up = 1, .down = {3, -1, -1}});
  REQUIRE(logged.connections.size() == 2);
  CHECK(logged.connections[1] == LoggedConnection{.channel = 0, .from = 1, .to = 2, .via = "P2P/IPC/read"});
  REQUIRE(logged.searches.size() == 2);
  CHECK(logged.searches[0].graph.pattern == NcclPattern::ring);
  CHECK(logged.searches[0].graph.intra_class == PathClass::nvlink);
  REQUIRE(logged.searches[0].graph.channels.size() == 2);
  CHECK(logged.searches[0].graph.channels[1][1].rank == 3);
  CHECK(logged.planned_bandwidth(true) == 80);
  CHECK(logged.planned_bandwidth(false) == 120);
  CHECK(logged.best_bus_bandwidth == 247.78);
}

TEST_CASE("a log of several hosts gives each its GPUs and adapters, and the ring that goes through all") {
  const Topology topology = read_fixture("nccl-log-hosts.txt");
  REQUIRE(topology.hosts().size() == 2);
  REQUIRE(topology.all(DeviceKind::gpu).size() == 4);
  CHECK(topology.all(DeviceKind::nic).size() == 3);
  const auto gpus = topology.all(DeviceKind::gpu);
  CHECK(topology.device(gpus[2]).host == 1);
  CHECK(topology.device(gpus[2]).rank == 2);
  CHECK(topology.device(gpus[2]).pci == "0000:88:00.0");
  CHECK(topology.device(gpus[2]).model == "NVIDIA A100-SXM4-80GB");
  CHECK(topology.device(gpus[0]).attributes.at("cpu_affinity") == "32-39");
  CHECK(topology.device(gpus[3]).attributes.at("cpu_affinity") == "32-63,96-127");
  const auto logged = logged_channels(fixture("nccl-log-hosts.txt"));
  CHECK(logged.ranks == 4);
  REQUIRE(logged.rings.size() == 1);
  CHECK(logged.rings.at(0) == std::vector{0, 1, 2, 3});
  REQUIRE(logged.trees.at(0).size() == 3);
  CHECK(logged.trees.at(0)[0].down == std::array{1, 2, -1});
  CHECK(logged.trees.at(0)[2].up == 0);
  REQUIRE(logged.connections.size() == 1);
  CHECK(logged.connections[0].via == "NET/IB/0/GDRDMA");
}

TEST_CASE("hosts that only the table of nccl-tests names are there too, all in the order of their ranks") {
  const std::string log =
      "#  Rank  0 Group  0 Pid  1 on  n01 device  0 [0000:07:00] A100\n"
      "#  Rank  1 Group  0 Pid  2 on  n02 device  0 [0x0b] A100\n"
      "n02:2:2 [0] NCCL INFO comm 0x1 rank 1 nranks 2 cudaDev 0 busId b000 - Init COMPLETE\n";
  const Topology both = from_text(log, "f");
  REQUIRE(both.hosts().size() == 2);
  CHECK(both.hosts()[0].host == "n01");
  CHECK(both.device(both.all(DeviceKind::gpu)[0]).pci == "0000:07:00.0");
  CHECK(from_text(log.substr(0, log.find("n02:2")) + "# algbw busbw\n", "f").hosts().size() == 2);
  const Topology others = from_text(
      "other:2:2 [0] NCCL INFO comm 0x1 rank 0 nranks 2 cudaDev 0 busId b000 -\n" + log.substr(0, log.find("n02:2")),
      "f");
  CHECK(others.hosts().size() == 1);
}

TEST_CASE("older and newer ways to write the same of a ring or a tree") {
  const auto rings = [](const std::string& text) { return logged_channels("h:1:1 [0] NCCL INFO " + text).rings; };
  CHECK(rings("Channel 00/02 : 0 1 2").at(0) == std::vector{0, 1, 2});
  CHECK(rings("Channel 07 :    0   1").at(7) == std::vector{0, 1});
  CHECK(rings("Ring 01 :    1   0").at(1) == std::vector{1, 0});
  CHECK(rings("Channel 00/02 : 0 1 x").empty());
  CHECK(rings("Channel 99999/02 : 0 1").empty());
  CHECK(rings("Channel 00/0 : 0[1] -> 1[2] via P2P/IPC").empty());
  const auto twice = logged_channels("h:1:1 [0] NCCL INFO Channel 00/02 : 0 1 0\n");
  CHECK(twice.rings.empty());
  REQUIRE(twice.notes.size() == 1);
  CHECK_THAT(twice.notes[0], contains("line 1: the ring of channel 0 visits a rank twice"));
}

TEST_CASE("what 2.30 draws: hosts in the ids, and a device above each GPU") {
  const std::string text =
      "n:1:2 [0] NCCL INFO === System : maxBw 48.0 totalBw 721.8 ===\n"
      "n:1:2 [0] NCCL INFO CPU/0-0 (3/-1/-1)\n"
      "n:1:2 [0] NCCL INFO + C2C[420.0] - DEV/0-b000\n"
      "n:1:2 [0] NCCL INFO + PCI[48.0] - DEV/0-b000\n"
      "n:1:2 [0] NCCL INFO               + LOC[5000.0] - GPU/0-b000 (0)\n"
      "n:1:2 [0] NCCL INFO               + NVL[721.8] - NVS/0-0\n"
      "n:1:2 [0] NCCL INFO ==========================================\n";
  const Topology topology = from_text(text, "f");
  REQUIRE(topology.all(DeviceKind::gpu).size() == 1);
  CHECK(topology.device(topology.all(DeviceKind::gpu)[0]).rank == 0);
  CHECK(topology.hosts()[0].architecture == "arm64");
  const auto chip = std::find_if(topology.links().begin(), topology.links().end(),
                                 [](const Link& link) { return link.kind == LinkKind::c2c; });
  REQUIRE(chip != topology.links().end());
  CHECK(chip->bandwidth == Quantity::read(420));
}

TEST_CASE("a CPU of an NCCL log is one by its number in hex, whatever is behind it") {
  const std::string text =
      "n:1:2 [0] NCCL INFO === System : maxBw 48.0 totalBw 48.0 ===\n"
      "n:1:2 [0] NCCL INFO CPU/0 (1/1/2)\n"
      "n:1:2 [0] NCCL INFO + PCI[48.0] - GPU/18000 (0)\n"
      "n:1:2 [0] NCCL INFO + SYS[22.0] - CPU/A\n"
      "n:1:2 [0] NCCL INFO CPU/A (1/1/2)\n"
      "n:1:2 [0] NCCL INFO + PCI[48.0] - GPU/AB000 (1)\n"
      "n:1:2 [0] NCCL INFO + SYS[22.0] - CPU/0%\n"
      "n:1:2 [0] NCCL INFO + SYS[22.0] - CPU/x\n"
      "n:1:2 [0] NCCL INFO + SYS[22.0] - CPU/FFFFFFFFFFFFFFFF\n"
      "n:1:2 [0] NCCL INFO ==========================================\n";
  const Topology topology = from_text(text, "f");
  std::vector<int> nodes;
  for (const int cpu : topology.all(DeviceKind::cpu)) nodes.push_back(topology.device(cpu).numa_node);
  CHECK(nodes == std::vector{0, 10, -1});
  CHECK(from_text(to_nccl_xml(topology), "again").all(DeviceKind::cpu).size() == 3);
}

TEST_CASE("an adapter without a bus id hides no GPU of its switch in the NCCL XML of a log") {
  const std::string text =
      "n:1:2 [0] NCCL INFO === System : maxBw 48.0 totalBw 48.0 ===\n"
      "n:1:2 [0] NCCL INFO CPU/0 (1/1/2)\n"
      "n:1:2 [0] NCCL INFO + PCI[48.0] - PCI/16000 (1000c0301000100b)\n"
      "n:1:2 [0] NCCL INFO               + PCI[48.0] - GPU/18000 (0)\n"
      "n:1:2 [0] NCCL INFO               + NET[25.0] - NET/0 (ba332c0003bd70c4/1/25.000000)\n"
      "n:1:2 [0] NCCL INFO ==========================================\n";
  const Topology again = from_text(to_nccl_xml(from_text(text, "f")), "again");
  REQUIRE(again.all(DeviceKind::gpu).size() == 1);
  REQUIRE(again.all(DeviceKind::nic).size() == 1);
  CHECK(find_path(again, again.all(DeviceKind::gpu)[0], again.all(DeviceKind::nic)[0]).path == PathClass::pix);
  CHECK(again.device(again.all(DeviceKind::nic)[0]).name == "net0");
}

TEST_CASE("a table of many ranks is read in time by their number") {
  std::string text = "#  algbw  busbw\n";
  for (int rank = 0; rank < 100'000; ++rank) {
    text += fmt::format("# Rank {} Group 0 Pid {} on node{} device {} [0x1b] NVIDIA H100\n", rank, rank, rank / 64,
                        rank % 64);
  }
  const Topology topology = from_text(text, "ranks.txt");
  CHECK(topology.hosts().size() == 1563);
  CHECK(topology.all(DeviceKind::gpu).size() == 100'000);
  CHECK(topology.device(topology.all(DeviceKind::gpu)[777]).rank == 777);
}

TEST_CASE("a log that says nothing of machines or rings is refused") {
  CHECK_THAT(
      complaint("h:1:1 [0] NCCL INFO Using network IB\n"),
      contains("f: expected lines about ranks, rings or the system") && contains("NCCL_DEBUG_SUBSYS=INIT,GRAPH"));
}
