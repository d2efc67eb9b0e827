#include "tutti/topology/presets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "catch.hpp"
#include "contains.hpp"
#include "tutti/base/error.hpp"
#include "tutti/topology/facts.hpp"
#include "tutti/topology/links.hpp"
#include "tutti/topology/read.hpp"
#include "tutti/topology/write.hpp"

using namespace tutti;

namespace {

int nvlinks_of(const Topology& topology, int gpu) {
  int count = 0;
  for (const int index : topology.links_of(gpu)) {
    const Link& link = topology.links()[static_cast<std::size_t>(index)];
    if (link.kind == LinkKind::nvlink) count += link.count;
  }
  return count;
}

}  // namespace

TEST_CASE("presets have names of their own, facts with sources, and are found in any case") {
  std::set<std::string_view> names;
  for (const Preset& each : presets()) {
    CAPTURE(std::string(each.name));
    CHECK(names.insert(each.name).second);
    CHECK(preset(each.name).name() == each.name);
    CHECK(each.facts.size() >= 3);
    for (const SourcedFact& fact : each.facts) CHECK((!fact.what.empty() && !fact.source.empty()));
  }
  for (const char* name : {"dgx-a100", "dgx-h100", "gb200-nvl72", "DGX-A100", "8xh100"}) CHECK(find_preset(name));
  CHECK(find_preset("dgx-a10") == nullptr);
  CHECK_THROWS_WITH(preset("dgx-a10"), contains("did you mean 'dgx-a100'?"));
}

TEST_CASE("the facts of a preset name its processor, its adapters and what the latencies are") {
  for (const Preset& each : presets()) {
    CAPTURE(std::string(each.name));
    std::string all;
    for (const SourcedFact& fact : each.facts) all += std::string(fact.what) + "\n";
    const Topology topology = preset(each.name);
    const std::string& cpu = topology.hosts().front().cpu_model;
    std::string number = cpu.find(" v4") != std::string::npos ? cpu.substr(0, cpu.size() - 3) : cpu;
    number = number.substr(number.rfind(' ') + 1);  // "8480C", "E5-2698", "Grace"
    CHECK_THAT(all, contains(number));
    CHECK_THAT(all, contains("latency of links"));
    CHECK_THAT(all, contains("cores and threads"));
    const auto speed = port_speed(topology.device(topology.all(DeviceKind::nic).front())).value * 8;
    CHECK_THAT(all, contains(fmt::format("{:.0f} Gbit/s", speed)));
  }
}

TEST_CASE("presets have the GPUs, adapters and NVLinks of their data sheets") {
  struct Expected {
    const char* name;
    std::size_t gpus;
    std::size_t nics;
    int nvlinks;  // of each GPU
    const char* first_pair;
    const char* last_pair;  // GPU 0 and the last
  };
  for (const Expected& expected : {Expected{"dgx-1-v100", 8, 4, 6, "NV1", "SYS"},
                                   {"dgx-2", 16, 8, 6, "NV6", "NV6"},
                                   {"dgx-a100", 8, 8, 12, "NV12", "NV12"},
                                   {"dgx-h100", 8, 8, 18, "NV18", "NV18"},
                                   {"dgx-h200", 8, 8, 18, "NV18", "NV18"},
                                   {"dgx-b200", 8, 8, 18, "NV18", "NV18"},
                                   {"gb200-nvl72", 72, 72, 18, "NV18", "NV18"},
                                   {"4xA100-PCIe", 4, 2, 0, "PHB", "SYS"},
                                   {"4xA100-PCIe-bridged", 4, 2, 12, "NV12", "SYS"},
                                   {"8xL40S", 8, 4, 0, "PIX", "SYS"},
                                   {"8xRTX4090", 8, 1, 0, "PHB", "SYS"},
                                   {"4xV100-PCIe", 4, 2, 0, "PHB", "SYS"},
                                   {"8xA40-PCIe", 8, 2, 0, "PIX", "SYS"}}) {
    CAPTURE(expected.name);
    const Topology topology = preset(expected.name);
    const auto gpus = topology.all(DeviceKind::gpu);
    REQUIRE(gpus.size() == expected.gpus);
    CHECK(topology.all(DeviceKind::nic).size() == expected.nics);
    for (const int gpu : gpus) CHECK(nvlinks_of(topology, gpu) == expected.nvlinks);
    CHECK(find_path(topology, gpus[0], gpus[1]).label() == expected.first_pair);
    CHECK(find_path(topology, gpus.front(), gpus.back()).label() == expected.last_pair);
    CHECK(degraded_links(topology).empty());
    CHECK(topology.notes().empty());
  }
}

