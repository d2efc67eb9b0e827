#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "catch.hpp"
#include "cli/explain_command.hpp"
#include "cli/judge_command.hpp"
#include "cli/says.hpp"
#include "topology/contains.hpp"
#include "tutti/base/error.hpp"
#include "tutti/choose/price_cluster.hpp"
#include "tutti/topology/preset_clusters.hpp"

using namespace tutti;
using namespace tutti::cli;

namespace {

/// As nccl-tests prints: eight ranks of one host, times that are `slow` times what is expected.
std::string output_of(double slow, const choose::Platform& at, int columns_before = 0) {
  std::string text = "# Collective test starting: all_reduce_perf\n# Using devices\n";
  for (int rank = 0; rank < at.ranks(); ++rank) {
    text += "#  Rank  " + std::to_string(rank) + " Group  0 Pid  " + std::to_string(100 + rank) + " on  node" +
            std::to_string(rank / at.gpus) + " device  " + std::to_string(rank % at.gpus) +
            " [0000:1b:00] NVIDIA H100 80GB HBM3\n";
  }
  const choose::Wanted nccl{.patterns = {choose::Pattern::ring, choose::Pattern::tree, choose::Pattern::multicast,
                                         choose::Pattern::multicast_tree}};
  for (std::size_t bytes = 8; bytes <= (std::size_t{1} << 32); bytes *= 4) {
    const double us = slow * least_us(Collective::all_reduce, bytes, at, nccl);
    std::ostringstream line;
    line << std::string(static_cast<std::size_t>(columns_before), ' ') << bytes << ' ' << bytes / 4
         << "  float  sum  -1  " << us * 1.5 << " 1.00 1.00 0 " << us << " 1.00 1.00 0\n";
    text += line.str();
  }
  return text + "# Out of bounds values : 0 OK\n";
}

choose::Platform dgx(int nodes) {
  return choose::platform_of(preset_cluster("8xH100-ndr", std::max(2, nodes)), 8L * nodes);
}

Code code_of(const std::string& text) {
  try {
    read_result(text, "result");
  } catch (const Error& error) {
    return error.code();
  }
  return Code::internal;
}

}  // namespace

TEST_CASE("the text of nccl-tests is read: ranks, hosts, GPUs, and times in place") {
  const MeasuredTable table = read_result(output_of(1, dgx(2), 5), "result");
  CHECK(table.collective == Collective::all_reduce);
  CHECK(table.ranks == 16);
  CHECK(table.hosts == 2);
  CHECK(table.gpus_per_process == 1);
  CHECK(table.model == "NVIDIA H100 80GB HBM3");
  REQUIRE(table.rows.size() == 15);
  const choose::Wanted nccl{.patterns = {choose::Pattern::ring, choose::Pattern::tree}};
  CHECK(table.rows.front().us == Approx(least_us(Collective::all_reduce, 8, dgx(2), nccl)).epsilon(1e-3));
}

TEST_CASE("older columns, tags of launchers, and tables as CSV are read too") {
  const auto old =
      read_result("   8  2  float  sum  10.0 0.00 0.00 2e-07  11.0 0.00 0.00 1e-07\n", "all_gather_perf.txt");
  CHECK(old.rows.front().us == 11);
  CHECK(old.collective == Collective::all_gather);
  const auto tagged = read_result("[1,0]<stdout>:  1024 256 float sum -1 10 0 0 0 12 0 0 N/A\n", "x");
  CHECK(tagged.rows.front().bytes == 1024);
  const auto csv = read_result(
      "size_bytes,count,type,redop,time_us,algbw_GBs,busbw_GBs,placement\n8,2,float,sum,9,0,0,out-of-place\n"
      "8,2,float,sum,7,0,0,in-place\n",
      "broadcast_h100_8r_x.csv");
  REQUIRE(csv.rows.size() == 1);
  CHECK(csv.rows.front().us == 7);
  CHECK(csv.collective == Collective::broadcast);
}

TEST_CASE("JSON with values of another type or size is read or refused by its place") {
  const auto row = [](const std::string& more) {
    return R"({"rows": [{"collective": "all_gather", "size_bytes": 64, "time_us": 3, )" + more + "}]}";
  };
  CHECK(read_result(row(R"("engine": 7, "algorithm": null, "ranks": 8)"), "f").ranks == 8);
  for (const char* bad : {"1e300", "-1"}) {
    CHECK_THROWS_WITH(read_result(row(std::string(R"("ranks": )") + bad), "f"), contains("f: rows[0]: "));
  }
}

TEST_CASE("JSON of nccl-tests and of tutti bench is read") {
  const auto nccl = read_result(R"({"args": ["reduce_scatter_perf"], "config": {"devices": [{}, {}]}, "results": [
      {"size": 8, "out_of_place": {"time": 5.5}, "in_place": {"time": 6.5}},
      {"size": 16, "out_of_place": {"time": 7.5}, "in_place": null}]})",
                                "x.json");
  CHECK(nccl.collective == Collective::reduce_scatter);
  CHECK(nccl.ranks == 2);
  REQUIRE(nccl.rows.size() == 2);
  CHECK(nccl.rows[0].us == 6.5);
  CHECK(nccl.rows[1].us == 7.5);
  const auto ours = read_result(R"({"schema": "tutti-bench-1", "rows": [
      {"collective": "all_gather", "engine": "nccl", "algorithm": "ring", "ranks": 8, "size_bytes": 64, "time_us": 3},
      {"collective": "all_gather", "engine": "mpi", "algorithm": "mpi", "ranks": 8, "size_bytes": 64, "time_us": 9}]})",
                                "x.json");
  CHECK(ours.collective == Collective::all_gather);
  CHECK(ours.ranks == 8);
  CHECK(ours.rows.size() == 1);
}

