#include "cli/topology_lists.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

#include "catch.hpp"
#include "cli/says.hpp"
#include "cli/topology_command.hpp"
#include "topology/contains.hpp"
#include "tutti/base/error.hpp"

using namespace tutti;
using namespace tutti::cli;

TEST_CASE("tutti topology lists presets and links as text and as JSON") {
  const auto list = [](bool presets, bool links, TopologyFormat format) {
    std::ostringstream out;
    CHECK(topology_lists(presets, links, format, out) == 0);
    return out.str();
  };
  CHECK(says(list(true, false, TopologyFormat::text), {"dgx-h100 ", "gb200-nvl72 "}));
  CHECK(says(list(true, true, TopologyFormat::text), {"dgx-h100 ", "NVLink 4", "Sources"}));
  const auto presets = nlohmann::json::parse(list(true, false, TopologyFormat::json));
  CHECK(presets[0]["facts"][0]["source"].get<std::string>().size() > 10);
  const auto links = nlohmann::json::parse(list(false, true, TopologyFormat::json));
  CHECK(links["links"][3]["total_both_ways"] == 900);
  std::ostringstream out;
  CHECK_THROWS_WITH(topology_lists(true, false, TopologyFormat::dot, out), contains("are lists"));
  CHECK_THROWS_WITH(topology_lists(true, true, TopologyFormat::json, out), contains("two JSON documents"));
}

TEST_CASE("tutti topology shows a preset in every form, with its sources in text") {
  const auto shown = [](TopologyFormat format) {
    std::ostringstream out;
    CHECK(topology_command({.files = {"DGX-1-V100"}, .format = format}, out) == 0);
    return out.str();
  };
  CHECK(says(shown(TopologyFormat::text), {"Sources:", "WP-08437"}));
  CHECK(says(shown(TopologyFormat::matrix), {"NV2"}));
  CHECK(says(shown(TopologyFormat::nccl_xml), {"<nvlink target="}));
  CHECK(says(shown(TopologyFormat::dot), {"graph"}));
  CHECK(nlohmann::json::parse(shown(TopologyFormat::json))["source"] == "preset");
}

TEST_CASE("tutti topology shows a cluster that is known by name") {
  const auto shown = [](TopologyFormat format) {
    std::ostringstream out;
    CHECK(topology_command({.files = {"llama3-24576"}, .format = format}, out) == 0);
    return out.str();
  };
  CHECK(says(shown(TopologyFormat::text),
             {"3072 nodes, 24576 GPUs", "dgx-h100", "7:1", "~7.143 GB/s", "arXiv 2407.21783"}));
  CHECK(nlohmann::json::parse(shown(TopologyFormat::json))["format"] == "tutti-cluster");
}