TEST_CASE("a preset's matrix is that of the real machine") {
  // DGX-1V as nvidia-smi prints it; GPUs without a link of their own are SYS or PHB apart.
  const Topology dgx1 = preset("dgx-1-v100");
  const auto gpus = dgx1.all(DeviceKind::gpu);
  const char* first_row[] = {"X", "NV1", "NV1", "NV2", "NV2", "SYS", "SYS", "SYS"};
  const char* third_row[] = {"NV1", "NV2", "X", "NV2", "SYS", "SYS", "NV1", "SYS"};
  for (std::size_t i = 0; i < 8; ++i) {
    CHECK(find_path(dgx1, gpus[0], gpus[i]).label() == first_row[i]);
    CHECK(find_path(dgx1, gpus[2], gpus[i]).label() == third_row[i]);
  }
  const Topology a100 = preset("dgx-a100");
  CHECK(a100.device(a100.find("gpu0")).numa_node == 3);
  CHECK(nearest_nics(a100, a100.find("gpu2")).nics.size() == 2);
  CHECK(nearest_nics(a100, a100.find("gpu2")).path == PathClass::pix);
}

TEST_CASE("presets survive the project's JSON, and NCCL XML keeps their GPUs and links") {
  for (const Preset& each : presets()) {
    CAPTURE(std::string(each.name));
    const Topology topology = preset(each.name);
    CHECK(deserialise(serialise(topology)) == topology);
    const Topology again = from_text(to_nccl_xml(topology), "again");
    const auto gpus = again.all(DeviceKind::gpu);
    REQUIRE(gpus.size() == topology.all(DeviceKind::gpu).size());
    CHECK(find_path(again, gpus[0], gpus[1]).label() ==
          find_path(topology, topology.all(DeviceKind::gpu)[0], topology.all(DeviceKind::gpu)[1]).label());
  }
}

TEST_CASE("a name is a preset unless a file has it") {
  CHECK(from_file_or_preset("preset:dgx-h100") == preset("dgx-h100"));
  CHECK(from_file_or_preset("dgx-h100") == preset("dgx-h100"));
  CHECK_THROWS_WITH(from_file_or_preset("dgx-h10"), contains("neither a file nor a preset") && contains("dgx-h100"));
  CHECK_THROWS_WITH(from_file_or_preset("preset:nothing"), contains("there is no preset 'nothing'"));
}

TEST_CASE("the link table says each number once, one way and both") {
  const auto named = [](std::string_view name) {
    const auto table = link_table();
    const auto found = std::find_if(table.begin(), table.end(), [&](const LinkFacts& l) { return l.name == name; });
    REQUIRE(found != table.end());
    return *found;
  };
  CHECK(named("NVLink 2").total_both_ways() == 300);
  CHECK(named("NVLink 3").total_both_ways() == 600);
  CHECK(named("NVLink 4").total_one_way() == 450);
  CHECK(named("NVLink 4").total_both_ways() == 900);
  CHECK(named("NVLink 5").total_both_ways() == 1800);
  CHECK(named("PCIe 5").total_one_way() == Approx(63.0).epsilon(0.001));
  CHECK(named("XDR").one_way == 100);
  CHECK(named("800 GbE").one_way == 100);
  for (const LinkFacts& link : link_table()) {
    CAPTURE(std::string(link.name));
    CHECK(!link.source.empty());
    CHECK(link.reached < link.one_way);
  }
  for (const GpuFacts& gpu : gpu_table())
    CHECK((gpu.gigabytes > 0 && gpu.bandwidth > gpu.gigabytes && !gpu.source.empty()));
  const auto text = links_text();
  CHECK_THAT(text, contains("NVLink 5") && contains("1800") && contains("[1]"));
  CHECK_THAT(links_json(), contains("\"total_both_ways\": 900"));
}
