#include "doctor/log_facts.hpp"

#include "catch.hpp"

using namespace tutti;
using namespace tutti::doctor;

namespace {

LogFacts facts_of(std::string_view text) { return read_log_facts(nccl_log_lines(text)); }

bool tells(const LogFacts& facts, std::string_view part) {
  for (const std::string& sentence : tell(facts)) {
    if (sentence.find(part) != std::string::npos) return true;
  }
  return false;
}

constexpr const char* healthy = R"([1,0]<stdout>:n1:10:10 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>
[1,1]<stdout>:n2:20:20 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.2<0>
[1,0]<stdout>:n1:10:10 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB eth0:10.0.0.1<0>
[1,0]<stdout>:n1:10:10 [0] NCCL INFO Using network IB
[1,0]<stdout>:NCCL version 2.23.4+cuda12.4
[1,0]<stdout>:n1:10:11 [0] NCCL INFO comm 0x5 rank 0 nranks 2 cudaDev 0 busId 1000 - Init START
[1,0]<stdout>:n1:10:11 [0] NCCL INFO NCCL_ALGO set by environment to Ring
[1,0]<stdout>:n1:10:11 [0] NCCL INFO NCCL_IB_TIMEOUT set by environment to 22.
[1,0]<stdout>:n1:10:11 [0] NCCL INFO Channel 00/02 :    0   1
[1,0]<stdout>:n1:10:11 [0] NCCL INFO Channel 01/02 : 1 0
[1,0]<stdout>:n1:10:11 [0] NCCL INFO Trees [0] 1/-1/-1->0->-1 [1] -1/-1/-1->0->1
[1,0]<stdout>:n1:10:11 [0] NCCL INFO Channel 00/0 : 1[0] -> 0[0] [receive] via NET/IB/0/GDRDMA
[1,0]<stdout>:n1:10:11 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/IB/0(1)/GDRDMA
[1,1]<stdout>:n2:20:21 [0] NCCL INFO Channel 01/0 : 1[0] -> 0[0] [send] via NET/IB/1/GDRDMA
[1,1]<stdout>:n2:20:21 [0] NCCL INFO Channel 01 : 1[0] -> 2[0] via P2P/IPC/read
[1,0]<stdout>:n1:10:11 [0] NCCL INFO comm 0x5 rank 0 nranks 2 cudaDev 0 busId 1000 - Init COMPLETE
[1,0]<stdout>:n1:10:10 [0] NCCL INFO AllReduce: 33554432 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..31}
[1,0]<stdout>:n1:10:10 [0] NCCL INFO AllReduce: 8 Bytes -> Algo 0 proto 0 time 5.1
[1,0]<stdout>:# Avg bus bandwidth    : 11.2432
)";

}  // namespace

TEST_CASE("an NCCL log tells version, ranks, hosts, network and adapters") {
  const LogFacts facts = facts_of(healthy);
  CHECK(facts.versions == std::set<std::string>{"2.23.4+cuda12.4"});
  CHECK(facts.ranks == 2);
  CHECK(facts.ranks_by_host.size() == 2);
  CHECK(facts.ranks_by_host.at("n2") == std::set<int>{1});
  CHECK(facts.meeting == std::set<std::string>{"eth0:10.0.0.1", "eth0:10.0.0.2"});
  CHECK(facts.networks == std::set<std::string>{"IB"});
  CHECK(facts.adapters == std::set<std::string>{"mlx5_0:1/IB", "mlx5_1:1/IB"});
  CHECK(facts.started == std::set<int>{0});
  CHECK(facts.complete == std::set<int>{0});
  CHECK(facts.bandwidth == "11.2432");
}

TEST_CASE("an NCCL log tells rings, trees, transports, choices and settings") {
  const LogFacts facts = facts_of(healthy);
  CHECK(facts.channels == 2);
  CHECK(facts.rings.at(0) == std::vector<int>{0, 1});
  CHECK(facts.rings.at(1) == std::vector<int>{1, 0});
  CHECK(facts.trees);
  CHECK(facts.transports == std::map<std::string, std::size_t>{{"NET/IB/GDRDMA", 2}, {"P2P/IPC/read", 1}});
  CHECK(facts.choices ==
        std::map<std::string, std::size_t>{{"AllReduce by Ring with Simple", 1}, {"AllReduce by Tree with LL", 1}});
  REQUIRE(facts.settings.at(0).size() == 2);
  CHECK(facts.settings.at(0)[1].name == "NCCL_IB_TIMEOUT");
  CHECK(facts.settings.at(0)[1].value == "22");
}

TEST_CASE("what an NCCL log tells is said in sentences") {
  const LogFacts facts = facts_of(healthy);
  CHECK(tells(facts, "NCCL 2.23.4+cuda12.4, 2 ranks on 2 hosts: n1, n2"));
  CHECK(tells(facts, "network: IB"));
  CHECK(tells(facts, "adapters: mlx5_0:1/IB, mlx5_1:1/IB"));
  CHECK(tells(facts, "2 channels; ring 0: 0, 1; trees were built too"));
  CHECK(tells(facts, "2 connections by NET/IB/GDRDMA: the network, to and from GPU memory"));
  CHECK(tells(facts, "AllReduce by Ring with Simple, 1 call"));
  CHECK(tells(facts, "settings: NCCL_ALGO=Ring, NCCL_IB_TIMEOUT=22"));
  CHECK(tells(facts_of("no log at all"), "no line of NCCL is in it"));
}
