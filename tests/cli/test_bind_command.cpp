#include "cli/bind_command.hpp"

#include <sstream>

#include "catch.hpp"
#include "cli/says.hpp"
#include "topology/contains.hpp"
#include "tutti/base/error.hpp"
#include "tutti/topology/presets.hpp"

using namespace tutti;
using namespace tutti::cli;

TEST_CASE("a rank's number on its host comes from any launcher") {
  const auto read = [](std::map<std::string, std::string> variables) {
    const auto local = local_rank_from(environment_of(std::move(variables)));
    return std::tuple(local.rank, local.size);
  };
  CHECK(read({{"OMPI_COMM_WORLD_LOCAL_RANK", "3"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "8"}}) == std::tuple(3, 8));
  CHECK(read({{"MPI_LOCALRANKID", "1"}, {"MPI_LOCALNRANKS", "2"}}) == std::tuple(1, 2));
  CHECK(read({{"LOCAL_RANK", "0"}, {"LOCAL_WORLD_SIZE", "4"}}) == std::tuple(0, 4));
  CHECK(read({{"SLURM_LOCALID", "7"}, {"SLURM_STEP_TASKS_PER_NODE", "8(x2)"}}) == std::tuple(7, 8));
  CHECK(read({{"SLURM_LOCALID", "7"}}) == std::tuple(7, 8));
  CHECK(read({}) == std::tuple(0, 1));
  CHECK(read({{"LOCAL_RANK", "3"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "0"}}) == std::tuple(3, 4));  // torchrun under mpirun
  const auto on_node = [](const char* node) {
    return std::map<std::string, std::string>{
        {"SLURM_LOCALID", "5"}, {"SLURM_STEP_TASKS_PER_NODE", "4,8(x2)"}, {"SLURM_NODEID", node}};
  };
  CHECK(read(on_node("2")) == std::tuple(5, 8));
  CHECK(read(on_node("3")) == std::tuple(5, 6));  // the list does not reach so far
  CHECK_THROWS_WITH(read(on_node("0")), contains("SLURM_LOCALID=5 is not below SLURM_STEP_TASKS_PER_NODE=4,8(x2)"));
}

TEST_CASE("variables of a rank that cannot be are refused") {
  const auto read = [](std::map<std::string, std::string> variables) {
    return local_rank_from(environment_of(std::move(variables)));
  };
  CHECK_THROWS_WITH(read({{"LOCAL_RANK", "two"}}), contains("LOCAL_RANK=two is no number"));
  CHECK_THROWS_WITH(read({{"LOCAL_RANK", ""}}), contains("LOCAL_RANK= is no number"));
  CHECK_THROWS_WITH(read({{"LOCAL_RANK", "-1"}}), contains("LOCAL_RANK=-1 is no number"));
  CHECK_THROWS_WITH(read({{"LOCAL_RANK", "1x"}}), contains("LOCAL_RANK=1x is no number"));
  CHECK_THROWS_WITH(read({{"LOCAL_RANK", "9"}, {"LOCAL_WORLD_SIZE", "4"}}),
                    contains("LOCAL_RANK=9 is not below LOCAL_WORLD_SIZE=4"));
  CHECK_THROWS_WITH(read({{"LOCAL_RANK", "0"}, {"LOCAL_WORLD_SIZE", "0"}}),
                    contains("LOCAL_WORLD_SIZE=0; expected at least 1"));
  CHECK_THROWS_WITH(read({{"SLURM_LOCALID", "0"}, {"SLURM_STEP_TASKS_PER_NODE", "8(x"}}),
                    contains("is no list of tasks"));
}

TEST_CASE("tutti bind says where a rank goes, and leaves adapters that are given alone") {
  const auto line = [](std::map<std::string, std::string> variables) {
    std::ostringstream out;
    CHECK(bind_command({.machine = "dgx-a100", .dry_run = true}, environment_of(std::move(variables)), out) == 0);
    return out.str();
  };
  const auto text = line({{"LOCAL_RANK", "4"}, {"LOCAL_WORLD_SIZE", "8"}});
  CHECK(
      says(text, {"local rank 4 of 8 on dgx-a100: gpu4 0000:", "NUMA node 7, CPUs 112-127,240-255, memory there first",
                  "NCCL_IB_HCA==mlx5_4,mlx5_5; a dry run: nothing was bound or started"}));
  CHECK(std::count(text.begin(), text.end(), '\n') == 1);
  CHECK(says(line({{"NCCL_IB_HCA", "mlx5_9"}}), {"NCCL_IB_HCA as it was"}));
  CHECK(says(line({{"LOCAL_RANK", "0"}, {"CUDA_VISIBLE_DEVICES", "6"}}), {": gpu6 ", "NUMA node 5"}));
  for (const char* nothing : {"", "-1", "NoDevFiles", ",3"}) {
    CAPTURE(nothing);
    const auto hidden = line({{"LOCAL_RANK", "7"}, {"LOCAL_WORLD_SIZE", "8"}, {"CUDA_VISIBLE_DEVICES", nothing}});
    CHECK(says(hidden, {std::string("no GPU (CUDA_VISIBLE_DEVICES=") + nothing + " shows none), NUMA node 7"}));
  }
  CHECK(says(line({{"LOCAL_RANK", "1"}, {"CUDA_VISIBLE_DEVICES", "4, 2,-1,3"}}), {": gpu2 "}));
  std::ostringstream out;
  CHECK_THROWS_WITH(bind_command({}, environment_of({}), out), contains("needs a command"));
}
