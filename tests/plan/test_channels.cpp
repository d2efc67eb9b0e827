#include "tutti/plan/channels.hpp"

#include <fmt/format.h>

#include <map>
#include <random>
#include <set>

#include "catch.hpp"
#include "plan/channels/write.hpp"
#include "topology/contains.hpp"
#include "topology/nccl_graph.hpp"
#include "tutti/base/error.hpp"
#include "tutti/topology/copies.hpp"
#include "tutti/topology/presets.hpp"

using namespace tutti;
using namespace tutti::plan;

namespace {

double total(const std::vector<Ring>& rings) {
  double sum = 0;
  for (const Ring& ring : rings) sum += ring.bandwidth;
  return sum;
}

/// GPUs 0 … n-1 without anything between them but what is added.
TopologyParts bare_gpus(int count) {
  TopologyParts parts;
  parts.name = "box";
  parts.hosts.push_back({.host = "box"});
  for (int i = 0; i < count; ++i) {
    parts.add(Device{.kind = DeviceKind::gpu, .name = fmt::format("gpu{}", i), .index = i});
  }
  return parts;
}

void nvlink(TopologyParts& parts, int a, int b, int count, bool one_way = false) {
  parts.add(Link{.kind = LinkKind::nvlink,
                 .from = a,
                 .to = b,
                 .one_way = one_way,
                 .count = count,
                 .bandwidth = Quantity::assumed(20.0 * count)});
}

/// Four NUMA nodes with one GPU each below PCI generation 3, pairs with 12 NVLinks: the shape of Azure's NC96ads v4.
Topology bridged_pairs() {
  TopologyParts parts;
  parts.name = "pairs";
  parts.hosts.push_back({.host = "box"});
  for (int i = 0; i < 4; ++i)
    parts.add(Device{.kind = DeviceKind::cpu, .name = fmt::format("numa{}", i), .numa_node = i});
  for (int i = 0; i < 4; ++i) {
    const int gpu =
        parts.add(Device{.kind = DeviceKind::gpu, .name = fmt::format("gpu{}", i), .numa_node = i, .index = i});
    parts.add(Link{.kind = LinkKind::pci, .from = i, .to = gpu, .bandwidth = Quantity::assumed(12)});
    for (int j = 0; j < i; ++j) {
      parts.add(Link{.kind = LinkKind::socket, .from = j, .to = i, .bandwidth = Quantity::assumed(16)});
    }
  }
  nvlink(parts, 4, 5, 12);
  nvlink(parts, 6, 7, 12);
  return Topology(std::move(parts));
}

std::string why(TopologyParts parts) { return plan_channels(Topology(std::move(parts))).why_none; }

}  // namespace

