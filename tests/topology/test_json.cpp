#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "contains.hpp"
#include "fixtures.hpp"
#include "tutti/topology/write.hpp"

using namespace tutti;

namespace {

/// Every field with a value of its own.
Topology full() {
  TopologyParts parts;
  parts.name = "a \"name\"";
  parts.source = "test";
  parts.notes = {"odd", "ä"};
  parts.hosts.push_back({.host = "h",
                         .id = "i",
                         .architecture = "x86_64",
                         .cpu_vendor = "v",
                         .cpu_model = "m",
                         .cpu_family = 6,
                         .cpu_model_number = 143,
                         .packages = 2,
                         .cores = 8,
                         .cpus = 16,
                         .allowed_cpus = {0, 1, 2, 9},
                         .numa_nodes = {{.index = 1, .package = 1, .cpus = {4, 5}, .memory_bytes = 1ULL << 40}},
                         .memory_bytes = 3,
                         .l1_bytes = 4,
                         .l2_bytes = 5,
                         .l3_bytes = 6,
                         .cpus_per_l3 = 7});
  parts.add(Device{.kind = DeviceKind::gpu,
                   .name = "gpu0",
                   .model = "big",
                   .pci = "0000:01:00.0",
                   .numa_node = 1,
                   .index = 0,
                   .rank = 3,
                   .attributes = {{"sm", "90"}, {"x", ""}}});
  parts.add(Device{.kind = DeviceKind::nv_switch});
  parts.add(Link{.kind = LinkKind::nvlink,
                 .from = 0,
                 .to = 1,
                 .one_way = true,
                 .count = 18,
                 .bandwidth = Quantity::assumed(370.8),
                 .rated = Quantity::read(450),
                 .latency = Quantity::assumed(0.1 + 0.2),
                 .lanes = Quantity::read(16),
                 .speed = Quantity::assumed(32),
                 .lanes_possible = Quantity::read(16),
                 .speed_possible = Quantity::read(64),
                 .count_possible = 18});
  parts.stated.push_back({.from = 0, .to = 1, .path = PathClass::node});
  return Topology(std::move(parts));
}

std::string with(const char* what) {
  return fmt::format(R"({{"format": "tutti-topology", "version": 1, "hosts": [{{}}], {}}})", what);
}

}  // namespace

TEST_CASE("a topology comes back from our JSON as it was") {
  CHECK(deserialise(serialise(full())) == full());
  CHECK(deserialise(to_json(full(), 2)) == full());
  CHECK(deserialise(serialise(Topology{})) == Topology{});
  CHECK(serialise(full()).find('\n') == std::string::npos);
}

TEST_CASE("our JSON is recognised whatever its notes quote") {
  TopologyParts parts = full().parts();
  parts.notes.push_back("\tGPU0\tGPU1 is not the table that was expected");
  const Topology topology(parts);
  CHECK(from_text(to_json(topology), "f") == topology);
}

TEST_CASE("control characters that JSON brings reach no message and no terminal") {
  const auto plain = [](const std::string& text) {
    return text.find_first_of(std::string_view("\0\x1b\a", 3)) == std::string::npos;
  };
  for (const char* bad : {R"("devices": [{"kind": "\u001b[2J"}])", R"("devices": [{"kind": "gpu", "pci": "\u0000"}])",
                          R"("devices": [{"kind": "gpu", "name": "\u0007", "host": 4}])",
                          R"("devices": [{"kind": "gpu", "attributes": {"\u001b": 1}}])"}) {
    CHECK_FALSE(complaint(with(bad)).empty());
    CHECK(plain(complaint(with(bad))));
  }
  const Topology topology = from_text(with(R"("devices": [{"kind": "gpu", "name": "g\u001b[2J"}, {"kind": "nic",
      "name": "n\u0000"}], "notes": ["\u0007"])"),
                                      "f");
  CHECK(plain(to_text(topology)));
  CHECK(plain(to_matrix(topology)));
  CHECK(plain(to_dot(topology)));
}

TEST_CASE("numbers in JSON are plain, and those that were assumed are named") {
  const auto json = nlohmann::json::parse(to_json(full(), 2));
  CHECK(json["devices"][0]["kind"] == "gpu");
  CHECK(json["links"][0]["rated_GBs"] == 450);
  CHECK(json["links"][0]["assumed"] == nlohmann::json({"bandwidth_GBs", "latency_us", "speed_GTs"}));
}

