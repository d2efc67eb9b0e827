#include "lint.hpp"

#include <filesystem>

#include "catch.hpp"
#include "topology/fixtures.hpp"

using namespace tutti;
using namespace tutti::settings;

TEST_CASE("three settings of the field get three right answers") {
  const auto findings = findings_of("NCCL_TOPO=ring NCCL_IB_TIMOUT=18 NCCL_IB_AR_THRESHOLD=0");
  REQUIRE(findings.size() == 3);
  const Finding topo = finding(findings, "env-never-read");
  CHECK(topo.subject == "NCCL_TOPO=ring");
  CHECK(topo.severity == Severity::error);
  CHECK(has(topo.remedy, "NCCL_ALGO=Ring"));
  CHECK(has(topo.remedy, "NCCL_TOPO_FILE=machine.xml"));
  const Finding timeout = finding(findings, "env-misspelt");
  CHECK(timeout.subject == "NCCL_IB_TIMOUT=18");
  CHECK(has(timeout.what, "did you mean NCCL_IB_TIMEOUT?"));
  CHECK(has(timeout.remedy, "NCCL_IB_TIMEOUT=18 (4.096 us x 2^18 = 1.07 s"));
  const Finding threshold = finding(findings, "env-meaning");
  CHECK(threshold.subject == "NCCL_IB_AR_THRESHOLD=0");
  CHECK(threshold.severity == Severity::note);
  CHECK(has(threshold.what, "on RoCE it has no effect without NCCL_IB_ADAPTIVE_ROUTING=1"));
  CHECK(exit_status(findings) == 3);
}

TEST_CASE("good settings are left in peace") {
  CHECK(findings_of("export NCCL_ALGO=Ring NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,NET NCCL_SOCKET_IFNAME=eth0\n"
                    "export TUTTI_CALL_TIMEOUT=90s UCX_TLS=rc,sm,self OMPI_MCA_pml=ucx NCCL_CROSS_NIC=0\n")
            .empty());
  CHECK(findings_of("").empty());
}

TEST_CASE("settings that nobody reads are named for what they are") {
  CHECK(finding(findings_of("NCCL_WARP_DRIVE=1"), "env-unknown").severity == Severity::warning);
  CHECK(finding(findings_of("TUTTI_WARP_DRIVE=1"), "env-unknown").severity == Severity::error);
  CHECK(finding(findings_of("UCX_WARP_DRIVE=1"), "env-unknown").severity == Severity::note);
  CHECK(finding(findings_of("NCLL_DEBUG=INFO"), "env-misspelt").remedy == "NCCL_DEBUG=INFO");
  CHECK(finding(findings_of("UCX_TSL=rc"), "env-misspelt").id.empty() == false);
  CHECK(has(finding(findings_of("OMPI_MCA_btl_tcp_if_includ=eth0"), "env-misspelt").what, "btl_tcp_if_include?"));
  CHECK(finding(findings_of("NCCL_TREE_THRESHOLD=0"), "env-removed").severity == Severity::error);
  CHECK(findings_of("NCCL_TREE_THRESHOLD=0", {.nccl = {2, 4, 7}}).empty());
  CHECK(finding(findings_of("NCCL_BUFFER_SIZE=4194304"), "env-never-read").remedy == "NCCL_BUFFSIZE=4194304");
  CHECK(finding(findings_of("NCCL_BLOCKING_WAIT=1"), "env-foreign").remedy == "TORCH_NCCL_BLOCKING_WAIT=1");
  CHECK(finding(findings_of("NCCL_TESTS_DEVICE=1"), "env-foreign").severity == Severity::note);
  CHECK(finding(findings_of("NCCL_TOPO=/etc/machine.xml"), "env-never-read").remedy ==
        "NCCL_TOPO_FILE=/etc/machine.xml");
}

TEST_CASE("what is deprecated or too new depends on the version of NCCL") {
  CHECK(finding(findings_of("NCCL_MIN_NCHANNELS=8"), "env-deprecated").remedy == "NCCL_MIN_CTAS=8");
  CHECK(findings_of("NCCL_MIN_NCHANNELS=8", {.nccl = {2, 16, 0}}).empty());
  CHECK(finding(findings_of("NCCL_CHECK_POINTERS=1"), "env-deprecated").remedy == "NCCL_CHECK_MODE=DEBUG_LOCAL");
  CHECK(finding(findings_of("NCCL_RAS_ENABLE=0", {.nccl = {2, 20, 5}}), "env-too-new").severity == Severity::error);
}

