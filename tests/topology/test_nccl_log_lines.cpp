#include "topology/nccl_log_lines.hpp"

#include "catch.hpp"

using namespace tutti;

namespace {

NcclLogLine only(std::string_view text) {
  const auto lines = nccl_log_lines(text);
  REQUIRE(lines.size() == 1);
  return lines.front();
}

}  // namespace

TEST_CASE("a line of an NCCL log says host, process, thread, device, level and text") {
  const auto line = only("node-01:1895902:1895913 [3] NCCL INFO Using network IB\r\n");
  CHECK(line.number == 1);
  CHECK(line.host == "node-01");
  CHECK(line.pid == 1895902);
  CHECK(line.thread == 1895913);
  CHECK(line.device == 3);
  CHECK(line.level == "INFO");
  CHECK(line.text == "Using network IB");
  CHECK(line.rank == -1);
  CHECK(line.time.empty());
}

TEST_CASE("a warning of an NCCL log says when and where in the source") {
  const auto line = only("[2026-05-05 06:16:47] node-01:18:18 [3] plugin/net.cc:334 NCCL WARN Failed to initialize\n");
  CHECK(line.time == "2026-05-05 06:16:47");
  CHECK(line.host == "node-01");
  CHECK(line.device == 3);
  CHECK(line.file == "plugin/net.cc:334");
  CHECK(line.level == "WARN");
  CHECK(line.text == "Failed to initialize");
}

TEST_CASE("prefixes of launchers in an NCCL log give the rank") {
  CHECK(only("[1,12]<stdout>:n-1:29:29 [4] NCCL INFO x").rank == 12);
  CHECK(only("[prterun-n0-77@1,5]<stderr>: n-1:29:29 [4] NCCL INFO x").rank == 5);
  CHECK(only("[1,2]<stdout>:[2026-05-05 06:16:47] n:1:1 [0] init.cc:9 NCCL WARN x").rank == 2);
  CHECK(only("[1,2]<stdout>:[2026-05-05 06:16:47] n:1:1 [0] init.cc:9 NCCL WARN x").time == "2026-05-05 06:16:47");
  CHECK(only(" 7: n-1:29:29 [4] NCCL INFO x").rank == 7);
  CHECK(only("[3] n-1:29:29 [4] NCCL INFO x").rank == 3);
  CHECK(only("[rank6]:n-1:29:29 [4] NCCL INFO x").rank == 6);
  CHECK(only("[default6]:n-1:29:29 [4] NCCL INFO x").rank == 6);
  CHECK(only("n-1:29:29 NCCL CALL ncclGroupStart()").level == "CALL");
  CHECK(only("fe80::1:29:30 [0] NCCL INFO x").host == "fe80::1");
  const auto around = only("[1,3]<stdout>:NCCL version 2.9.9+cuda11.2");
  CHECK(around.rank == 3);
  CHECK(around.host.empty());
  CHECK(around.text == "NCCL version 2.9.9+cuda11.2");
}

TEST_CASE("ranks that only an NCCL log itself tells are given to all lines of the process") {
  const auto lines = nccl_log_lines(
      "n1:10:10 [0] NCCL INFO Bootstrap : Using eth0\n"
      "\n"
      "n1:10:12 [0] NCCL INFO ncclCommInitRank comm 0x5 rank 4 nranks 8 cudaDev 0 busId 4c000 - Init START\n"
      "n1:11:13 [1] NCCL INFO ncclCommInitRank comm 0x6 rank 5 nranks 8 cudaDev 1 busId 4d000 - Init START\n"
      "n1:10:12 [0] NCCL INFO ncclCommSplit comm 0x7 rank 0 nranks 2 cudaDev 0 busId 4c000 - Init START\n"
      "n1:11:11 [1] NCCL INFO Using network IB\n"
      "n2:10:10 [0] NCCL INFO Using network IB\n");
  REQUIRE(lines.size() == 6);
  CHECK(lines[0].rank == 4);
  CHECK(lines[1].number == 3);
  CHECK(lines[3].rank == 4);
  CHECK(lines[4].rank == 5);
  CHECK(lines[5].rank == -1);
}

TEST_CASE("text that is no NCCL log keeps its lines whole") {
  CHECK(only("loss 3.2 after [12] steps").text == "loss 3.2 after [12] steps");
  CHECK(only("the NCCL INFO lines are missing").host.empty());
  CHECK(only(":: [0] NCCL INFO x").host.empty());
  CHECK(only("[9999999999999999999] NCCL INFO x").host.empty());
  CHECK(nccl_log_lines("\n\n \n").empty());
  CHECK(nccl_log_lines("").empty());
}