TEST_CASE("rings fill every NVLink of known machines, and the search is short") {
  struct Expected {
    const char* machine;
    std::size_t rings;
    double bandwidth;  // GB/s together: what NCCL plans with for one link, times the links of a GPU
    long work;
  };
  for (const Expected& expected : {Expected{"dgx-1-v100", 6, 6 * 20.0, 2'000},
                                   {"dgx-2", 6, 6 * 20.0, 200},
                                   {"dgx-a100", 12, 12 * 20.0, 200},
                                   {"dgx-h100", 18, 18 * 20.6, 200},
                                   {"dgx-b200", 18, 18 * 40.1, 200},
                                   {"gb200-nvl72", 18, 18 * 40.1, 2'000}}) {
    CAPTURE(expected.machine);
    const Topology topology = preset(expected.machine);
    const Channels channels = plan_channels(topology);
    CHECK(channels.why_none.empty());
    CHECK(channels.rings.size() == expected.rings);
    CHECK(total(channels.rings) == Approx(expected.bandwidth));
    CHECK(channels.work <= expected.work);
    const auto proof = prove_channels(topology, channels);
    CHECK(proof.failures.empty());
    CHECK_THAT(channels_text(topology, channels, proof, {Collective::all_reduce}),
               contains("every NVLink once each way"));
    CHECK(bus_bandwidth(channels, Collective::all_reduce, Algorithm::ring) == Approx(expected.bandwidth));
  }
}

TEST_CASE("on the cube mesh each physical NVLink is in one ring each way") {
  const Topology topology = preset("dgx-1-v100");
  std::map<std::pair<int, int>, int> hops;
  for (const Ring& ring : plan_channels(topology).rings) {
    for (std::size_t i = 0; i < 8; ++i) ++hops[{ring.gpus[i], ring.gpus[(i + 1) % 8]}];
  }
  int links = 0;
  for (const Link& link : topology.links()) {
    if (link.kind != LinkKind::nvlink) continue;
    links += link.count;
    CHECK(hops[{link.from, link.to}] == link.count);
    CHECK(hops[{link.to, link.from}] == link.count);
  }
  CHECK(links == 24);
}

TEST_CASE("a full mesh of odd degree is filled by halves of links") {
  TopologyParts parts = bare_gpus(4);
  for (int a = 0; a < 4; ++a) {
    for (int b = a + 1; b < 4; ++b) nvlink(parts, a, b, 1);
  }
  const Topology topology(std::move(parts));
  const Channels channels = plan_channels(topology);
  CHECK(total(channels.rings) == Approx(60));
  CHECK(prove_channels(topology, channels));
}

TEST_CASE("rings go through PCI switches before host bridges before sockets") {
  for (const char* machine : {"8xL40S", "8xA40-PCIe", "8xRTX4090", "4xA100-PCIe", "4xV100-PCIe"}) {
    CAPTURE(machine);
    const Topology topology = preset(machine);
    const Channels channels = plan_channels(topology);
    REQUIRE(channels.rings.size() == 1);
    const auto& gpus = channels.rings.front().gpus;
    std::map<PathClass, int> hops;
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      ++hops[find_path(topology, gpus[i], gpus[(i + 1) % gpus.size()]).path];
    }
    CHECK(hops[PathClass::sys] == 2);  // there and back
    if (std::string(machine) == "8xA40-PCIe") CHECK((hops[PathClass::pix] == 4 && hops[PathClass::pxb] == 2));
    CHECK(prove_channels(topology, channels));
  }
}

TEST_CASE("pairs with bridges reach what NCCL reaches on them") {
  // NCCL's graph for this shape: 2 channels of 12 GB/s, one around each way.
  const Topology topology = bridged_pairs();
  const Channels channels = plan_channels(topology);
  CHECK(channels.rings.size() == 2);
  CHECK(total(channels.rings) >= 2 * 12.0);
  CHECK(prove_channels(topology, channels));
}

TEST_CASE("between hosts there is a ring for each adapter, and rails match") {
  for (const auto& [machine, rings, each] : {std::tuple{"dgx-h100", std::size_t{8}, 48.0},
                                             {"dgx-a100", std::size_t{8}, 24.0},
                                             {"dgx-1-v100", std::size_t{4}, 12.0}}) {
    for (const int hosts : {2, 3, 4, 8}) {
      CAPTURE(machine, hosts);
      const Topology topology = copies(preset(machine), hosts);
      const Channels channels = plan_channels(topology);
      CHECK(channels.domains == hosts);
      CHECK(channels.rings.size() == rings);
      CHECK(channels.trees.size() == 2 * rings);
      for (const Ring& ring : channels.rings) {
        CHECK(ring.bandwidth == Approx(each).epsilon(0.002));
        CHECK(ring.to_nic == PathClass::pix);
        CHECK(ring.within == PathClass::nvlink);
      }
      CHECK(prove_channels(topology, channels).failures.empty());
    }
  }
}

TEST_CASE("a reason is given when no ring is possible") {
  CHECK_THAT(why({}), contains("there are no GPUs"));
  CHECK_THAT(why(bare_gpus(1)), contains("a ring needs two"));
  CHECK_THAT(why(bare_gpus(2)), contains("no link or path joins gpu0 to any other GPU"));
  TopologyParts islands = bare_gpus(4);
  nvlink(islands, 0, 1, 2);
  nvlink(islands, 2, 3, 2);
  CHECK_THAT(why(islands), contains("no way leads from gpu0 to gpu2"));
  TopologyParts one_way = bare_gpus(3);
  nvlink(one_way, 0, 1, 1);
  nvlink(one_way, 0, 2, 1, true);
  CHECK_THAT(why(one_way), contains("gpu2 can send to no other GPU"));
  TopologyParts chain = bare_gpus(3);
  nvlink(chain, 0, 1, 1);
  nvlink(chain, 1, 2, 1);
  CHECK_THAT(why(chain), contains("no order of all of them closes to a ring"));
  const Topology no_adapter = copies(bridged_pairs(), 2);
  CHECK_THAT(plan_channels(no_adapter).why_none, contains("has no network adapter"));
}

TEST_CASE("the proof finds what is wrong") {
  const Topology topology = preset("dgx-a100");
  const Channels good = plan_channels(topology);
  REQUIRE(prove_channels(topology, good));
  const auto failure = [&](auto break_it) {
    Channels bad = good;
    break_it(bad);
    const auto proof = prove_channels(topology, bad);
    return proof.failures.empty() ? std::string() : proof.failures.front();
  };
  CHECK_THAT(failure([](Channels& c) { c.rings[3].gpus[2] = c.rings[3].gpus[1]; }),
             contains("ring 3 does not visit each"));
  CHECK_THAT(failure([](Channels& c) { c.rings[0].bandwidth *= 1.01; }), contains("carries"));
  CHECK_THAT(failure([](Channels& c) { c.trees[0].bandwidth *= 1.01; }), contains("trees: nvlink"));
  CHECK_THAT(failure([](Channels& c) { c.trees[1].parents[static_cast<std::size_t>(c.trees[1].parents[0])] = 0; }),
             contains("tree 1 is no tree"));
  CHECK_THAT(failure([](Channels& c) { c.trees[2].gpus.pop_back(); }), contains("tree 2 does not hold each"));
  CHECK_THAT(failure([](Channels& c) { c.trees[1] = c.trees[0], c.trees[1].twin = 0; }),
             contains("are no double tree"));
  CHECK_THAT(failure([](Channels& c) { c = Channels{}; }), contains("there are no channels"));

  const Topology two = copies(preset("dgx-h100"), 2);
  Channels crossed = plan_channels(two);
  std::swap(crossed.rings[0].segments[1].nic_in, crossed.rings[0].segments[1].nic_out);
  const auto proof = prove_channels(two, crossed);
  REQUIRE(!proof);
  CHECK_THAT(proof.failures.back(), contains("lead from one rail to another"));
}

TEST_CASE("on machines made by chance rings are proven, or there is a reason") {
  std::mt19937 random(7);
  int with_rings = 0;
  for (int round = 0; round < 200; ++round) {
    const int count = 2 + static_cast<int>(random() % 7);
    TopologyParts parts = bare_gpus(count);
    const int cpu = parts.add(Device{.kind = DeviceKind::cpu, .name = "numa0", .numa_node = 0});
    for (int a = 0; a < count; ++a) {
      if (random() % 4 != 0) {
        parts.add(Link{.kind = LinkKind::pci, .from = cpu, .to = a, .bandwidth = Quantity::read(1.0 + random() % 40)});
      }
      for (int b = a + 1; b < count; ++b) {
        if (random() % 3 == 0) nvlink(parts, a, b, 1 + static_cast<int>(random() % 4), random() % 8 == 0);
      }
    }
    const Topology topology(std::move(parts));
    const Channels channels = plan_channels(topology);
    CAPTURE(round, channels.why_none);
    CHECK(channels.why_none.empty() == !channels.rings.empty());
    if (channels.rings.empty()) continue;
    ++with_rings;
    CHECK(prove_channels(topology, channels).failures.empty());
    CHECK(channels_json(topology, channels, {}, {}) == channels_json(topology, plan_channels(topology), {}, {}));
  }
  CHECK(with_rings > 100);
}

TEST_CASE("limits of the search are kept") {
  const Topology topology = preset("dgx-h100");
  const Channels few = plan_channels(topology, {.most_rings = 3});
  CHECK(few.rings.size() == 3);
  CHECK(prove_channels(topology, few));
  const Channels hurried = plan_channels(topology, {.most_work = 10});
  CHECK(hurried.work <= 40);
  CHECK((hurried.rings.empty() || prove_channels(topology, hurried)));
}

TEST_CASE("more GPUs than are searched go around in the order of the PCI tree, in little work") {
  for (const int count : {300, 1'500, 20'000}) {
    CAPTURE(count);
    TopologyParts parts = bare_gpus(count);
    const int cpus[] = {parts.add(Device{.kind = DeviceKind::cpu, .name = "numa0", .numa_node = 0}),
                        parts.add(Device{.kind = DeviceKind::cpu, .name = "numa1", .numa_node = 1})};
    parts.add(Link{.kind = LinkKind::socket, .from = cpus[0], .to = cpus[1], .bandwidth = Quantity::read(16)});
    for (int gpu = 0; gpu < count; ++gpu) {  // by number they would go from socket to socket each time
      parts.add(Link{.kind = LinkKind::pci, .from = cpus[gpu % 2], .to = gpu, .bandwidth = Quantity::read(24)});
    }
    const Topology topology(std::move(parts));
    const Channels channels = plan_channels(topology);
    CHECK(channels.work <= count);
    REQUIRE(channels.rings.size() == 1);
    CHECK(channels.rings.front().bandwidth == Approx(16));
    CHECK(prove_channels(topology, channels).failures.empty());
    REQUIRE(channels.notes.size() == 1);
    CHECK_THAT(channels.notes.front(), contains(fmt::format("a domain of {} GPUs, more than are searched", count)));
  }
}

TEST_CASE("more GPUs behind NVSwitches than are searched still get double trees") {
  TopologyParts parts = bare_gpus(576);
  const int middle = parts.add(Device{.kind = DeviceKind::nv_switch, .name = "nvswitch0"});
  for (int gpu = 0; gpu < 576; ++gpu) nvlink(parts, gpu, middle, 18);
  const Topology topology(std::move(parts));
  const Channels channels = plan_channels(topology);
  REQUIRE(channels.rings.size() == 1);
  CHECK(total(channels.rings) == Approx(18 * 20.0));
  CHECK(channels.trees.size() == 2);
  CHECK(channels.trees.front().twin == 1);
  CHECK(prove_channels(topology, channels).failures.empty());
}

TEST_CASE("large domains are joined by one adapter each, and what does not join is said") {
  TopologyParts parts = bare_gpus(400);
  const int cpu = parts.add(Device{.kind = DeviceKind::cpu, .name = "numa0", .numa_node = 0});
  const int nic =
      parts.add(Device{.kind = DeviceKind::nic, .name = "mlx5_0", .index = 0, .attributes = {{"speed", "100000"}}});
  parts.add(Link{.kind = LinkKind::pci, .from = cpu, .to = nic, .bandwidth = Quantity::read(12)});
  for (int gpu = 0; gpu < 400; ++gpu) {
    parts.add(Link{.kind = LinkKind::pci, .from = cpu, .to = gpu, .bandwidth = Quantity::read(24)});
  }
  const Topology two = copies(Topology(parts), 2);
  const Channels channels = plan_channels(two);
  REQUIRE(channels.rings.size() == 1);
  CHECK(channels.rings.front().bandwidth == Approx(12));
  CHECK(prove_channels(two, channels).failures.empty());
  CHECK_THAT(why(bare_gpus(400)), contains("no way leads from gpu0 to gpu1, which follow one another"));
}

TEST_CASE("hosts of many kinds share what is spent on searches") {
  std::vector<Topology> machines;
  for (int kind = 0; kind < 600; ++kind) {  // all different, each larger than its share
    TopologyParts parts = bare_gpus(24);
    parts.hosts.front().host = fmt::format("n{}", kind);
    const int cpu = parts.add(Device{.kind = DeviceKind::cpu, .name = "numa0", .numa_node = 0});
    const int nic =
        parts.add(Device{.kind = DeviceKind::nic, .name = "mlx5_0", .index = 0, .attributes = {{"speed", "100000"}}});
    parts.add(Link{.kind = LinkKind::pci, .from = cpu, .to = nic, .bandwidth = Quantity::read(12)});
    for (int gpu = 0; gpu < 24; ++gpu) {
      parts.add(Link{.kind = LinkKind::pci, .from = cpu, .to = gpu, .bandwidth = Quantity::read(24 + 0.01 * kind)});
    }
    machines.emplace_back(std::move(parts));
  }
  const Topology topology = merge(machines);
  const Channels channels = plan_channels(topology);
  CHECK(channels.work <= 5 * 20'000 + 20'000 + 600 * 24);
  REQUIRE(channels.rings.size() == 1);
  CHECK(prove_channels(topology, channels).failures.empty());
}

TEST_CASE("bus bandwidth is that of nccl-tests") {
  Channels channels;
  channels.gpus = 4;
  channels.rings.resize(2, Ring{.bandwidth = 10});
  channels.trees.resize(2, Tree{.bandwidth = 6});
  CHECK(bus_bandwidth(channels, Collective::all_reduce, Algorithm::ring) == 20);
  CHECK(bus_bandwidth(channels, Collective::all_reduce, Algorithm::tree) == Approx(12 * 2 * 0.75));
  CHECK(bus_bandwidth(channels, Collective::broadcast, Algorithm::tree) == 12);
  CHECK(bus_bandwidth(channels, Collective::all_gather, Algorithm::tree) == 0);
  CHECK(bus_bandwidth(channels, Collective::all_to_all, Algorithm::ring) == 0);
}

TEST_CASE("channels as NCCL graph XML are read back as they were written") {
  for (const bool several : {false, true}) {
    const Topology topology = copies(preset("dgx-h100"), several ? 2 : 1);
    const Channels channels = plan_channels(topology);
    const auto graphs = read_nccl_graphs(channels_graph_xml(topology, channels), "written");
    REQUIRE(graphs.size() == 2);
    CHECK(graphs[0].pattern == NcclPattern::ring);
    REQUIRE(graphs[0].channels.size() == channels.rings.size());
    CHECK(graphs[1].channels.size() == channels.trees.size());
    CHECK(graphs[0].intra_bandwidth == Approx(channels.rings.front().bandwidth));
    CHECK(graphs[0].intra_class == PathClass::nvlink);
    for (std::size_t i = 0; i < channels.rings.size(); ++i) {
      const Ring& ring = channels.rings[i];
      const auto& hops = graphs[0].channels[i];
      const std::size_t net = several ? 1 : 0;
      REQUIRE(hops.size() == 8 + 2 * net);
      if (several)
        CHECK((!hops.front().is_gpu && hops.front().index == topology.device(ring.segments[0].nic_in).index));
      for (std::size_t g = 0; g < 8; ++g) CHECK(hops[g + net].index == topology.device(ring.gpus[g]).index);
    }
  }
}
