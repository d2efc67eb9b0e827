#include "tutti/plan/job_placement.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "catch.hpp"
#include "topology/contains.hpp"
#include "tutti/base/error.hpp"
#include "tutti/topology/preset_clusters.hpp"

using namespace tutti;
using namespace tutti::plan;

TEST_CASE("ranks of a placement are beside their GPUs, node after node") {
  const auto placement = place_job(preset_cluster("superpod-1024"));
  CHECK(placement.ranks() == 1024);
  CHECK(placement.ranks_per_node == 8);
  std::set<int> gpus;
  for (std::int64_t rank = 8; rank < 16; ++rank) {
    const Binding* binding = placement.binding(rank);
    REQUIRE(binding);
    gpus.insert(binding->gpu);
    CHECK(binding->cpus.size() == 112);
    CHECK(binding->score == Approx(96));
  }
  CHECK(gpus.size() == 8);
  CHECK(placement.hosts.front() == "node000");
  CHECK(placement.hosts.back() == "node127");
}

TEST_CASE("the order keeps rings inside leaf and rack whatever the scheduler gave") {
  for (const auto& [name, nodes] :
       {std::pair{"superpod-1024", 128}, {"llama3-24576", 1000}, {"superpod-131072", 3000}}) {
    const Cluster cluster = preset_cluster(name);
    std::mt19937 random(11);
    for (int round = 0; round < 5; ++round) {
      std::vector<std::int64_t> all(static_cast<std::size_t>(cluster.node_count()));
      std::iota(all.begin(), all.end(), 0);
      std::shuffle(all.begin(), all.end(), random);
      all.resize(static_cast<std::size_t>(nodes) / (round + 1));
      const auto placement = place_job(cluster, all);
      CAPTURE(name, round);
      CHECK(std::is_permutation(all.begin(), all.end(), placement.nodes.begin(), placement.nodes.end()));
      REQUIRE(placement.crossings.size() == cluster.fabric().tiers.size());
      for (const TierCrossings& tier : placement.crossings) {
        CAPTURE(tier.tier);
        CHECK(tier.ordered == tier.least);
        CHECK(tier.as_given >= tier.ordered);
      }
      CHECK(placement.crossings.front().as_given > placement.crossings.front().ordered);
    }
  }
}

TEST_CASE("a placement refuses nodes that cannot be") {
  const Cluster cluster = preset_cluster("superpod-1024");
  const std::vector<std::int64_t> beyond{0, 128};
  const std::vector<std::int64_t> twice{3, 3};
  CHECK_THROWS_WITH(place_job(cluster, beyond), contains("no node 128"));
  CHECK_THROWS_WITH(place_job(cluster, twice), contains("node 3 is named twice"));
  CHECK_THROWS_WITH(place_job(cluster, {}, 5000), contains("5000 ranks on a node"));
  ClusterParts wiring{.name = "wiring"};
  wiring.nodes.push_back({.count = 4, .hosts = "n[1-4]"});
  wiring.fabric.tiers.push_back({.name = "leaf", .nodes = 4});
  const Cluster only_wiring(wiring);
  CHECK_THROWS_WITH(place_job(only_wiring), contains("how many GPUs a node has is not known"));
  const auto placement = place_job(only_wiring, {}, 2);
  CHECK(placement.ranks() == 8);
  CHECK(placement.binding(5) == nullptr);
  CHECK(placement.hosts == std::vector<std::string>{"n1", "n2", "n3", "n4"});
}
