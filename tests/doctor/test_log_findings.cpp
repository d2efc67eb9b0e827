#include "doctor/log_findings.hpp"

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "catch.hpp"
#include "doctor/log_causes.hpp"
#include "doctor/sign_search.hpp"

using namespace tutti;
using namespace tutti::doctor;

namespace {

std::string first(const std::string& text) {
  const LogReport report = read_log(text, "log");
  return report.findings.empty() ? "" : report.findings.front().id;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

const Finding* find(const LogReport& report, std::string_view id) {
  for (const Finding& each : report.findings) {
    if (each.id == id) return &each;
  }
  return nullptr;
}

/// A warning as NCCL writes it.
std::string warn(const std::string& text, int rank = 0) {
  return "[1," + std::to_string(rank) + "]<stderr>:n" + std::to_string(rank) + ":7:8 [0] misc/any.cc:74 NCCL WARN " +
         text + "\n";
}

std::string info(const std::string& text, int rank = 0) {
  return "[1," + std::to_string(rank) + "]<stdout>:n" + std::to_string(rank) + ":7:8 [0] NCCL INFO " + text + "\n";
}

}  // namespace

TEST_CASE("one pass over a line finds the cause that comparing it with every sign finds") {
  const SignSearch search(log_causes());
  const auto slow = [](std::string line, bool nccl, bool warning) -> const Cause* {
    for (char& c : line) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    for (const Cause& cause : log_causes()) {
      if ((cause.where == Where::warning && !warning) || (cause.where == Where::nccl && !nccl)) continue;
      if (bears_sign(line, cause.signs)) return &cause;
    }
    return nullptr;
  };
  std::vector<std::string> parts{"", "ibv_modify_qp", "\xc3\xa4", " IBV_QUERY_GID "};
  for (const Cause& cause : log_causes()) {
    std::string signs(cause.signs);
    for (std::size_t at; (at = signs.find_first_of("|&")) != std::string::npos;) {
      parts.push_back(signs.substr(0, at));
      signs.erase(0, at + 1);
    }
    parts.push_back(signs);
  }
  std::size_t found = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (std::size_t k = 0; k < parts.size(); k += 1 + i % 7) {
      const std::string line = "x" + parts[i] + parts[k].substr(0, parts[k].size() - k % 2) + parts[k] + "y";
      for (const auto& [nccl, warning] : {std::pair(false, false), {true, false}, {true, true}}) {
        const Cause* cause = search.first(line, nccl, warning);
        found += cause != nullptr;
        if (cause != slow(line, nccl, warning)) FAIL(line);
      }
    }
  }
  CHECK(found > 1000);
}