TEST_CASE("JSON that is no topology is refused by its place") {
  CHECK_THAT(complaint("{\"format\":\n  \"tutti-topology\" x"), contains("f:2:20: this is no JSON"));
  CHECK_THAT(complaint("{"), contains("this is no JSON"));
  CHECK_THAT(complaint("{\n \"a\": 1e999}"), contains("f:2:11: this is no JSON: number overflow"));
  CHECK_THAT(complaint("{}"), contains("expected \"format\": \"tutti-topology\""));
  CHECK_THAT(complaint(R"({"format": "tutti-topology", "version": 2})"), contains("version 2"));
  CHECK_THAT(complaint(R"({"format": 3})"), contains("f.format: expected a text, found 3"));
  CHECK_THAT(complaint(with(R"("devices": 1)")), contains("f.devices: expected a list, found 1"));
  CHECK_THAT(complaint(with(R"("devices": [{"kind": "tree"}])")),
             contains("f.devices[0].kind: \"tree\" is no kind of device"));
  CHECK_THAT(complaint(with(R"("devices": [{}])")), contains("f.devices[0]: \"kind\" is missing"));
  CHECK_THAT(complaint(with(R"("devices": [{"kind": "gpu", "index": 1.5}])")),
             contains("f.devices[0].index: expected a whole number"));
  CHECK_THAT(complaint(with(R"("devices": [{"kind": "gpu", "pci": "0000:0+:00.0"}])")),
             contains("f.devices[0].pci: \"0000:0+:00.0\" is no bus id"));
  CHECK_THAT(complaint(with(R"("devices": [{"kind": "gpu", "index": 99999999999}])")),
             contains("f.devices[0].index: 99999999999 is out of range"));
  CHECK_THAT(complaint(with(R"("devices": [{"kind": "gpu", "attributes": {"sm": 90}}])")),
             contains("f.devices[0].attributes.sm: expected a text"));
  CHECK_THAT(complaint(with(R"("devices": [{"kind": "gpu", "host": 4}])")), contains("is on host 4"));
  CHECK_THAT(complaint(with(R"("links": [{"kind": "pci", "from": 0}])")), contains("link 0 goes from device 0 to -1"));
  CHECK_THAT(complaint(R"({"format": "tutti-topology", "version": 1, "hosts": [{"allowed_cpus": "3-1"}]})"),
             contains("f.hosts[0].allowed_cpus: \"3-1\" is no list of CPUs"));
  CHECK_THAT(complaint(R"({"format": "tutti-topology", "version": 1, "hosts": [{"cores": -9e99}]})"),
             contains("f.hosts[0].cores"));
  CHECK_THAT(complaint(with(R"("name": "mine", "devices": [{"kind": "gpu", "host": 4}])")),
             contains("f: device \"\" is on host 4"));
}

TEST_CASE("numbers of links in JSON are refused where they are below nothing, and are never too large to be written") {
  const auto linked = [](const std::string& number) {
    return with(("\"devices\": [{\"kind\": \"cpu\"}, {\"kind\": \"gpu\", \"pci\": \"0000:01:00.0\"}], \"links\": "
                 "[{\"kind\": \"pci\", \"from\": 0, \"to\": 1, " +
                 number + "}, {\"kind\": \"c2c\", \"from\": 0, \"to\": 1, \"bandwidth_GBs\": 1e300}]")
                    .c_str());
  };
  for (const char* bad :
       {"bandwidth_GBs", "lanes", "lanes_possible", "speed_possible_GTs", "count", "count_possible"}) {
    CHECK_THAT(complaint(linked(fmt::format("\"{}\": -1", bad))), contains("f: link 0 "));
  }
  const Topology topology = from_text(linked("\"lanes\": 1e300"), "f");
  CHECK_THAT(to_nccl_xml(topology), contains("link_width=\"1000000000\""));
}

TEST_CASE("no XML of NCCL is written that lacks a GPU, or that our reader would refuse") {
  for (const char* above : {"switch", "gpu"}) {  // a switch gets a CPU above it, a GPU is above nothing
    const Topology topology = from_text(
        with(fmt::format(R"("devices": [{{"kind": "{}", "pci": "0000:01:00.0"}}, {{"kind": "gpu", "name": "gpu7",
                        "pci": "0000:02:00.0"}}], "links": [{{"kind": "pci", "from": 0, "to": 1}}])",
                         above)
                 .c_str()),
        "f");
    if (std::string_view(above) == "switch") {
      CHECK(from_text(to_nccl_xml(topology), "f").all(DeviceKind::gpu).size() == 1);
    } else {
      CHECK_THROWS_WITH(to_nccl_xml(topology), contains("gpu7 hangs below no CPU"));
    }
  }
  CHECK_THROWS_WITH(to_nccl_xml(Topology{}), contains("no CPU"));
}

TEST_CASE("JSON that would eat the memory is refused while it is read") {
  std::string long_list = "{\"format\": \"tutti-topology\", \"version\": 1, \"devices\": [{}";
  for (int i = 0; i < 300'000; ++i) long_list += ",{}";  // more than a second where building looks back
  CHECK_THAT(complaint(long_list + "]}"), contains("devices[0]: \"kind\" is missing"));
  CHECK_THAT(complaint("{\"a\":" + std::string(1'000'000, '[')), contains("is nested deeper than 10 levels"));
  std::string wide = "{\"a\":[";
  for (int i = 0; i < 4'100'000; ++i) wide += "0,";
  CHECK_THAT(complaint(wide + "0]}"), contains("has more than 4000000 values"));
}
