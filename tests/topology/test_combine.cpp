#include "tutti/topology/combine.hpp"

#include <algorithm>

#include "catch.hpp"
#include "contains.hpp"
#include "fixtures.hpp"
#include "tutti/base/error.hpp"
#include "tutti/topology/presets.hpp"
#include "tutti/topology/write.hpp"

using namespace tutti;

namespace {

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const auto at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

/// The GPUs of nccl-switched.xml as a matrix shows them: numbers, classes, no places.
TopologyParts matrix() {
  TopologyParts parts;
  parts.name = "matrix";
  parts.source = "smi-topo";
  parts.hosts.resize(1);
  for (int i = 0; i < 3; ++i) {
    parts.add(Device{
        .kind = DeviceKind::gpu, .name = "GPU" + std::to_string(i), .model = "H100", .numa_node = i / 2, .index = i});
  }
  parts.add(Device{.kind = DeviceKind::nic, .name = "mlx5_0"});
  for (const auto& [a, b] : {std::pair{0, 1}, {0, 2}, {1, 2}}) {
    parts.add(Link{.kind = LinkKind::nvlink, .from = a, .to = b, .count = 18});
  }
  parts.stated = {{.from = 0, .to = 3, .path = PathClass::pix},
                  {.from = 1, .to = 3, .path = PathClass::node},
                  {.from = 2, .to = 3, .path = PathClass::sys}};
  return parts;
}

}  // namespace

TEST_CASE("a source combined with itself says nothing new") {
  const Topology topology = read_fixture("hwloc-2.xml");
  const Topology both = combine(std::vector{topology, topology});
  CHECK(std::ranges::equal(both.devices(), topology.devices()));
  CHECK(std::ranges::equal(both.links(), topology.links()));
  CHECK(both.notes().empty());
  CHECK(combine(std::vector{topology}) == topology);
}

TEST_CASE("a matrix and an XML file of one machine agree, and complete one another") {
  const Topology xml = read_fixture("nccl-switched.xml");
  for (const auto& order : {std::vector{xml, Topology(matrix())}, std::vector{Topology(matrix()), xml}}) {
    const Topology both = combine(order);
    CHECK(both.all(DeviceKind::gpu).size() == 3);
    CHECK(both.device(both.find("gpu1")).model == "H100");
    CHECK(both.device(both.find("gpu1")).pci == "0000:22:00.0");
    CHECK(find_path(both, both.find("gpu0"), both.find("gpu1")).label() == "NV18");
    for (const auto& note : both.notes()) {
      CAPTURE(note);
      CHECK_THAT(note, contains("and not in matrix"));  // mlx5_1, mlx5_2, eth0
    }
    CHECK(both.notes().size() == 3);
    CHECK(both.name() == "nccl-switched.xml + matrix");
  }
}

TEST_CASE("every conflict between sources is named, and the first source counts") {
  auto odd = matrix();
  odd.devices[1].numa_node = 1;
  odd.devices[2].attributes["sm"] = "80";
  odd.devices[2].pci = "0000:82:00.0";
  odd.links[0].count = 12;
  odd.stated[2].path = PathClass::pxb;
  odd.add(Device{.kind = DeviceKind::gpu, .name = "GPU3", .index = 3});
  const Topology both = combine(std::vector{read_fixture("nccl-switched.xml"), Topology(odd)});
  CHECK(has_note(both, "NUMA node of gpu1 0000:22:00.0: 0 in nccl-switched.xml, 1 in matrix; the first counts"));
  CHECK(has_note(both, "sm of gpu2 0000:82:00.0: 90 in nccl-switched.xml, 80 in matrix"));
  CHECK(has_note(both, "GPU0 to GPU1: NV18 in nccl-switched.xml, NV12 in matrix"));
  CHECK(has_note(both, "gpu2 to mlx5_0: SYS in nccl-switched.xml, PXB in matrix"));
  CHECK(has_note(both, "GPU3 is in matrix and not in nccl-switched.xml"));
  CHECK(both.device(both.find("gpu1")).numa_node == 0);
}