TEST_CASE("each cause in an NCCL log is found by a line of its own") {
  for (const auto& [text, id] : std::vector<std::pair<std::string, const char*>>{
           {warn("Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 1b000"), "log-duplicate-gpu"},
           {warn("Mismatched NCCL version detected : rank 2 version 21805 rank 0 version 21903"),
            "log-version-mismatch"},
           {warn("Bootstrap Root : mismatch in rank count from procs 8 : 4"), "log-rank-count"},
           {warn("Bootstrap Root : rank 3 of 8 ranks has already checked in"), "log-rank-twice"},
           {warn("Message truncated : received 65536 bytes instead of 32768"), "log-mismatched-calls"},
           {warn("Broadcast : invalid root 5 (root should be in the 0..4 range)"), "log-usage"},
           {warn("Cuda failure 'CUDA driver version is insufficient for CUDA runtime version'"), "log-driver"},
           {warn("Cuda failure 209 'no kernel image is available for execution on the device'"), "log-no-kernel"},
           {warn("Cuda failure 'uncorrectable ECC error encountered'"), "log-gpu-hardware"},
           {warn("Cuda failure 'an illegal memory access was encountered'"), "log-illegal-address"},
           {warn("Cuda failure 2 'out of memory'"), "log-gpu-memory"},
           {warn("Failed to bind NVLink SHARP (NVLS) Multicast memory of size 2097152 : CUDA error 401"), "log-nvls"},
           {warn("P2P is disabled between NVLINK connected GPUs 1 and 0"), "log-p2p-disabled"},
           {warn("cudaIpcOpenMemHandle failed : invalid argument"), "log-cuda-ipc"},
           {warn("Error while creating shared memory segment /dev/shm/nccl-abc (size 9637888)"), "log-shm"},
           {warn("Call to posix_fallocate failed : No space left on device"), "log-shm"},
           {warn("Call to socket failed : Too many open files"), "log-nofile"},
           {warn("Call to ibv_create_cq failed with error Cannot allocate memory"), "log-memlock"},
           {warn("NET/IB : Attempted to connect incompatible devices: [0]mlx5_0:1/IB and [0]mlx5_1:1/RoCE"),
            "log-ib-link-types"},
           {warn("Call to ibv_modify_qp failed with error No data available errno 61"), "log-ib-gid"},
           {warn("Call to ibv_modify_qp failed with 22 Invalid argument, on dev mlx5_0:1, curr state INIT, next state "
                 "RTR, "
                 "local GID index 3, local GID ::, remote GID ::ffff:10.0.0.2"),
            "log-ib-gid"},
           {warn("Call to ibv_modify_qp failed with error Connection timed out errno 110"), "log-ib-connect-timeout"},
           {warn(
                "NET/IB : Got completion from peer 10.0.0.2<4791> with status=12 opcode=0 len=0 vendor err 129 (Recv)"),
            "log-ib-retry"},
           {warn("NET/IB : Got completion with error 12, opcode 1, len 32768, vendor err 129"), "log-ib-retry"},
           {warn("NET/IB : Got completion from peer 10.0.0.2<4791> with status=13 opcode=0 len=0 vendor err 135"),
            "log-ib-receiver"},
           {warn("NET/IB : Got completion with error 10, opcode 0, len 0, vendor err 136"), "log-ib-access"},
           {warn("NET/IB : Got completion with error 5, opcode 0, len 0, vendor err 249"), "log-ib-flush"},
           {warn("Call to ibv_reg_mr failed with error Bad address"), "log-gdr-registration"},
           {warn("NET/IB : Unable to open device mlx5_3"), "log-ib-open"},
           {warn("NET/IB : mlx5_2:1 Got async event : port error"), "log-ib-port"},
           {warn("NET/IB : mlx5_2:1 Got async event : GID table change"), "log-gid-change"},
           {warn("Bootstrap : no socket interface found"), "log-no-interface"},
           {warn("socketStartConnect: Connect to 172.17.0.3<37821> failed : No route to host"), "log-connect"},
           {warn("Net : Connect to 10.1.1.4<41000> failed : Connection refused"), "log-connect"},
           {warn("Error: network FastNet not found."), "log-network-not-found"},
           {warn("Failed to initialize any NET plugin"), "log-no-network"},
           {warn("XML Parse : unterminated comment"), "log-topology-file"},
           {warn("Error : no algorithm/protocol available for function AllReduce"), "log-algorithm"},
           {warn("Missing \"iommu=pt\" from kernel command line which can lead to system instablity or hang!"),
            "log-iommu"},
           {warn("NUMA auto balancing enabled which can lead to variability in the NCCL performance"),
            "log-numa-balancing"},
           {warn("Connection closed by remote peer n3<44000>"), "log-peer-gone"},
           {info("transport/net.cc:1034 -> 2 unhandled system error"), "log-aborted"},
           {"[rank3]:[E1130] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=12, OpType=ALLREDUCE)\n",
            "log-watchdog"},
           {"# Out of bounds values : 5 FAILED\n", "log-wrong-results"},
           {warn("Cuda failure 'unknown error'"), "log-cuda-failure"},
           {warn("something that nobody foresaw"), "log-other-warning"}}) {
    INFO(text);
    CHECK(first(text) == id);
  }
}

