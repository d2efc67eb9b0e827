#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "catch.hpp"
#include "cli/cluster_named.hpp"
#include "cli/says.hpp"
#include "cli/simulate_command.hpp"
#include "tutti/base/error.hpp"
#include "tutti/topology/cluster_file.hpp"

using namespace tutti;
using namespace tutti::cli;

TEST_CASE("tutti simulate tells time, bandwidth, links, and what it took itself") {
  std::ostringstream out;
  CHECK(simulate_command({.cluster = "superpod-131072", .algorithm = "two_level"}, out) == 0);
  CHECK(says(out.str(), {"131072 GPUs", "simulated", "busbw", "bottleneck", "adapter out", "8 ranks played for 131072",
                         "wall time", "peak memory"}));
}

TEST_CASE("tutti simulate gives JSON, and a trace of the ranks asked for") {
  const std::string file = "simulate-trace.json";
  std::ostringstream out;
  CHECK(simulate_command({.cluster = "dgx-a100", .bytes = "1M", .trace = file, .traced_ranks = 1, .json = true}, out) ==
        0);
  const auto json = nlohmann::json::parse(out.str());
  CHECK(json["simulated"] == true);
  CHECK(json["ranks"] == 8);
  CHECK(json["time_us"].get<double>() > 0);
  std::ifstream in(file);
  CHECK(nlohmann::json::parse(in)["traceEvents"].size() == 15 + 2);
  std::remove(file.c_str());
}

TEST_CASE("what the options say becomes a scenario, or is refused by name") {
  const Scenario scenario = scenario_of({.algorithm = "two_level",
                                         .inside = "direct",
                                         .slow_rails = {"3:0.5"},
                                         .stragglers = {"17:500:0.8", "2:1"},
                                         .failures = {"2:5:1000:60000"},
                                         .failover_us = 7});
  CHECK(scenario.arrangement == Arrangement::two_level);
  CHECK(scenario.slow_rails.front().share == 0.5);
  CHECK(scenario.stragglers[0].rank == 17);
  CHECK(scenario.stragglers[1].share == 1);
  CHECK(scenario.failures.front().back_us == 60000);
  CHECK(scenario.failures.front().failover_us == 7);
  const Scenario given_up = scenario_of({.failures = {"0:0:1"}, .settings = {"timeout=14", "retry_count=7"}});
  CHECK(given_up.failures.front().failover_us == Approx(8 * 4.096 * (1 << 14)));
  for (const SimulateOptions& bad :
       {SimulateOptions{.collective = "all_produce"}, SimulateOptions{.bytes = "lots"},
        SimulateOptions{.algorithm = "rung"}, SimulateOptions{.protocol = "complex"},
        SimulateOptions{.slow_rails = {"3"}}, SimulateOptions{.slow_rails = {"3:x"}},
        SimulateOptions{.stragglers = {"1:2:3:4"}}, SimulateOptions{.failures = {"1:2"}},
        SimulateOptions{.slow_rails = {"nan:0.5"}}, SimulateOptions{.slow_rails = {"3.7:0.5"}},
        SimulateOptions{.stragglers = {"1e300:5"}}, SimulateOptions{.stragglers = {"-1:5"}},
        SimulateOptions{.failures = {"0:1e300:5"}}, SimulateOptions{.failures = {"inf:1:5"}},
        SimulateOptions{.settings = {"queue_pairs"}}, SimulateOptions{.settings = {"quue_pairs=3"}}}) {
    CHECK_THROWS_AS(scenario_of(bad), Error);
  }
}

TEST_CASE("clusters and machines are named by presets and by files") {
  CHECK(cluster_named("superpod-1024", 4).node_count() == 4);
  CHECK(cluster_named("dgx-a100", 0).gpu_count() == 8);
  CHECK(cluster_named("dgx-a100", 4).node_count() == 4);
  CHECK(cluster_named(std::string(TUTTI_SOURCE_DIR) + "/tests/topology/data/nccl-switched.xml", 0).node_count() == 1);
  const std::string file = "simulate-cluster.json";
  std::ofstream(file) << to_json(cluster_named("superpod-1024", 4));
  CHECK(cluster_named(file, 0).gpu_count() == 32);
  CHECK_THROWS_AS(cluster_named(file, 5), Error);
  std::ofstream(file) << "{\"fabric\": 5}";
  CHECK_THROWS_AS(cluster_named(file, 0), Error);
  std::remove(file.c_str());
  CHECK_THROWS_AS(cluster_named("no-such-thing", 0), Error);
}

TEST_CASE("several jobs are told each by itself and all together") {
  const SimulateOptions two{
      .cluster = "superpod-1024", .nodes = 4, .bytes = "1M", .oversubscription = 4, .jobs = {"0,2:16M:ring", "1,3"}};
  std::ostringstream out;
  CHECK(simulate_command(two, out) == 0);
  CHECK(says(out.str(), {"2 jobs at once", "simulated", "all_reduce of 16 MiB", "all_reduce of 1 MiB", "together"}));
  SimulateOptions json = two;
  json.json = true;
  std::ostringstream text;
  CHECK(simulate_command(json, text) == 0);
  const auto told = nlohmann::json::parse(text.str());
  CHECK(told["jobs"].size() == 2);
  CHECK(told["jobs"][0]["ranks"] == 16);
  CHECK(told["jobs"][0]["together_us"].get<double>() >= told["jobs"][0]["alone_us"].get<double>());
  for (const char* bad : {"", "x", "0-3:lots", "0:1M:rung", "0:1M:ring:all_produce", "0:1M:ring:all_reduce:5", "0-9"}) {
    SimulateOptions options{.cluster = "superpod-1024", .nodes = 4, .jobs = {bad}};
    CHECK_THROWS_AS(simulate_command(options, out), Error);
  }
  CHECK_THROWS_AS(simulate_command({.ranks = 8, .jobs = {"0"}}, out), Error);
}
