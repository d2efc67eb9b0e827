#include "cli/plan_channels.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

#include "catch.hpp"
#include "cli/says.hpp"
#include "topology/contains.hpp"
#include "tutti/base/error.hpp"
#include "tutti/topology/read.hpp"

using namespace tutti;
using namespace tutti::cli;

namespace {

std::string output(const ChannelArguments& arguments, int expected = 0) {
  std::ostringstream out;
  const int status = plan_channels_command(arguments, out);
  CHECK(status == expected);
  return out.str();
}

}  // namespace

TEST_CASE("tutti plan channels prints rings and trees with their bandwidth and the proof") {
  for (const char* machine : {"dgx-a100", "dgx-h100", "dgx-1-v100", "4xA100-PCIe"}) {
    CAPTURE(machine);
    const auto text = output({.machine = machine, .collectives = {Collective::all_reduce}});
    CHECK(says(text, {"Rings: ", "Trees", "GB/s", "gpu0 →", "all_reduce", "Proof holds", "visits each of"}));
  }
}

TEST_CASE("tutti plan channels writes JSON, and graph XML that is read again") {
  const auto json = nlohmann::json::parse(
      output({.machine = "dgx-a100", .collectives = {Collective::all_gather}, .format = "json", .nodes = 2}));
  CHECK(json["domains"] == 2);
  CHECK(json["rings"].size() == 8);
  CHECK(json["rings"][0]["segments"][0]["nic_in"].is_number());
  CHECK(json["bus_bandwidth"]["all_gather"]["ring"].get<double>() == Approx(192));
  CHECK(json["proof"]["holds"] == true);
  const auto again = from_text(output({.machine = "dgx-a100", .format = "graph-xml"}), "again");
  CHECK(again.all(DeviceKind::gpu).size() == 8);
}

TEST_CASE("tutti plan channels says why there are none, and refuses what it does not know") {
  const std::string file = TUTTI_SOURCE_DIR "/tests/topology/data/smi-p2p.txt";
  const auto text = output({.machine = file}, 1);
  CHECK(says(text, {"no ring is possible: "}));
  CHECK_THROWS_WITH(output({.machine = file, .format = "graph-xml"}), contains("no ring is possible"));
  CHECK_THROWS_WITH(output({.machine = "dgx-a100", .format = "svg"}), contains("none of the forms"));
  CHECK_THROWS_WITH(output({.machine = "dgx-a100", .nodes = 0}), contains("0 machines"));
  CHECK_THROWS_WITH(output({.machine = "dgx-a101"}), contains("neither a file nor a preset"));
}