TEST_CASE("every cause of the table says what to do, and its signs are in small letters") {
  std::set<std::string_view> ids;
  for (const Cause& cause : log_causes()) {
    INFO(cause.id);
    CHECK(ids.insert(cause.id).second);
    CHECK_FALSE(cause.what.empty());
    CHECK_FALSE(cause.remedies.empty());
    CHECK(cause.signs.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string_view::npos);
    // The bar parts remedies: a pipe of a shell would tear one apart.
    CHECK(cause.remedies.find(" |") == std::string_view::npos);
    CHECK(cause.remedies.find("| ") == std::string_view::npos);
  }
}

TEST_CASE("the first cause in an NCCL log is the earliest error that follows from no other") {
  const std::string mixed = warn("Connection closed by remote peer", 0) + info("something -> 6 internal error", 0) +
                            warn("NET/IB : Got completion with error 5, opcode 0, len 0, vendor err 249", 0) +
                            warn(
                                "NET/IB : Got completion from peer 10.0.0.2<4791> with status=12 opcode=0 len=0 vendor "
                                "err 129 (Recv) localGid fe80::1 remoteGids fe80::2 hca mlx5_3",
                                2) +
                            warn("Call to socket failed : Too many open files", 4);
  const LogReport report = read_log(mixed, "log");
  REQUIRE(report.findings.size() == 5);
  CHECK(report.failed);
  const Finding& cause = report.findings.front();
  CHECK(cause.id == "log-ib-retry");
  CHECK(cause.subject == "rank 2 on n2, process 7, GPU 0");
  CHECK(cause.line == 4);
  CHECK(has(cause.what, "a packet to 10.0.0.2 from mlx5_3 was sent 8 times, 4.29 s apart"));
  CHECK(has(cause.what, "vendor error 129"));
  CHECK(has(cause.remedy, "(1) see whether the rank at the other end died first"));
  CHECK(has(find(report, "log-peer-gone")->what, "follows from something else"));
}

TEST_CASE("time stamps decide which error of an NCCL log came first") {
  CHECK(first("[2026-05-05 06:16:49] n0:7:8 [0] a.cc:1 NCCL WARN Cuda failure 2 'out of memory'\n"
              "[2026-05-05 06:16:47] n1:7:8 [0] a.cc:1 NCCL WARN Call to socket failed : Too many open files\n") ==
        "log-nofile");
}

TEST_CASE("the wait in an InfiniBand error is that of the version and the settings") {
  const std::string error = warn("NET/IB : Got completion with error 12, opcode 1, len 32768, vendor err 129");
  const auto what = [&](const std::string& before) { return read_log(before + error, "log").findings.front().what; };
  CHECK(has(what("NCCL version 2.10.3+cuda11.4\n"), "8 times, 67.1 ms apart"));
  CHECK(has(what("NCCL version 2.18.5+cuda12.2\n"), "8 times, 1.07 s apart"));
  CHECK(has(what(info("NCCL_IB_TIMEOUT set by environment to 22.")), "8 times, 17.2 s apart"));
  CHECK(has(what(info("NCCL_IB_RETRY_CNT set by environment to 3.")), "4 times"));
}

TEST_CASE("sockets in place of InfiniBand are told, unless somebody asked for them") {
  const std::string two = info("Using network Socket", 0) + info("Using network Socket", 1);
  CHECK(first(two) == "log-socket-fallback");
  CHECK(first(info("NCCL_IB_DISABLE set by environment to 1.") + two) == "log-socket-wanted");
  CHECK(first(info("Using network Socket", 0)) == "");
  CHECK(first(info("Using network Socket", 0) + info("Using network IB", 1)) == "log-networks-differ");
  CHECK(first(info("Using network IB", 0) + info("Using network IB", 1)) == "");
}

TEST_CASE("GPUDirect that is silently off is told") {
  const std::string with = info("Channel 00/0 : 0[0] -> 1[0] [send] via NET/IB/0/GDRDMA");
  const std::string without = info("Channel 01/0 : 0[0] -> 1[0] [send] via NET/IB/0");
  CHECK(first(with) == "");
  CHECK(first(without) == "log-gdr-off");
  const LogReport report = read_log(with + without, "log");
  CHECK(find(report, "log-gdr-off")->subject == "1 of 2 connections");
}