TEST_CASE("settings without effect name the one that takes it") {
  const auto because = [](const char* text) { return finding(findings_of(text), "env-no-effect"); };
  CHECK(because("NCCL_IB_DISABLE=1 NCCL_IB_HCA=mlx5_0").subject == "NCCL_IB_HCA=mlx5_0");
  CHECK(because("NCCL_IB_DISABLE=1 NCCL_IB_HCA=mlx5_0").evidence == "NCCL_IB_DISABLE=1");
  CHECK(because("NCCL_IB_DISABLE=0 NCCL_IB_HCA=mlx5_0").id.empty());
  CHECK(because("NCCL_DEBUG_SUBSYS=NET").evidence == "NCCL_DEBUG is not set");
  CHECK(because("NCCL_DEBUG=WARN NCCL_DEBUG_SUBSYS=NET").evidence == "NCCL_DEBUG=WARN");
  CHECK(because("NCCL_IB_GID_INDEX=3 NCCL_IB_ROCE_VERSION_NUM=2").subject == "NCCL_IB_ROCE_VERSION_NUM=2");
  CHECK(because("NCCL_IB_GID_INDEX=-1 NCCL_IB_ROCE_VERSION_NUM=2").id.empty());
  CHECK(because("NCCL_IB_SPLIT_DATA_ON_QPS=1").remedy.starts_with("set NCCL_IB_QPS_PER_CONNECTION=2 or more too"));
  CHECK(because("NCCL_IB_SPLIT_DATA_ON_QPS=1 NCCL_IB_QPS_PER_CONNECTION=4").id.empty());
  CHECK(because("OMPI_MCA_coll_tuned_bcast_algorithm=1").remedy.starts_with("set OMPI_MCA_coll_tuned_use_dynamic"));
  CHECK(because("NCCL_NET=Socket NCCL_IB_TIMEOUT=22").evidence == "NCCL_NET=Socket");
  CHECK(because("NCCL_GDRCOPY_ENABLE=0").id.empty());
}

TEST_CASE("settings that contradict one another are errors") {
  const auto clash = [](const char* text) { return finding(findings_of(text), "env-contradiction"); };
  CHECK(clash("NCCL_MIN_CTAS=32 NCCL_MAX_CTAS=16").remedy == "NCCL_MIN_CTAS=16");
  CHECK(clash("NCCL_MIN_CTAS=16 NCCL_MAX_CTAS=16").id.empty());
  CHECK(clash("NCCL_SOCKET_NTHREADS=16 NCCL_NSOCKS_PERTHREAD=8").remedy == "NCCL_NSOCKS_PERTHREAD=4");
  CHECK(clash("NCCL_ALGO=CollnetDirect").severity == Severity::error);
  CHECK(clash("NCCL_ALGO=CollnetDirect,Ring").id.empty());
  CHECK(clash("NCCL_ALGO=NVLS NCCL_NVLS_ENABLE=0").severity == Severity::error);
  CHECK(clash("NCCL_NET=IB NCCL_IB_DISABLE=1").severity == Severity::error);
  CHECK(clash("NCCL_P2P_DISABLE=1 NCCL_SHM_DISABLE=1").severity == Severity::warning);
  CHECK(clash("NCCL_P2P_DISABLE=1 NCCL_SHM_DISABLE=1 NCCL_NET_DISABLE_INTRA=1").severity == Severity::error);
  CHECK(clash("TUTTI_RANK=2 TUTTI_WORLD_SIZE=2").remedy == "TUTTI_RANK=0 to 1");
  CHECK(finding(findings_of("NCCL_PROTO=LL128"), "env-risky").severity == Severity::warning);
  CHECK(finding(findings_of("NCCL_IB_TIMEOUT=0"), "env-risky").id == "env-risky");
}

