/// @file  A topology from JSON. What is not understood is refused by its place in the text.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

#include "topology/cpu_list.hpp"
#include "topology/reader.hpp"
#include "topology/text.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

namespace {

using Json = nlohmann::json;

constexpr std::size_t max_bytes = std::size_t{64} << 20;
constexpr std::size_t max_values = 4'000'000;  // of all kinds, so that a small text cannot fill the memory
constexpr int max_depth = 8;

[[noreturn]] void refuse(const std::string& place, const std::string& why) {
  throw Error(Code::invalid_argument, fmt::format("{}: {}", place, why),
              {.remedy = "docs/schema/topology.schema.json describes the form"});
}

/// One JSON value together with where it stands, "file: devices[3].pci", for messages.
struct Cursor {
  const Json& value;
  std::string place;

  [[noreturn]] void expected(const char* what) const {
    refuse(place, fmt::format("expected {}, found {}", what, value.type_name()));
  }

  template <class T>
  T as() const {
    if constexpr (std::is_same_v<T, std::string>) {
      if (!value.is_string()) expected("a text");
      return value.get<std::string>();
    } else if constexpr (std::is_same_v<T, bool>) {
      if (!value.is_boolean()) expected("true or false");
      return value.get<bool>();
    } else if constexpr (std::is_floating_point_v<T>) {
      if (!value.is_number()) expected("a number");
      return value.get<T>();
    } else {
      if (!value.is_number_integer()) expected("a whole number");
      const bool fits = value.is_number_unsigned() ? std::in_range<T>(value.get<std::uint64_t>())
                                                   : std::in_range<T>(value.get<std::int64_t>());
      if (!fits) refuse(place, fmt::format("{} is out of range", value.dump()));
      return value.get<T>();
    }
  }

