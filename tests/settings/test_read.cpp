#include "settings/read.hpp"

#include "catch.hpp"
#include "settings/machine.hpp"

using namespace tutti::settings;

namespace {

Settings only(std::string_view text) {
  const auto ranks = read_settings(text, "x");
  REQUIRE(ranks.size() == 1);
  return ranks.front();
}

}  // namespace

TEST_CASE("settings are read from what env prints") {
  const auto settings = only("HOME=/root\nNCCL_DEBUG=INFO\nNCCL_IB_HCA==mlx5_0:1,mlx5_2:1\nUCX_TLS=rc,sm\n");
  CHECK(settings.all.size() == 3);
  CHECK(settings.value("NCCL_IB_HCA") == "=mlx5_0:1,mlx5_2:1");
  CHECK(settings.all[0].line == 2);
  CHECK_FALSE(settings.value("HOME"));
  using namespace std::string_view_literals;
  CHECK(only("A=1\0NCCL_DEBUG=WARN\0"sv).value("NCCL_DEBUG") == "WARN");
}

TEST_CASE("a text without lines is one rank without settings") {
  CHECK(only("").all.empty());
  CHECK(only("").who == "x");
}

TEST_CASE("settings are read from scripts") {
  const auto settings = only(R"(#!/bin/bash
#SBATCH --export=ALL,NCCL_CROSS_NIC=0
# NCCL_P2P_DISABLE=1 is a comment
export NCCL_ALGO="Ring,Tree" NCCL_PROTO='Simple'
setenv NCCL_NTHREADS 256
NCCL_NET=IB NCCL_BUFFSIZE=8388608 \
  NCCL_IB_SL=3 mpirun -np 2 -x NCCL_DEBUG=INFO --mca btl_tcp_if_include eth0 ./app; NCCL_IB_TC=106 ./app
export NCCL_CHECK_POINTERS=1
unset NCCL_CHECK_POINTERS
export NCCL_TOPO_FILE=$HOME/topo.xml
echo NCCL_IB_QPS_PER_CONNECTION=4
docker run -e NCCL_SHM_DISABLE=1 -eTERM image
)");
  CHECK(settings.value("NCCL_CROSS_NIC") == "0");
  CHECK_FALSE(settings.value("NCCL_P2P_DISABLE"));
  CHECK(settings.value("NCCL_ALGO") == "Ring,Tree");
  CHECK(settings.value("NCCL_PROTO") == "Simple");
  CHECK(settings.value("NCCL_NTHREADS") == "256");
  CHECK(settings.value("NCCL_BUFFSIZE") == "8388608");
  CHECK(settings.value("NCCL_IB_SL") == "3");
  CHECK(settings.value("NCCL_DEBUG") == "INFO");
  CHECK(settings.value("OMPI_MCA_btl_tcp_if_include") == "eth0");
  CHECK(settings.value("NCCL_IB_TC") == "106");
  CHECK_FALSE(settings.value("NCCL_CHECK_POINTERS"));
  CHECK(settings.value("NCCL_TOPO_FILE") == "$HOME/topo.xml");
  CHECK_FALSE(settings.value("NCCL_IB_QPS_PER_CONNECTION"));
  CHECK(settings.value("NCCL_SHM_DISABLE") == "1");
  for (const auto& setting : settings.all) {
    if (setting.name == "NCCL_ALGO") CHECK(setting.line == 4);
    if (setting.name == "NCCL_IB_TC") CHECK(setting.line == 7);
    if (setting.name == "NCCL_TOPO_FILE") CHECK(setting.is_open());
  }
}

TEST_CASE("settings in one line without a command are read one by one") {
  const auto settings = only("NCCL_TOPO=ring NCCL_IB_TIMOUT=18 NCCL_IB_AR_THRESHOLD=0");
  CHECK(settings.all.size() == 3);
  CHECK(settings.value("NCCL_TOPO") == "ring");
  CHECK(settings_of_line("NCCL_DEBUG=INFO\nNCCL_ALGO=Tree\n").all.size() == 2);
}

TEST_CASE("settings are read from manifests") {
  const auto settings = only("  env:\n  - name: NCCL_DEBUG\n    value: \"INFO\"\n  - name: HOME\n    value: /root\n");
  CHECK(settings.all.size() == 1);
  CHECK(settings.value("NCCL_DEBUG") == "INFO");
  CHECK(only("env:\n  NCCL_IB_HCA: mlx5_0\n  OTHER: 1\n").value("NCCL_IB_HCA") == "mlx5_0");
}

TEST_CASE("Slurm's --export cuts values at commas") {
  const auto settings = only("srun --export=ALL,NCCL_IB_HCA=mlx5_0,mlx5_1,NCCL_DEBUG=INFO,HOME ./app\n");
  CHECK(settings.value("NCCL_IB_HCA") == "mlx5_0");
  CHECK(settings.all[0].cut == "mlx5_1");
  CHECK(settings.value("NCCL_DEBUG") == "INFO");
  CHECK(settings.all[1].cut.empty());
}

TEST_CASE("prefixes of launchers tell the settings of several ranks apart") {
  const auto ranks =
      read_settings("[1,1]<stdout>:NCCL_ALGO=Ring\n[1,0]<stdout>:NCCL_ALGO=Tree\n[1,0]<stdout>:A=1\n", "x");
  REQUIRE(ranks.size() == 2);
  CHECK(ranks[0].who == "rank 0");
  CHECK(ranks[0].value("NCCL_ALGO") == "Tree");
  CHECK(ranks[1].value("NCCL_ALGO") == "Ring");
}

TEST_CASE("text that is anything else has no settings, and does no harm") {
  for (const char* text : {"", "\n", "=", "NCCL_", "NCCL_=", "'", "\\", "export", "--mca", "setenv NCCL_X",
                           "name: NCCL_X", "--export=", "--export", "NCCL_X:", "unset"}) {
    INFO(text);
    for (const auto& rank : read_settings(text, "x")) CHECK(rank.all.size() <= 1);
  }
}