TEST_CASE("the same bus id on different lanes is a conflict of two links") {
  const auto other = from_text(replaced(fixture("nccl-switched.xml"), "link_width=\"8\"", "link_width=\"4\""), "other");
  const Topology both = combine(std::vector{read_fixture("nccl-switched.xml"), other});
  CHECK(has_note(both, "lanes of the link to gpu1 0000:22:00.0: 8 in nccl-switched.xml, 4 in other"));
  CHECK(both.links().size() == other.links().size());
}

TEST_CASE("values that were read replace values that were assumed") {
  auto guess = matrix();
  guess.devices[0].pci = "0000:01:00.0";
  const int cpu = guess.add(Device{.kind = DeviceKind::cpu, .name = "numa0", .numa_node = 0});
  guess.add(
      Link{.kind = LinkKind::pci, .from = cpu, .to = 0, .lanes = Quantity::assumed(16), .speed = Quantity::assumed(8)});
  auto known = guess;
  known.name = "known";
  known.links.back().lanes = Quantity::read(8);
  const Topology both = combine(std::vector{Topology(guess), Topology(known)});
  CHECK(both.links().back().lanes == Quantity::read(8));
  CHECK(both.links().back().speed == Quantity::assumed(8));
  CHECK(both.notes().empty());
}

TEST_CASE("only sources of one machine can be combined") {
  CHECK_THROWS_WITH(combine({}), contains("nothing to combine"));
  const Topology rack = read_fixture("nccl-chip.xml");
  CHECK_THROWS_WITH(combine(std::vector{rack, rack}), contains("nccl-chip.xml describes 2 hosts"));
}

TEST_CASE("a machine is not different from itself, however it is written") {
  for (const char* name : {"nccl-switched.xml", "hwloc-1.xml", "hwloc-2.xml", "nccl-odd.xml", "nccl-chip.xml"}) {
    const Topology topology = read_fixture(name);
    CHECK(differences(topology, deserialise(serialise(topology))).empty());
  }
}

TEST_CASE("what changed in a machine is said once, with before and after") {
  const Topology before = read_fixture("nccl-switched.xml");
  auto text = replaced(fixture("nccl-switched.xml"), "link_width=\"8\"", "link_width=\"16\"");
  text = replaced(text, "speed=\"400000\"", "speed=\"200000\"");
  text = replaced(text, "<nvlink target=\"0000:06:00.0\" count=\"9\"", "<nvlink target=\"0000:06:00.0\" count=\"8\"");
  text = replaced(text, "<net name=\"eth0\" dev=\"3\"", "<net name=\"eth9\" dev=\"3\"");
  const auto lines = differences(before, from_text(text, "after"));
  const auto has = [&](const std::string& line) { return std::find(lines.begin(), lines.end(), line) != lines.end(); };
  CHECK(has("gpu1 0000:22:00.0: link_width: 8, now 16"));
  CHECK(has("pci switch 0000:20:00.0 – gpu1: ~24 GB/s, now ~48 GB/s"));
  CHECK(has("mlx5_0 0000:13:00.0: speed: 400000, now 200000"));
  CHECK(has("nvlink gpu0 – nvswitch1: links: 9, now 8"));
  CHECK(has("gpu0 – gpu1: NV18, now NV17"));
  CHECK(has("+ nic eth9"));
  CHECK(has("- nic eth0"));
  for (const auto& line : lines) CHECK(std::count(lines.begin(), lines.end(), line) == 1);
}

TEST_CASE("a matrix and the bus ids of a log make NCCL XML that is read again") {
  const Topology matrix = read_fixture("smi-topo.txt");
  CHECK_THROWS(to_nccl_xml(matrix));
  const std::string log =
      "box:1:1 [0] NCCL INFO comm 0x1 rank 0 nranks 4 cudaDev 0 busId 1b000 - Init COMPLETE\n"
      "box:2:2 [1] NCCL INFO comm 0x2 rank 1 nranks 4 cudaDev 1 busId 43000 - Init COMPLETE\n"
      "box:3:3 [2] NCCL INFO comm 0x3 rank 2 nranks 4 cudaDev 2 busId 52000 - Init COMPLETE\n"
      "box:4:4 [3] NCCL INFO comm 0x4 rank 3 nranks 4 cudaDev 3 busId 9d000 - Init COMPLETE\n";
  for (const bool log_first : {false, true}) {
    const Topology told = from_text(log, "log");
    const Topology both = combine(log_first ? std::vector{told, matrix} : std::vector{matrix, told});
    CHECK(both.notes().empty());
    CHECK(both.device(both.find("gpu2")).pci == "0000:52:00.0");
    CHECK(both.device(both.find("gpu2")).rank == 2);
    const Topology again = from_text(to_nccl_xml(both), "again");
    for (const auto& [a, b] :
         {std::pair{"gpu0", "mlx5_0"}, {"gpu1", "mlx5_0"}, {"gpu2", "mlx5_3"}, {"gpu0", "mlx5_3"}}) {
      CAPTURE(log_first, a, b);
      CHECK(find_path(again, again.find(a), again.find(b)).path ==
            find_path(matrix, matrix.find(a), matrix.find(b)).path);
    }
    CHECK(find_path(again, again.find("gpu0"), again.find("gpu3")).label() == "NV18");
  }
}

