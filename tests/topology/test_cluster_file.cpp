#include "tutti/topology/cluster_file.hpp"

#include <functional>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "contains.hpp"
#include "fixtures.hpp"
#include "tutti/topology/preset_clusters.hpp"
#include "tutti/topology/write.hpp"

using namespace tutti;

namespace {

Cluster read_cluster(const std::string& name) { return cluster_from_text(fixture(name), name); }

std::string cluster_complaint(const std::string& text) {
  try {
    cluster_from_text(text, "f");
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

/// The fixture with one change.
std::string changed(const std::function<void(nlohmann::json&)>& change) {
  auto json = nlohmann::json::parse(fixture("cluster.json"));
  change(json);
  return cluster_complaint(json.dump());
}

}  // namespace

TEST_CASE("our description of a cluster is read: machines by name, counts, rails and tiers") {
  const Cluster cluster = read_cluster("cluster.json");
  CHECK(cluster.name() == "four boxes");
  CHECK(cluster.source() == "tutti-cluster");
  CHECK(cluster.node_count() == 4);
  CHECK(cluster.gpu_count() == 24);
  CHECK(cluster.groups()[0].machine == "dgx-a100");
  CHECK(cluster.fabric().bandwidth == Quantity::assumed(25));
  CHECK(cluster.fabric().wiring == RailWiring::optimised);
  CHECK(cluster.fabric().latency == Quantity::read(1.5));
  REQUIRE(cluster.fabric().tiers.size() == 2);
  CHECK(cluster.fabric().tiers[1].latency == Quantity::assumed(0.25));
  CHECK(cluster.bandwidth_through(1) == Quantity::assumed(12.5));
}

TEST_CASE("a cluster is written as it is read") {
  for (const char* name : {"cluster.json", "slurm-tree.conf", "slurm-block.conf"}) {
    const Cluster cluster = read_cluster(name);
    const Cluster again = cluster_from_text(to_json(cluster), "again");
    CHECK(again.groups() == cluster.groups());
    CHECK(again.fabric() == cluster.fabric());
    CHECK(again.name() == cluster.name());
  }
  for (const Preset& preset : cluster_presets()) {
    CAPTURE(preset.name);
    const Cluster cluster = preset_cluster(preset.name);
    const auto text = to_json(cluster);
    CHECK(text.size() < 3'000);
    const Cluster again = cluster_from_text(text, "again");
    CHECK(again.groups() == cluster.groups());
    CHECK(again.fabric() == cluster.fabric());
  }
}

TEST_CASE("a cluster names files beside its own, or holds the machine itself") {
  const TemporaryFolder folder;
  folder.write("box.xml", fixture("nccl-switched.xml"));
  folder.write("c.json", R"({"format": "tutti-cluster", "version": 1, "nodes": [{"machine": "box.xml", "count": 1}]})");
  const Cluster cluster = cluster_from_file(folder.path() / "c.json");
  CHECK(cluster.gpu_count() == 3);
  folder.write("own.json",
               R"({"format": "tutti-cluster", "version": 1, "nodes": [{"machine": "own.json", "count": 1}]})");
  CHECK_THROWS_WITH(
      cluster_from_file(folder.path() / "own.json"),
      contains("own.json: nodes[0].machine: ") || contains("own.json.nodes[0].machine: is a cluster itself"));
  CHECK_THROWS_WITH(
      cluster_from_text(R"({"format": "tutti-cluster", "version": 1, "nodes": [{"machine": "/dev/zero", "count": 1}]})",
                        "f"),
      contains("f.nodes[0].machine: /dev/zero is no file"));
  auto json = nlohmann::json::parse(to_json(cluster));
  json["nodes"][0]["machine"] = nlohmann::json::parse(serialise(read_fixture("nccl-switched.xml")));
  const Cluster inside = cluster_from_text(json.dump(), "inside");
  CHECK(inside.gpu_count() == 3);
  CHECK(cluster_from_text(to_json(inside), "again").groups() == inside.groups());
}

TEST_CASE("a machine that only has the name of a preset is written out") {
  auto machine = nlohmann::json::parse(serialise(read_fixture("nccl-switched.xml")));
  machine["name"] = "dgx-a100";
  const nlohmann::json json{
      {"format", "tutti-cluster"}, {"version", 1}, {"nodes", {{{"machine", machine}, {"count", 1}}}}};
  const Cluster cluster = cluster_from_text(json.dump(), "f");
  CHECK(cluster.gpu_count() == 3);
  CHECK(cluster_from_text(to_json(cluster), "f") == cluster);
}

TEST_CASE("the sketch of a cluster, written as JSON, is read as a topology") {
  const Topology topology = read_fixture("cluster.json");
  CHECK(topology.source() == "tutti-cluster");
  CHECK(from_text(to_json(topology), "f") == topology);
}

TEST_CASE("what a description of a cluster gets wrong is named by its place") {
  using Json = nlohmann::json;
  CHECK(changed([](Json&) {}).empty());
  CHECK_THAT(changed([](Json& j) { j["nodes"][0]["count"] = -1; }), contains("f: nodes[0].count: -1; expected 1 to"));
  CHECK_THAT(changed([](Json& j) { j["nodes"][0]["count"] = 1.5; }),
             contains("nodes[0].count: expected a whole number"));
  CHECK_THAT(changed([](Json& j) { j["nodes"][0]["count"] = 1e30; }), contains("nodes[0].count"));
  CHECK_THAT(changed([](Json& j) { j["nodes"][0].erase("count"); }), contains("nodes[0]: \"count\" is missing"));
  CHECK_THAT(changed([](Json& j) { j["nodes"][0]["machine"] = "dgx-a10"; }), contains("nodes[0].machine"));
  CHECK_THAT(changed([](Json& j) { j["nodes"][0]["machine"] = "-"; }), contains("nodes[0].machine"));
  CHECK_THAT(changed([](Json& j) { j["nodes"][0]["machine"] = std::string("x\0", 2); }), contains("nodes[0].machine"));
  CHECK_THAT(changed([](Json& j) { j["nodes"][0]["machine"] = "\x1b"; }), !contains("\x1b"));
  CHECK_THAT(changed([](Json& j) { j["nodes"][0]["gpus"] = 8; }), contains("\"gpus\" is not known here"));
  CHECK_THAT(changed([](Json& j) { j["fabric"]["wiring"] = "torus"; }), contains("\"torus\" is no wiring"));
  CHECK_THAT(changed([](Json& j) { j["fabric"]["link"] = "tin"; }), contains("link \"tin\" is none that is known"));
  CHECK_THAT(changed([](Json& j) { j["fabric"]["tiers"][1]["nodes"] = 3; }),
             contains("fabric.tiers[1].nodes: 3; expected a multiple of 2"));
  CHECK_THAT(changed([](Json& j) { j["fabric"]["tiers"][0].erase("nodes"); }), contains("\"nodes\" is missing"));
  CHECK_THAT(changed([](Json& j) { j["fabric"]["rails"] = 64; }), contains("fabric.rails: 64, but dgx-a100 has"));
  CHECK_THAT(changed([](Json& j) { j["version"] = 2; }), contains("version 2 of the form"));
  CHECK_THAT(cluster_complaint("{\"format\": \"tutti-cluster\",\n \"version\": 1,"), contains("f:2:"));
  CHECK_THAT(cluster_complaint("<system/>"), contains("f:1: \"<system/>\" begins no cluster"));
}

TEST_CASE("a tree of Slurm's switches is a cluster with a tier for each level") {
  const Cluster cluster = read_cluster("slurm-tree.conf");
  CHECK(cluster.node_count() == 9);
  CHECK(cluster.groups()[0].hosts == "n[01-03],n04,n05,n[06-07],gpu-[1-2].rack");
  REQUIRE(cluster.fabric().tiers.size() == 3);
  CHECK(cluster.meeting_tier(0, 2) == 0);
  CHECK(cluster.meeting_tier(2, 3) == 1);
  CHECK(cluster.meeting_tier(4, 5) == 2);
  CHECK(cluster.meeting_tier(7, 8) == 0);
  CHECK_FALSE(cluster.bandwidth_through(0).known());
  const Topology topology = read_fixture("slurm-tree.conf");
  CHECK(topology.hosts().size() == 9);
  CHECK(topology.hosts()[8].host == "gpu-2.rack");
  CHECK(topology.all(DeviceKind::network_switch).size() == 7);
  CHECK(find_path(topology, topology.find("n01"), topology.find("n03")).links.size() == 2);
  CHECK(find_path(topology, topology.find("n01"), topology.find("n06")).links.size() == 6);
}

TEST_CASE("Slurm's blocks are tiers of blocks, of the sizes that jobs get, and of all") {
  const Cluster cluster = read_cluster("slurm-block.conf");
  CHECK(cluster.node_count() == 12);
  REQUIRE(cluster.fabric().tiers.size() == 3);
  CHECK(cluster.fabric().tiers[0].nodes == 4);
  CHECK(cluster.fabric().tiers[1].nodes == 8);
  CHECK(cluster.meeting_tier(3, 4) == 1);
  CHECK(cluster.meeting_tier(7, 8) == 2);
}

TEST_CASE("what is wrong in a topology.conf is named by its line") {
  const auto tree = [](const std::string& more) { return cluster_complaint("SwitchName=a Nodes=n[1-2]\n" + more); };
  CHECK(tree("").empty());
  CHECK_THAT(tree("SwitchName=b Switches=c\n"), contains("f:2: c is not defined"));
  CHECK_THAT(tree("SwitchName=a Nodes=m1\n"), contains("f:2: a is defined twice"));
  CHECK_THAT(tree("SwitchName=b Nodes=n2\n"), contains("f:2: n2 is listed a second time, below b"));
  CHECK_THAT(tree("SwitchName=b Switches=c\nSwitchName=c Switches=b\n"), contains("b hangs, in the end, under itself"));
  CHECK_THAT(tree("SwitchName=b Switches=a\nSwitchName=c Switches=a\n"), contains("f:3: a hangs under both b and c"));
  CHECK_THAT(tree("SwitchName=b\n"), contains("f:2: expected either Switches= or Nodes= below b"));
  CHECK_THAT(tree("SwitchName=b Nodes=n[3\n"), contains("f:2: \"n[3\" is no list of names"));
  CHECK_THAT(tree("SwitchName=b Nodes=n[3-99999999]\n"), contains("f:2: "));
  CHECK_THAT(tree("BlockName=b Nodes=n3\n"), contains("f:2: a file has either switches or blocks"));
  CHECK_THAT(tree("Rails=8\n"), contains("f:2: expected SwitchName, Switches"));
  CHECK_THAT(tree("hello\n"), contains("f:2: expected a key and =, found \"hello\""));
  CHECK_THAT(cluster_complaint("BlockSizes=4,6\nBlockName=a Nodes=n[1-4]\n"), contains("6 is no larger multiple of 4"));
  CHECK_THAT(cluster_complaint("SwitchName=a Nodes=\n"), contains("f:1: "));
}

TEST_CASE("a cluster is expanded to devices where they are few, and sketched where they are many") {
  const Topology four = expand(read_cluster("cluster.json"));
  CHECK(four.hosts().size() == 4);
  CHECK(four.all(DeviceKind::gpu).size() == 24);
  CHECK(four.hosts()[2].host == "a3");
  const auto gpus = four.all(DeviceKind::gpu);
  const Path path = find_path(four, gpus[0], gpus[16]);
  CHECK(path.path == PathClass::net);
  const Cluster large = preset_cluster("superpod-131072");
  CHECK_THROWS_WITH(expand(large), contains("devices, more than 100000"));
  const Topology one = sketch(large);
  CHECK(one.hosts().size() == 1);
  CHECK_THAT(one.notes().back(), contains("16384 nodes of"));
}