TEST_CASE("what is no result is refused, with the place") {
  for (const char* text :
       {"", "hello", "{", "{}", "{\"results\": []}", "{\"results\": [1]}", "{\"results\": [{\"size\": 8}]}",
        "{\"results\": [{\"size\": -8, \"in_place\": {\"time\": 1}}]}", "8 2 float sum -1 1 0 0 0 -5 0 0 0\n",
        "8 2 float sum -1 1 0 0 0 nan 0 0 0\n", "8 2 float sum -1 1 0 0 0 x 0 0 0\n", "size_bytes,count\n8\n",
        "{\"rows\": [{}]}", "{\"rows\": [{\"collective\": \"nothing\"}]}"}) {
    CAPTURE(text);
    CHECK(code_of(text) == Code::invalid_argument);
  }
}

TEST_CASE("collectives without a price are refused by name, not judged as another") {
  for (const char* text : {R"({"rows": [{"collective": "barrier", "ranks": 8, "size_bytes": 8, "time_us": 3}]})",
                           R"({"rows": [{"collective": "gather", "ranks": 8, "size_bytes": 8, "time_us": 3}]})",
                           "# Collective test starting: gather_perf\n8 2 float sum -1 1 0 0 0 5 0 0 0\n",
                           "# Collective test starting: sendrecv_perf\n8 2 float sum -1 1 0 0 0 5 0 0 0\n"}) {
    CAPTURE(text);
    CHECK(code_of(text) == Code::unsupported);
  }
}

TEST_CASE("a word without end is only a word") {
  const std::string word = "reduce_" + std::string(1 << 20, 'a');
  const auto table =
      read_result("{\"args\": \"" + word + "\", \"results\": [{\"size\": 8, \"in_place\": {\"time\": 5}}]}", word);
  CHECK(table.rows.size() == 1);
}

TEST_CASE("times as expected are good, twice as long is poor, and half is better") {
  const auto grades = [](double slow) {
    const auto judged = judge(read_result(output_of(slow, dgx(1)), "x"), dgx(1));
    return std::pair(judged.rows.back().grade, judged.poor);
  };
  CHECK(grades(1) == std::pair(std::string("good"), false));
  CHECK(grades(2) == std::pair(std::string("poor"), true));
  CHECK(grades(0.5) == std::pair(std::string("better"), false));
}

TEST_CASE("a fault that explains the whole table is named") {
  choose::Platform fewer = dgx(4);
  fewer.rails = 4;
  const auto rails = judge(read_result(output_of(1, fewer), "x"), dgx(4));
  REQUIRE_FALSE(rails.advice.empty());
  CHECK(says(rails.advice.front(), {"4 of 8 rails"}));
  choose::Platform plain = dgx(1);
  plain.multicast = false;
  const auto nvls = judge(read_result(output_of(1, plain), "x"), dgx(1));
  REQUIRE_FALSE(nvls.advice.empty());
  CHECK(says(nvls.advice.front(), {"NVLink SHARP"}));
}

TEST_CASE("tutti explain tells candidates, what they are made of, why others are none, and where the winner changes") {
  std::ostringstream out;
  CHECK(explain_command({.bytes = "64M", .topology = "superpod-1024"}, out) == 0);
  CHECK(says(out.str(), {"limited by", "rails of InfiniBand", "excluded", "cheapest from", "two_level", "LL128"}));
  std::ostringstream json;
  CHECK(explain_command({.bytes = "1K", .topology = "dgx-a100", .ranks = 4, .json = true}, json) == 0);
  const auto parsed = nlohmann::json::parse(json.str());
  CHECK(parsed["ranks"] == 4);
  CHECK(parsed["candidates"].size() == choose::pattern_count * choose::protocol_count);
  CHECK(parsed["cheapest_from"].front()["size_bytes"] == 8);
  CHECK_THROWS_AS(explain_command({.topology = "dgx-h100", .ranks = 9}, out), Error);
  CHECK_THROWS_AS(explain_command({.collective = "barrier"}, out), Error);
  CHECK_THROWS_AS(explain_command({.topology = "no-such-machine"}, out), Error);
}

TEST_CASE("crossovers are where the cheapest changes") {
  const choose::Platform at = dgx(4);
  const auto turns = crossovers(Collective::all_reduce, at);
  REQUIRE(turns.size() > 1);
  for (const Crossover& turn : turns) {
    const auto best = prices(Collective::all_reduce, turn.bytes, at).front();
    CHECK(best.pattern == turn.pattern);
    CHECK(best.protocol == turn.protocol);
  }
}