TEST_CASE("a matrix, the state of its NVLinks and what its GPUs may do to one another are put together") {
  const Topology both = combine(
      std::vector{read_fixture("smi-topo-old.txt"), read_fixture("smi-nvlink.txt"), read_fixture("smi-p2p.txt")});
  const int gpu = both.find("gpu0");
  CHECK(both.device(gpu).model == "NVIDIA A100-SXM4-80GB");
  CHECK(both.device(gpu).attributes.at("p2p_read") == "gpu1=OK gpu2=CNS");
  const auto link = std::find_if(both.links().begin(), both.links().end(),
                                 [&](const Link& l) { return l.kind == LinkKind::nvlink && l.from == gpu; });
  REQUIRE(link != both.links().end());
  CHECK(link->rated == Quantity::read(12.5 * link->count));  // of the slower end
  CHECK_FALSE(has_note(both, "gpu0 shows"));
  CHECK(has_note(both, "gpu1 shows 3 NVLinks, but 4 work by `nvidia-smi nvlink -s`"));
}

TEST_CASE("a drawn system and a matrix that disagree say so, pair by pair") {
  const Topology drawn = read_fixture("nccl-log-system.txt");
  const Topology both = combine(std::vector{drawn, read_fixture("smi-topo.txt")});
  CHECK(has_note(both, "gpu1 to mlx5_0: PHB in nccl-log-system.txt, PXB in smi-topo.txt; the first counts"));
  CHECK(has_note(both, "mlx5_bond_0 is in smi-topo.txt and not in nccl-log-system.txt"));
  CHECK(has_note(both, "mlx5_4 0000:a9:00.0 is in nccl-log-system.txt and not in smi-topo.txt"));
}

TEST_CASE("sources that give a NUMA node different CPUs say so") {
  const auto text = fixture("smi-topo.txt");
  const Topology other = from_text(replaced(replaced(text, "0-3,8-11", "0-3"), "0-3,8-11", "0-3"), "other");
  const Topology both = combine(std::vector{read_fixture("smi-topo.txt"), other});
  CHECK(has_note(both, "CPUs of NUMA node 0: 0-3,8-11 in smi-topo.txt, 0-3 in other; the first counts"));
  CHECK(has_note(both, "cpu_affinity of gpu1: 0-3,8-11 in smi-topo.txt, 0-3 in other"));
}

TEST_CASE("sources that plainly are of different machines are refused, unless somebody insists") {
  const auto refused = [](const char* a, const char* b) {
    try {
      combine(std::vector{preset(a), preset(b)});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("combined");
  };
  CHECK_THAT(refused("dgx-a100", "dgx-h100"), contains("dgx-a100 and dgx-h100 are not of one machine") &&
                                                  contains("the processor's maker is AuthenticAMD in dgx-a100"));
  CHECK_THAT(refused("dgx-h100", "dgx-b200"), contains("the compute capability of gpu0 is 90 in dgx-h100 and 100 in"));
  CHECK(combine(std::vector{preset("dgx-h100"), preset("dgx-b200")}, true).all(DeviceKind::gpu).size() >= 8);

  TopologyParts elsewhere = preset("dgx-h100").parts();
  for (Device& device : elsewhere.devices) {
    if (!device.pci.empty()) device.pci.replace(0, 4, "1234");
  }
  CHECK_THROWS_WITH(combine(std::vector{preset("dgx-h100"), Topology(elsewhere)}),
                    contains("none of the 8 GPUs of dgx-h100 is at a bus id"));
}
