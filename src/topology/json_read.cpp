/// @file  A topology from JSON. What is not understood is refused by its place in the text.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "topology/json_cursor.hpp"
#include "topology/json_read.hpp"
#include "topology/pci_id.hpp"
#include "topology/reader.hpp"
#include "topology/text.hpp"

namespace tutti {

namespace {

using Json = nlohmann::json;

constexpr const char* schema = "docs/schema/topology.schema.json";

HostFacts read_host(const JsonCursor& at) {
  HostFacts host;
  at.into("host", host.host);
  at.into("id", host.id);
  at.into("architecture", host.architecture);
  at.into("cpu_vendor", host.cpu_vendor);
  at.into("cpu_model", host.cpu_model);
  at.into("cpu_family", host.cpu_family);
  at.into("cpu_model_number", host.cpu_model_number);
  at.into("packages", host.packages);
  at.into("cores", host.cores);
  at.into("cpus", host.cpus);
  at.into("allowed_cpus", host.allowed_cpus);
  at.into("memory_bytes", host.memory_bytes);
  at.into("l1_bytes", host.l1_bytes);
  at.into("l2_bytes", host.l2_bytes);
  at.into("l3_bytes", host.l3_bytes);
  at.into("cpus_per_l3", host.cpus_per_l3);
  at.each("numa_nodes", [&](const JsonCursor& entry) {
    NumaNode node;
    entry.into("index", node.index);
    entry.into("package", node.package);
    entry.into("cpus", node.cpus);
    entry.into("memory_bytes", node.memory_bytes);
    host.numa_nodes.push_back(std::move(node));
  });
  return host;
}

Device read_device(const JsonCursor& at, int expected_id) {
  Device device;
  device.id = expected_id;
  at.into("id", device.id);
  device.kind = at.one_of<DeviceKind>("kind", device_kind_named, "kind of device");
  at.into("name", device.name);
  at.into("model", device.model);
  at.with("pci", [&](const JsonCursor& pci) {
    device.pci = pci.as<std::string>();
    if (!device.pci.empty() && !pci_number(device.pci)) {
      pci.refuse(fmt::format("\"{}\" is no bus id such as 0000:1b:00.0", shown(device.pci, 40)));
    }
  });
  at.into("numa_node", device.numa_node);
  at.into("host", device.host);
  at.into("index", device.index);
  at.into("rank", device.rank);
  at.with("attributes", [&](const JsonCursor& attributes) {
    if (!attributes.value.is_object()) attributes.expected("an object");
    for (const auto& [key, value] : attributes.value.items()) {
      device.attributes[key] =
          JsonCursor{value, fmt::format("{}.{}", attributes.place, key), attributes.schema}.as<std::string>();
    }
  });
  return device;
}

Link read_link(const JsonCursor& at) {
  Link link;
  link.kind = at.one_of<LinkKind>("kind", link_kind_named, "kind of link");
  link.from = link.to = -1;
  at.into("from", link.from);
  at.into("to", link.to);
  at.into("one_way", link.one_way);
  at.into("count", link.count);
  at.into("count_possible", link.count_possible);
  std::vector<std::string> assumed;
  at.each("assumed", [&](const JsonCursor& name) { assumed.push_back(name.as<std::string>()); });
  const auto quantity = [&](const char* key, Quantity& target) {
    at.with(key, [&](const JsonCursor& number) {
      const bool guess = std::find(assumed.begin(), assumed.end(), key) != assumed.end();
      target = {number.as<double>(), guess ? Origin::assumed : Origin::read};
    });
  };
  quantity("bandwidth_GBs", link.bandwidth);
  quantity("rated_GBs", link.rated);
  quantity("latency_us", link.latency);
  quantity("lanes", link.lanes);
  quantity("speed_GTs", link.speed);
  quantity("lanes_possible", link.lanes_possible);
  quantity("speed_possible_GTs", link.speed_possible);
  return link;
}

}  // namespace

Topology from_json(const JsonCursor& root) {
  std::string format;
  int version = 0;
  root.into("format", format);
  root.into("version", version);
  if (format != "tutti-topology") root.refuse("expected \"format\": \"tutti-topology\"");
  if (version != 1) root.refuse(fmt::format("this is version {} of the form; 1 is understood", version));
  TopologyParts parts;
  root.into("name", parts.name);
  root.into("source", parts.source);
  root.each("hosts", [&](const JsonCursor& at) { parts.hosts.push_back(read_host(at)); });
  root.each("devices", [&](const JsonCursor& at) {
    parts.devices.push_back(read_device(at, static_cast<int>(parts.devices.size())));
  });
  root.each("links", [&](const JsonCursor& at) { parts.links.push_back(read_link(at)); });
  root.each("stated", [&](const JsonCursor& at) {
    StatedPath path{.from = -1, .to = -1};
    at.into("from", path.from);
    at.into("to", path.to);
    path.path = at.one_of<PathClass>("path", path_class_named, "class of path");
    parts.stated.push_back(path);
  });
  root.each("notes", [&](const JsonCursor& at) { parts.notes.push_back(at.as<std::string>()); });
  const std::string own = std::exchange(parts.name, root.place);  // for the messages of the checks
  Topology checked(parts);
  if (own == root.place) return checked;
  parts.name = own;
  return Topology(std::move(parts));
}

namespace {
Topology from_json_text(std::string_view text, const std::string& name) {
  const Json json = parse_json(text, name, schema);
  return from_json(JsonCursor{json, name, schema});
}
}  // namespace

const Reader tutti_json_reader{.kind = "tutti-json",
                               .what = "tutti topology JSON",
                               .recognises =
                                   [](std::string_view text) {
                                     if (is_json_of(text, "tutti-topology")) return true;
                                     const bool quotes_a_matrix = text.find("\\tGPU") != std::string_view::npos;
                                     return trim(text.substr(0, 4096)).starts_with('{') && !quotes_a_matrix;
                                   },
                               .read = from_json_text};

Topology deserialise(std::string_view text) { return from_json_text(text, "serialised topology"); }

}  // namespace tutti
