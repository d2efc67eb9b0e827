#include "cli/env_command.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

#include "catch.hpp"
#include "cli/says.hpp"
#include "topology/contains.hpp"
#include "topology/fixtures.hpp"

using namespace tutti;
using namespace tutti::cli;

namespace {

struct Result {
  int status = -1;
  std::string text{};
};

Result run(const EnvArguments& arguments, const std::map<std::string, std::string>& variables = {},
           const std::string& in = {}) {
  std::vector<std::string> names;
  for (const auto& [name, value] : variables) names.push_back(name);
  std::istringstream input(in);
  std::ostringstream out;
  Result result;
  result.status = env_command(arguments, environment_of(variables), names, input, out);
  result.text = out.str();
  return result;
}

}  // namespace

TEST_CASE("tutti env gives three right answers to three settings") {
  const Result result = run({.what = {"NCCL_TOPO=ring", "NCCL_IB_TIMOUT=18", "NCCL_IB_AR_THRESHOLD=0"}});
  CHECK(result.status == 3);
  CHECK(says(result.text, {"NCCL_ALGO=Ring", "NCCL_TOPO_FILE", "did you mean NCCL_IB_TIMEOUT?", "1.07 s",
                           "with adaptive routing every message", "2 errors, 0 warnings, 1 note"}));
}

TEST_CASE("tutti env looks at the environment when nothing is named") {
  CHECK(run({}, {{"PATH", "/bin"}}).status == 0);
  CHECK(run({}, {{"PATH", "/bin"}}).text == "0 settings, nothing to say\n");
  const Result result = run({.root = "/no-such-machine"}, {{"NCCL_MIN_NCHANNELS", "8"}, {"NCCL_IB_HCA", "mlx5_0"}});
  CHECK(result.status == 3);
  CHECK(says(result.text, {"(environment)", "no InfiniBand adapter mlx5_0", "NCCL_MIN_CTAS=8"}));
}

TEST_CASE("tutti env compares files of several ranks, and reads standard input") {
  const TemporaryFolder folder;
  folder.write("a", "NCCL_ALGO=Ring\n");
  folder.write("b", "NCCL_ALGO=Tree\n");
  const auto a = (folder.path() / "a").string();
  const auto b = (folder.path() / "b").string();
  const Result result = run({.what = {a, b}});
  CHECK(result.status == 3);
  CHECK(says(result.text, {"env-ranks-differ", "Ring on " + a, "Tree on " + b}));
  CHECK(run({.what = {"-"}}, {}, "export NCCL_MIN_NCHANNELS=8").status == 2);
  CHECK_THROWS_WITH(run({.what = {(folder.path() / "c").string()}}), contains("cannot read"));
  CHECK_THROWS_WITH(run({.nccl = "new"}), contains("--nccl new is no version"));
}

TEST_CASE("tutti env reports as JSON and as SARIF") {
  const TemporaryFolder folder;
  folder.write("job.sh", "#!/bin/sh\nexport NCCL_DEGUB=INFO\nexport NCCL_BUFFSIZE=8388608\n");
  const auto job = (folder.path() / "job.sh").string();
  const auto json = nlohmann::json::parse(run({.what = {job}, .format = ReportFormat::json}).text);
  REQUIRE(json["findings"].size() == 2);
  CHECK(json["findings"][0]["id"] == "env-misspelt");
  CHECK(json["findings"][0]["line"] == 2);
  CHECK(json["findings"][1]["severity"] == "note");
  const auto sarif = nlohmann::json::parse(run({.what = {job}, .format = ReportFormat::sarif, .quiet = true}).text);
  CHECK(sarif["version"] == "2.1.0");
  const auto& first = sarif["runs"][0]["results"][0];
  CHECK(sarif["runs"][0]["results"].size() == 1);
  CHECK(first["ruleId"] == "env-misspelt");
  CHECK(first["level"] == "error");
  CHECK(first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == job);
  CHECK(first["locations"][0]["physicalLocation"]["region"]["startLine"] == 2);
  CHECK(sarif["runs"][0]["tool"]["driver"]["rules"][0]["id"] == "env-misspelt");
  CHECK_THROWS_WITH(parse_report_format("xml"), contains("--format xml is none of the forms"));
}

TEST_CASE("tutti env tells what is known about one setting") {
  std::ostringstream out;
  CHECK(env_about("NCCL_IB_TIMEOUT", out) == 0);
  CHECK(says(out.str(), {"4.096 us", "int 0..31", "default: 20", "read from 2.3.5 on"}));
  std::ostringstream unknown;
  CHECK(env_about("NCCL_IB_TIMOUT", unknown) == 1);
  CHECK(unknown.str() == "NCCL_IB_TIMOUT is not known; did you mean NCCL_IB_TIMEOUT?\n");
}
