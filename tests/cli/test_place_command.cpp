#include "cli/place_command.hpp"

#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "catch.hpp"
#include "cli/says.hpp"
#include "topology/contains.hpp"
#include "tutti/base/error.hpp"
#include "tutti/topology/preset_clusters.hpp"

using namespace tutti;
using namespace tutti::cli;

namespace {

std::string output(const PlaceArguments& arguments) {
  std::ostringstream out;
  const int status = place_command(arguments, out);
  CHECK(status == 0);
  return out.str();
}

}  // namespace

TEST_CASE("tutti place says for each rank where, how good and why, and how often a ring leaves a leaf") {
  const auto text = output({.cluster = "superpod-1024", .allocation = "0,32,1,33,2,34"});
  CHECK(says(text, {"superpod-1024: 48 ranks, 8 on each of 6 nodes", "node000 … node034", "rank 0,8…40", "score  96",
                    "gpu0 is on NUMA node 0; mlx5_0 is PIX away"}));
  CHECK(says(text, {"leaf", "        6         2                 2"}));
}

TEST_CASE("tutti place writes what launchers take") {
  const PlaceArguments two{.cluster = "8xA100-hdr"};
  const auto as = [&](const char* format) {
    PlaceArguments arguments = two;
    arguments.format = format;
    return output(arguments);
  };
  CHECK(says(as("rankfile"), {"rank 0=node0 slot=48-63,176-191\n", "rank 15=node1 slot=80-95,208-223\n"}));
  CHECK(as("hostfile") == "node0\nnode1\n");
  // GPU 2 is on NUMA node 1: CPUs 16-31 and 144-159.
  CHECK(says(as("srun"), {"--ntasks=16 --ntasks-per-node=8", "--cpu-bind=mask_cpu:0xffff",
                          ",0xffff0000000000000000000000000000ffff0000,",
                          "--mem-bind=mask_mem:0x8,0x8,0x2,0x2,0x80,0x80,0x20,0x20"}));
  CHECK(says(as("numactl"), {"# local rank 2\nCUDA_VISIBLE_DEVICES=2 NCCL_IB_HCA==mlx5_2,mlx5_3 numactl "
                             "--cpunodebind=1 --preferred=1 COMMAND\n"}));
  const auto json = nlohmann::json::parse(as("json"));
  CHECK(json["nodes"].size() == 2);
  CHECK(json["kinds"][0][4]["numa_node"] == 7);
  CHECK(json["kinds"][0][4]["adapters"].size() == 2);
}

TEST_CASE("tutti place takes machines too, and refuses what cannot be") {
  CHECK(says(output({.cluster = "dgx-1-v100", .nodes = 3, .ranks_per_node = 4}), {"12 ranks, 4 on each of 3 nodes"}));
  CHECK_THROWS_WITH(place_command({.cluster = "dgx-1-v100", .format = "pbs"}, std::cout),
                    contains("none of the forms"));
  CHECK_THROWS_WITH(place_command({.cluster = "superpod-1025"}, std::cout), contains("neither a file nor a preset"));
  CHECK_THROWS_WITH(place_command({.cluster = "superpod-1024", .nodes = -4}, std::cout), contains("-4 nodes"));
  const Cluster cluster = preset_cluster("superpod-1024");
  CHECK(parse_allocation(cluster, "node[003,005],7-9") == std::vector<std::int64_t>{3, 5, 7, 8, 9});
  CHECK_THROWS_WITH(parse_allocation(cluster, "node[003"), contains("is no list of nodes"));
  for (const char* nothing : {"", " ", ",", "0,"}) {
    CAPTURE(nothing);
    CHECK_THROWS_WITH(place_command({.cluster = "superpod-1024", .allocation = nothing}, std::cout),
                      contains("is no list of nodes"));
  }
  CHECK_THROWS_WITH(parse_allocation(cluster, "gpu01"), contains("has no node 'gpu01'"));
}