TEST_CASE("ranks that meet over a wrong interface, or never finish, are told") {
  CHECK(first(info("Bootstrap : Using docker0:172.17.0.1<0>", 0) + info("Using network IB", 1)) ==
        "log-wrong-interface");
  CHECK(first(info("Bootstrap : Using lo:127.0.0.1<0>", 0) + info("Using network IB", 0)) == "");
  const std::string start = "comm 0x1 rank 0 nranks 2 cudaDev 0 busId 1000 - Init START";
  const LogReport report =
      read_log(info(start, 0) + info("comm 0x1 rank 1 nranks 2 cudaDev 0 busId 1000 - Init START", 1) +
                   info("comm 0x1 rank 1 nranks 2 cudaDev 0 busId 1000 - Init COMPLETE", 1),
               "log");
  REQUIRE(find(report, "log-init-incomplete") != nullptr);
  CHECK(find(report, "log-init-incomplete")->subject == "ranks 0");
  CHECK(first("NCCL version 2.18.5+cuda12.2\nNCCL version 2.19.3+cuda12.2\n" + info("x")) == "log-versions");
}

TEST_CASE("settings in an NCCL log are looked through for its version") {
  const LogReport report = read_log("NCCL version 2.18.5+cuda12.2\n" + info("NCCL_BUFFSIZE set by environment to 4.") +
                                        info("NCCL_MIN_NCHANNELS set by environment to 8."),
                                    "log");
  REQUIRE(report.findings.size() == 2);
  CHECK(report.findings[0].id == "env-unit");
  CHECK(report.findings[1].id == "env-deprecated");
  CHECK_FALSE(report.failed);
}

TEST_CASE("logs of the field have the right first cause") {
  const char* given = std::getenv("TUTTI_FIELD_DATA");
  const std::filesystem::path root = given ? given : TUTTI_SOURCE_DIR "/../shared/data";
  const std::filesystem::path folder = root / "topology/nccl-log";
  if (!std::filesystem::is_directory(folder)) {
    WARN("NOTHING TESTED: no folder topology/nccl-log in " << root << "; $TUTTI_FIELD_DATA names another place");
    return;
  }
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream stream(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    const std::string name = entry.path().filename().string();
    const LogReport report = read_log(text, name);
    INFO(name);
    ++count;
    if (name.starts_with("awsefa-p4d-16ranks")) {
      CHECK(report.findings.empty());
      CHECK(report.story.front().starts_with("NCCL 2.9.9+cuda11.2, 16 ranks on 2 hosts"));
    } else if (name.starts_with("idx-collnet-4x2")) {
      // Reductions in the network were asked for; nothing says that they were set up.
      CHECK_FALSE(report.failed);
      REQUIRE(report.findings.size() == 1);
      CHECK(report.findings.front().id == "log-collnet-unused");
      CHECK(report.story.front().starts_with("NCCL 2.23.4+cuda12.4, 8 ranks on 4 hosts"));
    } else if (name == "nccl-doc-logging.txt") {
      REQUIRE(report.failed);
      CHECK(report.findings.front().id == "log-no-network");
      CHECK(report.findings.front().subject == "a rank on node-01, process 189884, GPU 3");
    } else {
      CHECK_FALSE(report.story.empty());
    }
  }
  CHECK(count > 0);
}

TEST_CASE("damaged NCCL logs are read as far as they go") {
  const std::string whole = warn("NET/IB : Got completion from peer 10.0.0.2<4791> with status=12 vendor err 129") +
                            info("Channel 00/0 : 0[0] -> 1[0] [send] via NET/IB/0/GDRDMA") +
                            info("AllReduce: 8 Bytes -> Algo 99999999999 proto -5 time 5.1") +
                            info("Channel 00/02 : 0 1");
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    CHECK_NOTHROW(read_log(whole.substr(0, cut), "log"));
    std::string damaged = whole;
    damaged[cut] = '\xff';
    CHECK_NOTHROW(read_log(damaged, "log"));
  }
}
