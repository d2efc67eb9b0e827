#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "catch.hpp"
#include "cli/report_chart.hpp"
#include "cli/report_command.hpp"
#include "cli/report_machine.hpp"
#include "cli/report_section.hpp"
#include "cli/report_text.hpp"
#include "cli/says.hpp"
#include "tutti/base/error.hpp"
#include "tutti/topology/preset_clusters.hpp"
#include "tutti/topology/presets.hpp"
#include "tutti/topology/read.hpp"

namespace tutti::report {

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++found;
  return found;
}

/// A page from one part, which stands in a file of this text.
std::string page_of(std::vector<std::string> cli::ReportParts::*part, const std::string& text) {
  cli::ReportParts parts;
  parts.*part = {"-"};
  std::istringstream in(text);
  return cli::report_page(parts, {.root = "/nowhere"}, in);
}

/// What its refusal says; empty when it is none.
std::string refusal(std::vector<std::string> cli::ReportParts::*part, const std::string& text) {
  try {
    page_of(part, text);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

std::string bench_text(const std::string& row) {
  return R"({"schema":"tutti-bench-1","tutti":"1","started":"now","machine":{"hosts":["n1"]},"run":{"ranks":2},"notes":[],"rows":[)" +
         row + "]}";
}

const std::string good_row =
    R"({"collective":"all_reduce","engine":"host","algorithm":"ring","type":"float32","operation":"sum","ranks":2,)"
    R"("buffers":"private","in_place":false,"size_bytes":8,"time_us":0.5,"busbw_GBs":0.016,"wrong":0})";

}  // namespace

TEST_CASE("Text of others is never markup, and hides nothing", "[report]") {
  CHECK(escaped(R"(<a b="c">'&')") == "&lt;a b=&quot;c&quot;&gt;&#39;&amp;&#39;");
  CHECK(escaped("ü µ €😀") == "ü µ €😀");
  CHECK(escaped("a\x01\x7f"
                "b\u0085") == "a\uFFFD\uFFFDb\uFFFD");
  CHECK(escaped("\u202Egnp.exe\u2066\u200B") == "\uFFFDgnp.exe\uFFFD\uFFFD");
  CHECK(escaped("\xC0\x80 \xED\xA0\x80 \xF5 \xE2\x82") == "\uFFFD\uFFFD \uFFFD\uFFFD\uFFFD \uFFFD \uFFFD\uFFFD");
  CHECK(cut("äöü<", 4) == "äöü&lt;");
  CHECK(cut("äöü<!", 4) == "äöü…");
  CHECK(cut("", 4).empty());
}

TEST_CASE("Every machine that is known by name is drawn with all its GPUs and adapters", "[report]") {
  for (const Preset& each : presets()) {
    INFO(each.name);
    const Topology machine = preset(each.name);
    const std::string picture = host_picture(machine, 0, "x");
    std::size_t gpus = 0;
    std::size_t nics = 0;
    for (const int id : machine.devices_of(0)) {
      gpus += machine.device(id).kind == DeviceKind::gpu ? 1 : 0;
      nics += machine.device(id).kind == DeviceKind::nic ? 1 : 0;
    }
    CHECK(gpus > 0);
    CHECK(count(picture, "class=\"gpu\"") == gpus);
    CHECK(count(picture, "class=\"nic\"") == nics);
    CHECK(count(picture, "nan") + count(picture, "inf\"") == 0);
    CHECK(machine_section(machine).gist.find("GPU") != std::string::npos);
  }
}

TEST_CASE("Hosts that are alike are drawn once, and counted", "[report]") {
  const Section section = machine_section(preset("gb200-nvl72"));
  CHECK(section.gist == "18 hosts, 72 GPUs");
  CHECK(section.html.find("gb200-nvl72 tray 0 and 17 more of this kind") != std::string::npos);
  CHECK(count(section.html, "<svg role=\"img\"") == 2);
}

TEST_CASE("Every cluster that is known by name is summarised", "[report]") {
  for (const Preset& each : cluster_presets()) {
    INFO(each.name);
    const Cluster cluster = preset_cluster(each.name);
    const Section section = cluster_section(cluster);
    CHECK(section.html.find(std::to_string(cluster.gpu_count()) + " GPUs") != std::string::npos);
    CHECK(section.html.size() < 200'000);
  }
}

TEST_CASE("A slow link is marked in the picture and told below it", "[report]") {
  TopologyParts parts = preset("dgx-a100").parts();
  const auto gpu = static_cast<int>(
      std::find_if(parts.devices.begin(), parts.devices.end(), [](const Device& d) { return d.name == "gpu3"; }) -
      parts.devices.begin());
  for (Link& link : parts.links) {
    if (link.kind != LinkKind::pci || link.to != gpu) continue;
    link.lanes = Quantity::read(8);
    link.lanes_possible = Quantity::read(16);
    link.speed = link.speed_possible = Quantity::read(16);
  }
  const Section section = machine_section(Topology(parts));
  CHECK(count(section.html, "class=\"gpu bad\"") == 1);
  CHECK(section.html.find("runs on 8 lanes; 16 are possible") != std::string::npos);
}

TEST_CASE("A chart holds whatever numbers it is given", "[report]") {
  Chart chart{.id = "x", .name = "n", .unit = "µs", .curves = {{"a", {{8, 1, 0.5, 2}}}}};
  CHECK(chart_svg(chart).find("<circle") != std::string::npos);
  CHECK(chart_svg(chart).find("nan") == std::string::npos);
  chart.curves = {{"a", {{0, 1}, {8, 0}}}};
  CHECK(chart_svg(chart).empty());
  chart.curves = {{"a", {{1, 1e-300}, {1e30, 1e30}}}};
  CHECK(chart_svg(chart).size() < 20'000);
  chart.curves.assign(20, {"a", {{8, 1}, {16, 2}}});
  CHECK(count(chart_svg(chart), "class=\"curve") == most_curves);
  CHECK(short_bytes(65536) == "64K");
  CHECK(short_bytes(1000) == "1000");
}

TEST_CASE("Results that are none are refused with their place", "[report]") {
  const auto bench = [](const std::string& text) { return refusal(&cli::ReportParts::bench, text); };
  CHECK(says(bench("x"), {"- is no JSON"}));
  CHECK(says(bench("[]"), {"- is no JSON object"}));
  CHECK(says(bench("{}"), {"is not what `tutti bench --json` writes"}));
  CHECK(bench(bench_text("")).empty());
  CHECK(bench(bench_text(good_row)).empty());
  const auto changed = [](std::string from, const std::string& to) {
    std::string row = good_row;
    return bench_text(good_row + "," + row.replace(row.find(from), from.size(), to));
  };
  CHECK(says(bench(changed("0.5", "\"0\"")), {"rows[1]", "time_us is no number"}));
  CHECK(says(bench(changed("0.5", "-1")), {"rows[1]", "time_us is negative"}));
  CHECK(says(bench(changed("0.5", "1e300")), {"absurdly large"}));
  CHECK(says(bench(changed("\"engine\":\"host\",", "")), {"rows[1] has no \"engine\""}));
  CHECK(says(refusal(&cli::ReportParts::doctor, R"({"findings":[{"id":1}]})"), {"id is no text"}));
  CHECK(says(refusal(&cli::ReportParts::doctor, ""), {"no snapshot"}));
  CHECK(says(refusal(&cli::ReportParts::topology,
                     "\x7f"
                     "ELF"),
             {"-"}));
}

TEST_CASE("Wrong elements are told at the head of the measurements", "[report]") {
  std::string row = good_row;
  row.replace(row.find("\"wrong\":0"), 9, "\"wrong\":3");
  const std::string html = page_of(&cli::ReportParts::bench, bench_text(row));
  CHECK(html.find("3 elements were wrong") != std::string::npos);
}

TEST_CASE("A page tells where it comes from, and brings no script", "[report]") {
  cli::ReportParts parts;
  parts.topology = {"dgx-h100"};
  parts.explain = "live";
  parts.command = "tutti report '<x>'";
  parts.date = "2026-01-31 12:00 UTC";
  std::istringstream in;
  const std::string html = cli::report_page(parts, {.root = "/nowhere"}, in);
  CHECK(html.find("<h1>dgx-h100</h1>") != std::string::npos);
  CHECK(html.find("tutti report &#39;&lt;x&gt;&#39;") != std::string::npos);
  CHECK(html.find("2026-01-31 12:00 UTC") != std::string::npos);
  CHECK(html.find("default-src 'none'") != std::string::npos);
  CHECK(html.find("all_reduce of 64MB among 8 ranks of dgx-h100") != std::string::npos);
  for (const char* part : {"<script", "http:", "https:", "url(", "@import", "src="}) CHECK(count(html, part) == 0);
}

TEST_CASE("Files of real machines become pages", "[report][field-data]") {
  const char* given = std::getenv("TUTTI_FIELD_DATA");
  const std::filesystem::path folder =
      (given ? std::filesystem::path(given) : std::filesystem::path(TUTTI_SOURCE_DIR).parent_path() / "shared/data") /
      "topology";
  if (!std::filesystem::is_directory(folder)) {
    WARN("NOTHING TESTED: " << folder << " is not there");
    return;
  }
  int drawn = 0;
  for (const char* kind : {"hwloc", "nccl-topo", "rccl-topo", "smi-topo", "nccl-log", "rocm-smi"}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder / kind)) {
      INFO(entry.path());
      Topology topology;
      try {
        topology = from_file(entry.path());
      } catch (const Error&) {
        continue;  // what is cut on purpose; the readers have their own tests
      }
      const Section section = machine_section(topology);
      CHECK(section.html.find("nan") == std::string::npos);
      std::size_t gpus = 0;
      for (const int id : topology.all(DeviceKind::gpu)) gpus += topology.device(id).host == 0 ? 1 : 0;
      if (!topology.hosts().empty()) {
        const std::string picture = host_picture(topology, 0, "x");
        CHECK(count(picture, "class=\"gpu") == gpus);
      }
      ++drawn;
    }
  }
  CHECK(drawn > 30);
}

}  // namespace tutti::report