  template <class Visit>
  void with(const char* key, Visit&& visit) const {
    if (!value.is_object()) expected("an object");
    if (const auto at = value.find(key); at != value.end()) visit(Cursor{*at, fmt::format("{}.{}", place, key)});
  }
  template <class T>
  void into(const char* key, T& target) const {
    with(key, [&](const Cursor& at) { target = at.as<T>(); });
  }
  template <class Visit>
  void each(const char* key, Visit&& visit) const {
    with(key, [&](const Cursor& list) {
      if (!list.value.is_array()) list.expected("a list");
      for (std::size_t i = 0; i < list.value.size(); ++i) {
        visit(Cursor{list.value[i], fmt::format("{}[{}]", list.place, i)});
      }
    });
  }
  void into(const char* key, std::vector<int>& cpus) const {
    with(key, [&](const Cursor& at) {
      auto list = parse_cpu_list(at.as<std::string>());
      if (!list) refuse(at.place, fmt::format("\"{}\" is no list of CPUs such as \"0-3,8\"", at.as<std::string>()));
      cpus = std::move(*list);
    });
  }
  template <class Enum, class Named>
  Enum one_of(const char* key, Named&& named, const char* what) const {
    std::optional<Enum> found;
    with(key, [&](const Cursor& at) {
      found = named(at.as<std::string>());
      if (!found) refuse(at.place, fmt::format("\"{}\" is no {}", at.as<std::string>(), what));
    });
    if (!found) refuse(place, fmt::format("\"{}\" is missing", key));
    return *found;
  }
};

HostFacts read_host(const Cursor& at) {
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
  at.each("numa_nodes", [&](const Cursor& entry) {
    NumaNode node;
    entry.into("index", node.index);
    entry.into("package", node.package);
    entry.into("cpus", node.cpus);
    entry.into("memory_bytes", node.memory_bytes);
    host.numa_nodes.push_back(std::move(node));
  });
  return host;
}

Device read_device(const Cursor& at, int expected_id) {
  Device device;
  device.id = expected_id;
  at.into("id", device.id);
  device.kind = at.one_of<DeviceKind>("kind", device_kind_named, "kind of device");
  at.into("name", device.name);
  at.into("model", device.model);
  at.into("pci", device.pci);
  at.into("numa_node", device.numa_node);
  at.into("host", device.host);
  at.into("index", device.index);
  at.into("rank", device.rank);
  at.with("attributes", [&](const Cursor& attributes) {
    if (!attributes.value.is_object()) attributes.expected("an object");
    for (const auto& [key, value] : attributes.value.items()) {
      device.attributes[key] = Cursor{value, fmt::format("{}.{}", attributes.place, key)}.as<std::string>();
    }
  });
  return device;
}

Link read_link(const Cursor& at) {
  Link link;
  link.kind = at.one_of<LinkKind>("kind", link_kind_named, "kind of link");
  link.from = link.to = -1;
  at.into("from", link.from);
  at.into("to", link.to);
  at.into("one_way", link.one_way);
  at.into("count", link.count);
  at.into("count_possible", link.count_possible);
  std::vector<std::string> assumed;
  at.each("assumed", [&](const Cursor& name) { assumed.push_back(name.as<std::string>()); });
  const auto quantity = [&](const char* key, Quantity& target) {
    at.with(key, [&](const Cursor& number) {
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

Json parsed(std::string_view text, const std::string& name) {
  if (text.size() > max_bytes) refuse(name, fmt::format("is longer than {} MiB", max_bytes >> 20));
  std::size_t values = 0;
  try {
    return Json::parse(text, [&](int depth, Json::parse_event_t, Json&) {
      if (depth > max_depth) refuse(name, fmt::format("is nested deeper than {} levels", max_depth));
      if (++values > max_values) refuse(name, fmt::format("has more than {} values", max_values));
      return true;
    });
  } catch (const Json::parse_error& error) {
    const auto end = std::min(error.byte == 0 ? 0 : error.byte - 1, text.size());
    const auto start = text.substr(0, end).rfind('\n');
    const auto column = start == std::string_view::npos ? end + 1 : end - start;
    std::string why = error.what();
    if (const auto colon = why.rfind(": "); colon != std::string::npos) why = why.substr(colon + 2);
    refuse(fmt::format("{}:{}:{}", name, line_at(text, end), column), fmt::format("this is no JSON: {}", why));
  }
}

}  // namespace

Topology from_json(std::string_view text, const std::string& name) {
  const Json json = parsed(text, name);
  const Cursor root{json, name};
  std::string format;
  int version = 0;
  root.into("format", format);
  root.into("version", version);
  if (format != "tutti-topology") refuse(name, "expected \"format\": \"tutti-topology\"");
  if (version != 1) refuse(name, fmt::format("this is version {} of the form; 1 is understood", version));
  TopologyParts parts;
  root.into("name", parts.name);
  root.into("source", parts.source);
  root.each("hosts", [&](const Cursor& at) { parts.hosts.push_back(read_host(at)); });
  root.each("devices", [&](const Cursor& at) {
    parts.devices.push_back(read_device(at, static_cast<int>(parts.devices.size())));
  });
  root.each("links", [&](const Cursor& at) { parts.links.push_back(read_link(at)); });
  root.each("stated", [&](const Cursor& at) {
    StatedPath path{.from = -1, .to = -1};
    at.into("from", path.from);
    at.into("to", path.to);
    path.path = at.one_of<PathClass>("path", path_class_named, "class of path");
    parts.stated.push_back(path);
  });
  root.each("notes", [&](const Cursor& at) { parts.notes.push_back(at.as<std::string>()); });
  return Topology(std::move(parts));
}

const Reader tutti_json_reader{
    .kind = "tutti-json",
    .what = "tutti topology JSON",
    .recognises = [](std::string_view text) { return trim(text.substr(0, 4096)).starts_with('{'); },
    .read = from_json};

Topology deserialise(std::string_view text) { return from_json(text, "serialised topology"); }

}  // namespace tutti
