#include "tutti/topology/preset_clusters.hpp"

#include "catch.hpp"
#include "contains.hpp"
#include "tutti/base/error.hpp"

using namespace tutti;

TEST_CASE("clusters known by name have the GPUs that their names say") {
  CHECK(preset_cluster("superpod-1024").gpu_count() == 1024);
  CHECK(preset_cluster("SuperPOD-131072").gpu_count() == 131072);
  CHECK(preset_cluster("llama3-24576").gpu_count() == 24576);
  CHECK(preset_cluster("8xA100-hdr").gpu_count() == 16);
  for (const Preset& each : cluster_presets()) {
    CAPTURE(std::string(each.name));
    const Cluster cluster = preset_cluster(each.name);
    CHECK(find_preset(cluster.groups().front().machine));
    CHECK(cluster.meeting_tier(0, cluster.node_count() - 1));
    CHECK(each.facts.size() >= 3);
    // The fabric is no faster than the ports of the machine.
    const Topology& machine = cluster.groups().front().topology;
    const int nic = machine.all(DeviceKind::nic).front();
    CHECK(cluster.fabric().bandwidth.value <= port_speed(machine.device(nic)).value);
    CHECK(cluster.fabric().rails <= static_cast<int>(machine.all(DeviceKind::nic).size()));
  }
}

TEST_CASE("a cluster known by name has as many nodes as are asked for, and the tiers that these need") {
  CHECK(preset_cluster("8xH100-ndr", 32).fabric().tiers.size() == 1);
  CHECK(preset_cluster("8xH100-ndr", 33).fabric().tiers.size() == 2);
  CHECK(preset_cluster("8xH100-ndr", 1000).fabric().tiers.size() == 3);
  for (const Preset& each : cluster_presets()) {
    for (const std::int64_t nodes : {1, 2, 3, 31, 33, 100, 1025, 5000, 20000, 131072, 1048576}) {
      CAPTURE(std::string(each.name), nodes);
      const Cluster cluster = preset_cluster(each.name, nodes);
      CHECK(cluster.node_count() == nodes);
      CHECK(cluster.meeting_tier(0, nodes - 1));
    }
  }
  CHECK(preset_cluster("superpod-1024").meeting_tier(0, 3, 100, 3) == 1);
  CHECK(preset_cluster("superpod-1024").meeting_tier(0, 3, 1, 4) == 1);
  CHECK(preset_cluster("llama3-24576").bandwidth_through(2).value == Approx(50.0 / 7));
  CHECK_THROWS_WITH(preset_cluster("superpod-102"), contains("did you mean 'superpod-1024'?"));
  CHECK_THROWS_WITH(preset_cluster("superpod-1024", -1), contains("-1 nodes"));
  CHECK_THROWS_WITH(from_file_or_preset("superpod-1024"), contains("is a cluster") && contains("dgx-h100"));
}
