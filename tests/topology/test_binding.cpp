#include "tutti/topology/binding.hpp"

#include "catch.hpp"
#include "contains.hpp"
#include "fixtures.hpp"
#include "tutti/base/error.hpp"
#include "tutti/topology/presets.hpp"

using namespace tutti;

TEST_CASE("each rank of a DGX A100 is bound beside its own GPU") {
  const Topology topology = preset("dgx-a100");
  const int numa[] = {3, 3, 1, 1, 7, 7, 5, 5};
  for (int rank = 0; rank < 8; ++rank) {
    CAPTURE(rank);
    const Binding binding = bind_rank(topology, 0, rank, 8);
    CHECK(topology.device(binding.gpu).index == rank);
    CHECK(binding.numa_node == numa[rank]);
    CHECK(binding.cpus.size() == 32);
    CHECK(binding.cpus.front() == 16 * numa[rank]);
    CHECK(binding.nics.size() == 2);
    CHECK(binding.to_nic == PathClass::pix);
    CHECK(binding.score == Approx(96));  // PCI reaches 24 of 25 GB/s, and there are as many adapters as GPUs
  }
  CHECK(adapters_for_nccl(topology, bind_rank(topology, 0, 2, 8)) == "=mlx5_2,mlx5_3");
  CHECK_THAT(bind_rank(topology, 0, 2, 8).why, contains("gpu2 is on NUMA node 1; mlx5_2 mlx5_3 are PIX away"));
}

TEST_CASE("GPUs that share an adapter share its score") {
  const Topology topology = preset("dgx-1-v100");
  const Binding binding = bind_rank(topology, 0, 5, 8);
  CHECK(names_of(topology, binding.nics) == std::vector<std::string>{"mlx5_2"});
  CHECK(binding.score == Approx(100 * 12 / 12.5 / 2));
  CHECK_THAT(binding.why, contains("shared by 2 GPUs"));
}

TEST_CASE("the GPUs that are visible decide") {
  const Topology topology = preset("dgx-h100");
  using Visible = std::optional<std::vector<std::string>>;
  const auto index = [&](int rank, const Visible& visible) {
    return topology.device(bind_rank(topology, 0, rank, 16, visible).gpu).index;
  };
  CHECK(index(3, Visible({"6"})) == 6);
  CHECK(index(1, Visible({"7", "5", "2"})) == 5);
  CHECK(index(9, {}) == 1);  // more ranks than GPUs take turns
  CHECK_THROWS_WITH(index(3, Visible({"7", "5"})), contains("local rank 3 needs a GPU of its own"));
  CHECK_THROWS_WITH(index(0, Visible({"8"})), contains("lists '8', which is none of the 8 GPUs"));
  TopologyParts parts = topology.parts();
  parts.devices[static_cast<std::size_t>(topology.find("gpu4"))].attributes["uuid"] = "GPU-1234-abcd";
  const Topology with_uuid(std::move(parts));
  CHECK(with_uuid.device(bind_rank(with_uuid, 0, 0, 1, Visible({"GPU-1234"})).gpu).index == 4);
}

TEST_CASE("a rank that is shown no GPU has none, and one beyond the number of ranks is refused") {
  const Topology topology = preset("dgx-h100");
  const Binding none = bind_rank(topology, 0, 7, 8, std::vector<std::string>{});
  CHECK(none.gpu == -1);
  CHECK(none.numa_node == 1);
  CHECK_THROWS_WITH(bind_rank(topology, 0, 9, 4), contains("local rank 9 is not below 4"));
  CHECK_THROWS_WITH(bind_rank(topology, 0, 0, 0), contains("local rank 0 is not below 0"));
}

TEST_CASE("without GPUs ranks are dealt over the NUMA nodes in blocks") {
  HostFacts facts{.host = "box", .packages = 2};
  facts.numa_nodes = {{.index = 0, .cpus = {0, 1}}, {.index = 1, .cpus = {2, 3}}, {.index = 2}};
  const Topology topology = from_host_facts(facts);
  std::vector<int> nodes;
  for (int rank = 0; rank < 6; ++rank) nodes.push_back(bind_rank(topology, 0, rank, 6).numa_node);
  CHECK(nodes == std::vector<int>{0, 0, 0, 1, 1, 1});
  CHECK(bind_rank(topology, 0, 5, 6).cpus == std::vector<int>{2, 3});
  CHECK(adapters_for_nccl(topology, bind_rank(topology, 0, 5, 6)).empty());
}
