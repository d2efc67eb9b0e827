#include <nlohmann/json.hpp>
#include <sstream>

#include "catch.hpp"
#include "cli/says.hpp"
#include "cli/study_command.hpp"
#include "cli/study_failures.hpp"
#include "cli/study_placement.hpp"
#include "cli/study_plot.hpp"
#include "tutti/base/error.hpp"

using namespace tutti;
using namespace tutti::cli;

TEST_CASE("one rate of failures gives the published projections, and not the measured time") {
  CHECK(mttf_hours(16384, 6.5) == Approx(1.803).epsilon(1e-3));
  CHECK(mttf_hours(131072, 6.5) == Approx(0.2254).epsilon(1e-3));
  CHECK(mttf_hours(1024, 6.5) == Approx(28.8).epsilon(1e-2));
  CHECK(mttf_hours(1024, 23.7) == Approx(7.9).epsilon(1e-2));
}

TEST_CASE("Daly's interval is a little below Young's, and no longer than the time between failures") {
  CHECK(young_s(30, 6490) == Approx(624).epsilon(1e-2));
  CHECK(daly_s(30, 6490) == Approx(604).epsilon(1e-2));
  CHECK(daly_s(120, 811) == Approx(365).epsilon(3e-2));
  CHECK(daly_s(1000, 100) == 100);
}

TEST_CASE("goodput is near 1 with few failures, falls with more, and is the same for a seed") {
  Recovery rare{.mttf_s = 1e6, .nodes = 128};
  CHECK(goodput_with_restart(rare, 1) > 0.98);
  CHECK(goodput_with_restart(rare, 1) == goodput_with_restart(rare, 1));
  Recovery often = rare;
  often.mttf_s = 811;
  // The renewal form: a life is restart, then whole intervals.
  CHECK(goodput_with_restart(often, 1) == Approx(0.46).margin(0.06));
  often.nodes = 16384;
  CHECK(goodput_with_shrinking(often, 1) == Approx(1 / (1 + 30.0 / 811)).margin(0.02));
  CHECK(goodput_with_shrinking(often, 1) > goodput_with_restart(often, 1));
  Recovery hopeless{.mttf_s = 10, .restart_s = 1000};
  CHECK(goodput_with_restart(hopeless, 1) < 0.01);
}

TEST_CASE("order saves nothing on a full fabric but hops, and more the narrower the spine") {
  RingPlacement ring{.nodes = 64, .leaf = 16, .oversubscription = 1, .transfer_us = 1e4};
  const PlacementStudy full = study_placement(ring, 50, 1);
  CHECK(full.least >= 0);
  CHECK(full.most < 0.05);
  ring.oversubscription = 4;
  const PlacementStudy narrow = study_placement(ring, 50, 1);
  CHECK(narrow.least > 0.3);
  CHECK(narrow.least <= narrow.median);
  CHECK(narrow.median <= narrow.most);
  CHECK(study_placement(ring, 50, 1).median == narrow.median);
}

TEST_CASE("tutti study prints its tables, and JSON") {
  StudyOptions options{.bytes = "64M", .gpus = {8, 1024}};
  std::ostringstream out;
  CHECK(study_command(options, out) == 0);
  CHECK(says(out.str(), {"simulated", "two levels", "800 Gbit/s", "oversubscription", "measured", "projected",
                         "shrinking %", "MW"}));
  options.json = true;
  std::ostringstream json;
  study_command(options, json);
  CHECK(nlohmann::json::parse(json.str()).size() == 6);
}

TEST_CASE("a study that would not fit in memory says so before it begins") {
  std::ostringstream out;
  try {
    study_command({.gpus = {8, 8 * 999'999}}, out);
    FAIL("it began");
  } catch (const Error& error) {
    CHECK(error.code() == Code::resource);
    CHECK(says(error.what(), {"--gpus 7999992", "would"}));
  }
  CHECK(out.str().empty());
}

TEST_CASE("a study is drawn in four panels, with its data") {
  std::ostringstream out;
  const StudyTable scale{
      "", {"GPUs", "ring", "tree", "switch tree", "two levels", "simulated"}, {{"8", "1", "2", "3", "-", "5"}}};
  const StudyTable placement{"", {"o", "t", "least", "median", "most"}, {{"2", "9", "10", "20", "30"}}};
  const StudyTable goodput{"", {"GPUs", "a", "b", "c", "restart", "shrinking"}, {{"8", "0", "0", "0", "99", "98"}}};
  const std::string script = plot_script({scale, placement, goodput, {8, 64}}, "x.svg");
  CHECK(says(script, {"set terminal svg", "8 1 2 3 NaN 5", "2 10 20 30", "8 99 98", "layout 2,2", "46 %", "published",
                      "nothing measured"}));
  CHECK_THROWS_AS(study_command({.gpus = {8}, .plot = "study.pdf"}, out), Error);
}

TEST_CASE("studies of what cannot be are refused") {
  std::ostringstream out;
  for (const StudyOptions& bad :
       {StudyOptions{.gpus = {}}, StudyOptions{.gpus = {0}}, StudyOptions{.gpus = {12}},
        StudyOptions{.failure_rate = -1}, StudyOptions{.write_s = 0}, StudyOptions{.watts_small = 1e9},
        StudyOptions{.latency_saved = 1}, StudyOptions{.bytes = "-1"}}) {
    CHECK_THROWS_AS(study_command(bad, out), Error);
  }
}
