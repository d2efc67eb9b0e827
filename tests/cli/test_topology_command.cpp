#include "cli/topology_command.hpp"

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "catch.hpp"
#include "cli/says.hpp"
#include "topology/contains.hpp"
#include "tutti/base/error.hpp"
#include "tutti/topology/read.hpp"

using namespace tutti;
using namespace tutti::cli;

namespace {

std::string file(const char* name) { return std::string(TUTTI_SOURCE_DIR "/tests/topology/data/") + name; }

std::string output(const TopologyArguments& arguments) {
  std::ostringstream out;
  const int status = topology_command(arguments, out);
  CHECK(status == 0);
  return out.str();
}

}  // namespace

TEST_CASE("tutti topology writes a file in the form asked for") {
  CHECK(says(output({.files = {file("nccl-switched.xml")}}), {"├─ numa0"}));
  CHECK(output({.files = {file("nccl-switched.xml")}, .format = TopologyFormat::matrix}).starts_with("\tGPU0\tGPU1"));
  CHECK(output({.files = {file("rccl-pair.xml")}, .format = TopologyFormat::nccl_xml})
            .starts_with("<system version=\"2\">"));
  const auto json =
      nlohmann::json::parse(output({.files = {file("nccl-switched.xml")}, .format = TopologyFormat::json}));
  std::set<std::string> kinds;
  for (const auto& device : json["devices"]) kinds.insert(device["kind"]);
  CHECK(kinds == std::set<std::string>{"cpu", "gpu", "nic", "nvswitch", "switch"});
}

TEST_CASE("tutti topology without a file shows this machine") {
  const auto json = nlohmann::json::parse(output({.format = TopologyFormat::json}));
  CHECK(json["source"] == "live");
  CHECK(json["devices"][0]["kind"] == "cpu");
}

TEST_CASE("tutti topology puts several sources of a machine together") {
  TopologyArguments arguments{.files = {file("nccl-switched.xml"), file("hwloc-2.xml")}};
  CHECK_THROWS_WITH(output(arguments), contains("are not of one machine: none of the 3 GPUs"));
  arguments.even_if_different = true;
  const auto text = output(arguments);
  CHECK(says(text, {"Oddities:", "in " + file("nccl-switched.xml")}));
}

TEST_CASE("tutti topology takes bus ids that a file lacks") {
  const TopologyArguments arguments{.files = {file("nccl-graph.xml")},
                                    .format = TopologyFormat::json,
                                    .bus_ids = parse_bus_ids("GPU0=0000:1B:00.0,gpu1=1c:00.0")};
  const auto topology = from_text(output(arguments), "again");
  CHECK(topology.find("0000:1c:00.0") == topology.find("gpu1"));
  CHECK_THROWS_WITH(output({.files = arguments.files, .bus_ids = {{"gpu77", "1:0.0"}}}),
                    contains("has no device gpu77"));
  for (const char* bad : {"gpu0", "=1", "gpu0=", "gpu0=01:00.0,,"}) {
    CAPTURE(bad);
    CHECK_THROWS_WITH(parse_bus_ids(bad), contains("is no pair of a name and a bus id"));
  }
  CHECK_THROWS_WITH(parse_bus_ids("gpu0=zz"), contains("\"zz\" is no PCI bus id"));
  for (const char* twice : {"gpu0=01:00.0,gpu1=0000:01:00.0", "gpu0=01:00.0,gpu0=02:00.0"}) {
    CHECK_THROWS_WITH(parse_bus_ids(twice), contains("comes after another"));
  }
}

TEST_CASE("tutti topology diff is silent about one machine and not about two") {
  std::ostringstream same;
  CHECK(topology_diff(file("hwloc-1.xml"), file("hwloc-1.xml"), same) == 0);
  CHECK(same.str().empty());
  std::ostringstream other;
  CHECK(topology_diff(file("hwloc-1.xml"), file("hwloc-2.xml"), other) == 1);
  CHECK(says(other.str(), {"host 0: cores: 4, now 2\n"}));
}
