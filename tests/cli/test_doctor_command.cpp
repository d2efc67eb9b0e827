#include "cli/doctor_command.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

#include "catch.hpp"
#include "cli/says.hpp"
#include "topology/contains.hpp"
#include "topology/fixtures.hpp"

using namespace tutti;
using namespace tutti::cli;

namespace {

/// A machine with two CPUs, and nothing else to be found.
void write_bare_machine(const TemporaryFolder& root, const std::string& name) {
  root.write("proc/sys/kernel/hostname", name);
  root.write("proc/self/status", "Name:\ttutti\nCpus_allowed_list:\t0-1\n");
}

std::string run(const DoctorArguments& arguments, const doctor::Source& source, int expected) {
  std::istringstream in;
  std::ostringstream out;
  CHECK(doctor_command(arguments, source, in, out) == expected);
  return out.str();
}

}  // namespace

TEST_CASE("tutti doctor names the shortcomings of a machine, with evidence and remedy") {
  const TemporaryFolder root;
  write_bare_machine(root, "n1");
  const std::string text = run({}, {.root = root.path()}, 2);
  CHECK(says(text, {"warning  CPUs  (n1)", "[cpus-few]", "seen: 2 CPUs", "do:   fewer ranks", "[no-gpu]",
                    "0 errors, 1 warning, 1 note; docs/doctor.md explains the ids"}));
  CHECK_FALSE(says(run({.quiet = true}, {.root = root.path()}, 2), {"[no-gpu]"}));
}

TEST_CASE("tutti doctor collects a snapshot and judges it, and several are compared") {
  const TemporaryFolder root;
  const TemporaryFolder snapshots;
  const auto first = (snapshots.path() / "n1.json").string();
  const auto second = (snapshots.path() / "n2.json").string();
  std::ostringstream none;
  write_bare_machine(root, "n1");
  root.write("proc/sys/kernel/osrelease", "6.1.0");
  CHECK(doctor_collect(first, {.root = root.path()}, none) == 0);
  CHECK(run({.files = {first}}, {}, 2) == run({}, {.root = root.path()}, 2));
  write_bare_machine(root, "n1");
  root.write("proc/sys/kernel/osrelease", "5.15.0");
  CHECK(doctor_collect(second, {.root = root.path()}, none) == 0);
  CHECK(says(run({.files = {first, second}}, {}, 2), {"[hosts-kernel]", "5.15.0 on n1 (" + second + "); 6.1.0 on n1"}));
  std::ostringstream out;
  CHECK(doctor_collect("-", {.root = root.path()}, out) == 0);
  CHECK(doctor::read_snapshot(out.str(), "-").host == "n1");
  root.write("other.json", "{}");
  std::istringstream in;
  CHECK_THROWS_WITH(doctor_command({.files = {(root.path() / "other.json").string()}}, {}, in, out),
                    contains("is no snapshot"));
}

TEST_CASE("tutti doctor reports as JSON and as SARIF, and lists its rules") {
  const TemporaryFolder root;
  write_bare_machine(root, "n1");
  const auto json = nlohmann::json::parse(run({.format = ReportFormat::json}, {.root = root.path()}, 2));
  CHECK(json["findings"][0]["id"] == "cpus-few");
  CHECK(json["findings"][0]["place"] == "n1");
  const auto sarif = nlohmann::json::parse(run({.format = ReportFormat::sarif}, {.root = root.path()}, 2));
  CHECK(sarif["runs"][0]["results"][0]["ruleId"] == "cpus-few");
  CHECK(sarif["runs"][0]["tool"]["driver"]["rules"][0]["help"]["text"] == "docs/doctor.md#cpus-few");
  std::ostringstream out;
  CHECK(doctor_rules(out) == 0);
  CHECK(says(out.str(), {"driver-too-old", "acs-on", "hosts-driver"}));
}

TEST_CASE("names of other machines are printed in one line each, without what moves a terminal's cursor") {
  const TemporaryFolder root;
  write_bare_machine(root, "n1\x1b[2J\x07");
  const std::string text = run({}, {.root = root.path()}, 2);
  CHECK(says(text, {"CPUs  (n1?[2J?)"}));
  CHECK(text.find('\x1b') == std::string::npos);
  std::ostringstream out;
  const Finding finding{
      .id = "x", .subject = "s", .what = "w", .evidence = " a\nb\n", .remedy = std::string(5000, 'r')};
  write_report(std::vector{finding}, {}, out);
  CHECK(says(out.str(), {"seen: a b\n", "rrr…"}));
  CHECK(out.str().size() < 2000);
}
