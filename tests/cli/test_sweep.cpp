#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "catch.hpp"
#include "cli/says.hpp"
#include "cli/sweep_command.hpp"
#include "cli/sweep_file.hpp"
#include "cli/sweep_measure.hpp"
#include "cli/sweep_report.hpp"
#include "tutti/base/error.hpp"

using namespace tutti;
using namespace tutti::sweep;

namespace {

const SweepOptions two_nodes{.cluster = "8xA100-hdr",
                             .nodes = 2,
                             .sizes = "16K,64M",
                             .algorithms = "ring,tree",
                             .protocols = "ll,simple",
                             .settings = {"queue_pairs=1,4", "gpu_direct=SYS,off"}};

struct Removed {
  explicit Removed(std::string file) : name(std::move(file)) { std::remove(name.c_str()); }
  ~Removed() { std::remove(name.c_str()); }
  std::string text() const {
    std::ifstream in(name);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string name;
};

/// Three combinations with made-up times.
SweepPlan plan_of_three() {
  SweepPlan plan;
  plan.ranks = 2;
  plan.sizes = {1024};
  plan.combinations = {{"ring", "fifo"}, {"tree", "fifo"}, {"one_shot", "fifo"}};
  plan.launches = 5;
  return plan;
}

SweepResult times_of(std::vector<std::vector<double>> us) {
  SweepResult result;
  result.ranks = 2;
  for (const auto& each : us) {
    result.outcomes.emplace_back();
    result.outcomes.back().cells = {Cell{.us = each}};
  }
  return result;
}

}  // namespace

TEST_CASE("a sweep is every combination of its lists") {
  const SweepPlan plan = plan_of(two_nodes);
  CHECK(plan.simulated);
  CHECK(plan.sizes == std::vector<std::size_t>{16 << 10, 64 << 20});
  REQUIRE(plan.combinations.size() == 2 * 2 * 2 * 2);
  CHECK(plan.combinations.back().name() == "tree simple, queue_pairs=4, gpu_direct=off");
  const SweepPlan ours = plan_of({.algorithms = "ring,ring", .launches = 3});
  CHECK(ours.combinations.size() == 1);
  CHECK(ours.ranks == 2);
  CHECK(ours.launches == 3);
}

TEST_CASE("a sweep refuses by name what there is not") {
  const auto refused = [](SweepOptions options, std::initializer_list<std::string_view> words) {
    try {
      plan_of(options);
    } catch (const Error& error) {
      return says(error.what(), words);
    }
    return false;
  };
  CHECK(refused({.algorithms = "rung"}, {"'rung'", "ring"}));
  CHECK(refused({.protocols = "ll"}, {"'ll'", "fifo"}));
  CHECK(refused({.cluster = "dgx-a100", .protocols = "fifo"}, {"'fifo'", "ll128"}));
  CHECK(refused({.channels = "2"}, {"--channels", "--simulate"}));
  CHECK(refused({.cluster = "dgx-a100", .channels = "-1"}, {"--channels '-1'"}));
  CHECK(refused({.settings = {"queue_pairs"}}, {"queue_pairs"}));
  CHECK(refused({.settings = {"queue_pairs=1,900"}}, {"900", "1 to 128"}));
  CHECK(refused({.settings = {"queue_pairs=1", "queue_pairs=2"}}, {"twice"}));
  CHECK(refused({.sizes = "0"}, {"--sizes 0"}));
  CHECK(refused({.sizes = "big"}, {"big"}));
  CHECK(refused({.nodes = 2}, {"--nodes", "--simulate"}));
  CHECK(refused({.failures = {"0:0:1"}}, {"--fail", "--simulate"}));
  CHECK(refused({.launches = 0}, {"--launches 0"}));
  CHECK(refused({.plot = "a.pdf"}, {"a.pdf"}));
  CHECK(refused({.ranks = -1}, {"--ranks -1"}));
}

TEST_CASE("a simulated sweep says so everywhere, names winners, and which settings change nothing") {
  std::ostringstream out;
  CHECK(cli::sweep_command(two_nodes, out) == 0);
  CHECK(says(out.str(), {"16 GPUs of 8xA100-hdr, simulated: nothing here is measured", "winner, simulated",
                         "bus bandwidth of the winners, simulated", "note: queue_pairs changes nothing here",
                         "ring simple, gpu_direct=SYS"}));
  CHECK(!says(out.str(), {"measured\n\nus, measured"}));

  const SweepPlan plan = plan_of(two_nodes);
  SweepResult result{.ranks = 16};
  for (const Combination& each : plan.combinations) result.outcomes.push_back(simulate_one(plan, each));
  CHECK(says(plot_script(plan, result, "x.svg"), {"SIMULATED, not measured", "winner, and how sure", "'ring simple'"}));
  const auto json = nlohmann::json::parse(to_json(plan, result));
  CHECK(json["simulated"] == true);
  CHECK(json["complete"] == true);
  CHECK(json["winners"].size() == 2);
  for (const auto& each : json["combinations"]) CHECK(each["by"] == "simulated");
  // Halved rates and longer hops cannot be quicker.
  for (const Winner& winner : winners(plan, result)) {
    CHECK(plan.combinations[static_cast<std::size_t>(winner.combination)].settings[1].second == "SYS");
    CHECK(winner.sure >= 0.5);
    CHECK(winner.sure <= 1);
  }
}

TEST_CASE("what switches reduce is simulated where they may, and excluded where not") {
  SweepOptions options = two_nodes;
  options.algorithms = "ring,switch_reduction";
  options.protocols = "simple";
  options.settings = {"sharp=on,off"};
  std::ostringstream out;
  CHECK(cli::sweep_command(options, out) == 0);
  CHECK(says(out.str(),
             {"switch_reduction simple, sharp=on", "excluded", "no switch between the machines reduces, or none may"}));
}

TEST_CASE("a timeout matters to a simulated sweep where an adapter fails") {
  SweepOptions options = two_nodes;
  options.algorithms = "ring";
  options.protocols = "simple";
  options.settings = {"timeout=10,14"};
  options.failures = {"0:1:100"};
  const SweepPlan plan = plan_of(options);
  CHECK(simulate_one(plan, plan.combinations[0]).cells[1].median() <
        simulate_one(plan, plan.combinations[1]).cells[1].median());
}

TEST_CASE("the winner has the smallest median, and its confidence is how often it stays so") {
  const SweepPlan plan = plan_of_three();
  const auto clear = winners(plan, times_of({{5, 5, 5, 5, 5}, {2, 2, 2, 2, 90}, {3, 3, 3, 3, 3}}));
  CHECK(clear[0].combination == 1);
  CHECK(clear[0].next == 2);
  CHECK(clear[0].ahead == Approx(0.5));
  CHECK(clear[0].busbw_gbs == Approx(1024 / 2.0 / 1e3));
  CHECK(clear[0].sure > 0.9);
  CHECK(clear[0].sure < 1);  // a draw of the disturbed launch three times in five loses
  const auto close = winners(plan, times_of({{2.0, 2.4, 2.1, 2.5, 2.2}, {2.3, 2.0, 2.4, 2.1, 2.5}, {9, 9, 9, 9, 9}}));
  CHECK(close[0].combination == 0);
  CHECK(close[0].sure < 0.9);
  const auto few = winners(plan, times_of({{1, 1}, {2, 2}, {3, 3}}));
  CHECK(few[0].sure < 0);
  const auto none = winners(plan, times_of({{}, {}, {}}));
  CHECK(none[0].combination == -1);
}

TEST_CASE("a sweep goes on from its file, and from no other's") {
  const Removed file("sweep-resume.json");
  SweepOptions options = two_nodes;
  options.json = file.name;
  options.quiet = true;
  std::ostringstream out;
  const SweepPlan plan = plan_of(options);
  // An interrupted one: the first combination has times that no simulation gives, the others none.
  SweepResult part;
  part.ranks = 16;
  part.outcomes.resize(plan.combinations.size());
  part.outcomes[0].cells = {Cell{.us = {123}, .spread = 0.1}, Cell{.us = {456}, .spread = 0.1}};
  std::ofstream(file.name) << to_json(plan, part);
  CHECK(nlohmann::json::parse(file.text())["complete"] == false);
  CHECK(cli::sweep_command(options, out) == 0);
  auto json = nlohmann::json::parse(file.text());
  CHECK(json["complete"] == true);
  CHECK(json["combinations"][0]["times"][0]["us"][0] == 123);  // kept, not run again
  CHECK(json["combinations"][1]["times"][0]["us"][0].get<double>() > 0);

  const auto refused = [&](std::initializer_list<std::string_view> words) {
    try {
      cli::sweep_command(options, out);
    } catch (const Error& error) {
      return says(error.what(), words);
    }
    return false;
  };
  options.sizes = "16K";
  CHECK(refused({file.name, "another sweep", "sizes", "--fresh"}));
  options.sizes = two_nodes.sizes;
  json["combinations"][3]["times"][1]["us"][0] = -1;
  std::ofstream(file.name) << json;
  CHECK(refused({"combinations[3].times[1].us", "above 0"}));
  json["combinations"][3] = 5;
  std::ofstream(file.name) << json;
  CHECK(refused({"combinations[3]"}));
  for (const char* text :
       {"{", "{}", "[]", R"({"schema":"tutti-sweep-1"})", R"({"schema":"tutti-sweep-1","plan":5})"}) {
    std::ofstream(file.name) << text;
    CHECK(refused({file.name}));
  }
  options.fresh = true;
  CHECK(cli::sweep_command(options, out) == 0);
  CHECK(nlohmann::json::parse(file.text())["complete"] == true);
}

TEST_CASE("a launch hands settings on as variables, and nccl-tests' algorithm as NCCL's") {
  SweepOptions options{.ranks = 16, .sizes = "1K,4K,16K", .algorithms = "tree", .protocols = "ll128", .channels = "8"};
  options.settings = {"queue_pairs=4"};
  options.launcher = "srun -N 2";
  options.program = "./all_reduce_perf";
  const SweepPlan plan = plan_of(options);
  const auto words = launch_words(options, plan, plan.combinations[0], "tutti", "x.json");
  const std::vector<std::string> expected{"srun",
                                          "-N",
                                          "2",
                                          "env",
                                          "NCCL_ALGO=Tree",
                                          "NCCL_IB_QPS_PER_CONNECTION=4",
                                          "NCCL_MAX_NCHANNELS=8",
                                          "NCCL_MIN_NCHANNELS=8",
                                          "NCCL_PROTO=LL128",
                                          "./all_reduce_perf",
                                          "-b",
                                          "1024",
                                          "-e",
                                          "16384",
                                          "-f",
                                          "4"};
  CHECK(words == expected);
  options.launcher = "srun";
  CHECK(launch_words(options, plan, plan.combinations[0], "tutti", "x.json")[2] == "16");
  options.sizes = "1K,4K,9K";
  const SweepPlan uneven = plan_of(options);
  CHECK_THROWS_AS(launch_words(options, uneven, uneven.combinations[0], "tutti", "x.json"), Error);
}
