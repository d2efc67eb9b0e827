#include "tutti/topology/cluster.hpp"

#include <functional>

#include "catch.hpp"
#include "contains.hpp"
#include "topology/host_list.hpp"
#include "tutti/base/error.hpp"

using namespace tutti;

namespace {

/// A machine with GPUs and as many adapters.
Topology machine(int gpus) {
  TopologyParts parts;
  parts.hosts.resize(1);
  for (int i = 0; i < gpus; ++i) {
    parts.add(Device{.kind = DeviceKind::gpu, .name = "gpu" + std::to_string(i), .index = i});
    parts.add(Device{.kind = DeviceKind::nic, .name = "mlx5_" + std::to_string(i)});
  }
  return Topology(std::move(parts));
}

/// 16,384 nodes of 8 GPUs: 32 to a leaf, 512 to a spine, all to the core.
ClusterParts large() {
  ClusterParts parts{.name = "large.json"};
  parts.nodes.push_back({.machine = "box", .topology = machine(8), .count = 16'384, .hosts = "n[00000-16383]"});
  parts.fabric = {.link = "NDR",
                  .bandwidth = Quantity::read(50),
                  .latency = Quantity::assumed(1),
                  .rails = 8,
                  .wiring = RailWiring::optimised};
  parts.fabric.tiers = {{.name = "leaf", .nodes = 32, .latency = Quantity::assumed(0.25)},
                        {.name = "spine", .nodes = 512, .oversubscription = 2, .latency = Quantity::assumed(0.25)},
                        {.name = "core", .nodes = 16'384, .latency = Quantity::read(0.5)}};
  return parts;
}

std::string complaint_about(const std::function<void(ClusterParts&)>& change) {
  auto parts = large();
  change(parts);
  try {
    Cluster cluster(parts);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

std::vector<std::string> hosts_of(const std::string& list) {
  std::vector<std::string> names;
  if (!for_each_host(list, [&](const std::string& name) { names.push_back(name); })) names.push_back("no list");
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a cluster of 131,072 GPUs is counts: sizes, places and meeting tiers are computed") {
  const Cluster cluster(large());
  CHECK(cluster.node_count() == 16'384);
  CHECK(cluster.gpu_count() == 131'072);
  CHECK(cluster.first_gpu_of(3) == 24);
  CHECK(cluster.node_of_gpu(131'071) == 16'383);
  CHECK(cluster.meeting_tier(0, 31) == 0);
  CHECK(cluster.meeting_tier(0, 32) == 1);
  CHECK(cluster.meeting_tier(0, 512) == 2);
  CHECK(cluster.meeting_tier(5, 5) == 0);
  CHECK(cluster.meeting_tier(0, 3, 31, 3) == 0);
  CHECK(cluster.meeting_tier(0, 3, 31, 4) == 1);
  CHECK(cluster.latency_through(0) == Quantity::assumed(1.25));
  CHECK(cluster.latency_through(2) == Quantity::assumed(1 + 2 * 0.25 + 2 * 0.25 + 0.5));
  CHECK(cluster.bandwidth_through(1) == Quantity::read(50));
  CHECK(cluster.bandwidth_through(2) == Quantity::read(25));
  CHECK_THROWS_AS(cluster.group_of(16'384), std::out_of_range);
  CHECK_THROWS_AS(cluster.node_of_gpu(-1), std::out_of_range);
}

TEST_CASE("kinds of nodes follow one another, also those without GPUs") {
  auto parts = large();
  parts.nodes = {{.topology = machine(8), .count = 2}, {.count = 3}, {.topology = machine(8), .count = 11}};
  const Cluster cluster(parts);
  CHECK(cluster.gpu_count() == 13 * 8);
  CHECK(cluster.node_of_gpu(15) == 1);
  CHECK(cluster.node_of_gpu(16) == 5);
  CHECK(cluster.gpus_of(2) == 0);
  CHECK(cluster.first_gpu_of(5) == 16);
}

TEST_CASE("rails that are fabrics of their own never meet") {
  auto parts = large();
  parts.fabric.wiring = RailWiring::separate;
  const Cluster cluster(parts);
  CHECK(cluster.meeting_tier(0, 1, 9'000, 1) == 2);
  CHECK_FALSE(cluster.meeting_tier(0, 1, 9'000, 2));
  parts.fabric.wiring = RailWiring::shared;
  CHECK(Cluster(parts).meeting_tier(0, 1, 31, 2) == 0);
}

TEST_CASE("groups of a tier may differ in size") {
  auto parts = large();
  parts.nodes[0] = {.count = 10};
  parts.fabric.tiers = {{.nodes = 5, .ends = {3, 8, 10}}, {.nodes = 8, .ends = {8, 10}}};
  const Cluster cluster(parts);
  CHECK(cluster.meeting_tier(0, 2) == 0);
  CHECK(cluster.meeting_tier(2, 3) == 1);
  CHECK(cluster.group_in_tier(9, 0) == 2);
  CHECK_FALSE(cluster.meeting_tier(7, 8));
}

TEST_CASE("numbers of a cluster that cannot be are refused by their place") {
  const auto check = [](const char* place, const std::function<void(ClusterParts&)>& change) {
    CAPTURE(place);
    CHECK_THAT(complaint_about(change), contains("large.json: " + std::string(place)));
  };
  check("nodes: missing", [](auto& p) { p.nodes.clear(); });
  check("nodes[0].count: 0; expected 1 to", [](auto& p) { p.nodes[0].count = 0; });
  check("nodes[0].count: -4", [](auto& p) { p.nodes[0].count = -4; });
  check("nodes[0].count: 9223372036854775807", [](auto& p) { p.nodes[0].count = INT64_MAX; });
  check("nodes[1].count: more than 1,048,576 nodes", [](auto& p) { p.nodes.push_back({.count = 1 << 20}); });
  check("nodes[0].hosts: 3 names for 16384 nodes", [](auto& p) { p.nodes[0].hosts = "n[1-3]"; });
  check("nodes[0].hosts: \"n[3-1]\" is no list", [](auto& p) { p.nodes[0].hosts = "n[3-1]"; });
  check("fabric.rails: 0", [](auto& p) { p.fabric.rails = 0; });
  check("fabric.rails: 16, but box has 8 network adapters", [](auto& p) { p.fabric.rails = 16; });
  check("fabric.bandwidth_GBs: -1", [](auto& p) { p.fabric.bandwidth.value = -1; });
  check("fabric.bandwidth_GBs: 0", [](auto& p) { p.fabric.bandwidth.value = 0; });
  check("fabric.bandwidth_GBs: nan", [](auto& p) { p.fabric.bandwidth.value = std::stod("nan"); });
  check("fabric.latency_us: 2", [](auto& p) { p.fabric.latency.value = 2e6; });
  check("fabric.tiers: missing", [](auto& p) { p.fabric.tiers.clear(); });
  check("fabric.tiers: 9", [](auto& p) { p.fabric.tiers.resize(9); });
  check("fabric.tiers[1].nodes: 500; expected a multiple of 32", [](auto& p) { p.fabric.tiers[1].nodes = 500; });
  check("fabric.tiers[1].nodes: 16; expected a multiple", [](auto& p) { p.fabric.tiers[1].nodes = 16; });
  check("fabric.tiers[0].nodes: 0", [](auto& p) { p.fabric.tiers[0].nodes = 0; });
  check("fabric.tiers[2].oversubscription: 0;", [](auto& p) { p.fabric.tiers[2].oversubscription = 0; });
  check("fabric.tiers[0].latency_us: -1", [](auto& p) { p.fabric.tiers[0].latency.value = -1; });
  check("fabric.tiers[0].ends: expected ascending", [](auto& p) { p.fabric.tiers[0].ends = {5, 5, 16'384}; });
  check("fabric.tiers[1].ends: a group that ends at node 40", [](auto& p) { p.fabric.tiers[1].ends = {40, 16'384}; });
  CHECK(complaint_about([](auto&) {}).empty());
}

TEST_CASE("lists of hosts are counted and spelled out as Slurm does") {
  CHECK(hosts_of("n[08-11,3],login") == Names{"n08", "n09", "n10", "n11", "n3", "login"});
  CHECK(hosts_of("r[1-2]n[1-2]x") == Names{"r1n1x", "r1n2x", "r2n1x", "r2n2x"});
  CHECK(hosts_of("[1-2].a") == Names{"1.a", "2.a"});
  CHECK(count_hosts("n[000000-999999]") == 1'000'000);
  for (const char* bad : {"", ",", "a,", ",a", "a[", "a[1", "a]", "a[]", "a[1-]", "a[-1]", "a[2-1]", "a[x]", "a b",
                          "a[1,]", "a[1-2000000]", "a[1-2000]b[1-2000]", "a[9999999999999]"}) {
    CAPTURE(bad);
    CHECK_FALSE(count_hosts(bad));
    CHECK(hosts_of(bad) == Names{"no list"});
  }
}