TEST_CASE("a setting given twice, cut by Slurm, or open is treated as such") {
  const Finding twice = finding(findings_of("export NCCL_ALGO=Ring\nexport NCCL_ALGO=Tree\n"), "env-twice");
  CHECK(twice.evidence == R"("Ring" on line 1, then "Tree")");
  CHECK(twice.line == 2);
  CHECK(has(finding(findings_of("srun --export=ALL,NCCL_IB_HCA=mlx5_0,mlx5_1 a"), "env-cut").remedy, "mlx5_0,mlx5_1"));
  CHECK(findings_of("export NCCL_NTHREADS=$THREADS").empty());
}

TEST_CASE("settings that differ between ranks are told by what they do") {
  const auto findings = findings_of(
      "[1,0]<stdout>:NCCL_ALGO=Ring\n[1,0]<stdout>:NCCL_IB_HCA=mlx5_0\n[1,0]<stdout>:TUTTI_RANK=0\n"
      "[1,0]<stdout>:TUTTI_SECRET=abc\n[1,1]<stdout>:NCCL_IB_HCA=mlx5_1\n[1,1]<stdout>:TUTTI_RANK=1\n"
      "[1,1]<stdout>:TUTTI_SECRET=def\n[1,1]<stdout>:NCCL_IB_SL=1\n");
  std::vector<std::string> subjects;
  for (const Finding& each : findings) {
    if (each.id != "env-ranks-differ") continue;
    subjects.push_back(each.subject + " " + name(each.severity));
    CHECK_FALSE(has(each.evidence, "abc"));
    if (each.subject == "NCCL_ALGO") CHECK(each.evidence == "Ring on rank 0; not set on rank 1");
  }
  CHECK(subjects ==
        std::vector<std::string>{"NCCL_ALGO error", "TUTTI_SECRET error", "NCCL_IB_SL warning", "NCCL_IB_HCA note"});
}

TEST_CASE("names of adapters, interfaces and files are compared with the machine") {
  const TemporaryFolder root;
  for (const char* folder : {"sys/class/infiniband/mlx5_0/ports/1", "sys/class/infiniband/mlx5_7/ports/1",
                             "sys/class/net/eth0", "sys/class/net/lo", "etc"}) {
    std::filesystem::create_directories(root.path() / folder);
  }
  const Machine machine = read_machine(root.path());
  CHECK(machine.adapters.size() == 2);
  const auto device = [&](const char* text) {
    const auto findings = findings_of(text, {.machine = &machine});
    Finding found = finding(findings, "env-device");
    return found.id.empty() ? finding(findings, "env-file") : found;
  };
  CHECK(device("NCCL_IB_HCA=mlxl5_7").remedy == "did you mean mlx5_7?");
  CHECK(device("NCCL_IB_HCA=mlxl5_7").severity == Severity::error);
  CHECK(device("NCCL_IB_HCA=mlx5_0,mlx5_1").severity == Severity::warning);
  CHECK(device("NCCL_IB_HCA=mlx5").id.empty());
  CHECK(device("NCCL_IB_HCA==mlx5").id == "env-device");
  CHECK(device("NCCL_IB_HCA=mlx5_0:2").id == "env-device");
  CHECK(device("NCCL_IB_HCA=mlx5_0:1").id.empty());
  CHECK(device("NCCL_IB_HCA=^mlx4").severity == Severity::warning);
  CHECK(device("NCCL_SOCKET_IFNAME=ib0").remedy == "did you mean eth0?");
  CHECK(device("NCCL_SOCKET_IFNAME=eth").id.empty());
  CHECK(device("NCCL_SOCKET_IFNAME=^docker0").severity == Severity::warning);
  CHECK(device("UCX_NET_DEVICES=mlx5_0:1,eth0").id.empty());
  CHECK(device("UCX_NET_DEVICES=mlx5_2:1").id == "env-device");
  CHECK(device("OMPI_MCA_btl_tcp_if_include=10.0.0.0/8").id.empty());
  CHECK(device("NCCL_TOPO_FILE=/etc/topo.xml").id == "env-file");
  CHECK(device("NCCL_TOPO_DUMP_FILE=/etc/topo.xml").id.empty());
  CHECK(device("NCCL_TOPO_FILE=topo.xml").id.empty());
}
