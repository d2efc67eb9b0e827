/// @file  Our own description of a cluster, read and written.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "topology/cluster_reader.hpp"
#include "topology/json_cursor.hpp"
#include "topology/json_read.hpp"
#include "topology/source_text.hpp"
#include "topology/text.hpp"
#include "tutti/base/error.hpp"
#include "tutti/topology/cluster_file.hpp"
#include "tutti/topology/links.hpp"
#include "tutti/topology/preset_clusters.hpp"
#include "tutti/topology/presets.hpp"
#include "tutti/topology/read.hpp"

namespace tutti {

namespace {

using Json = nlohmann::json;

constexpr std::size_t max_kinds = 4096;
constexpr const char* schema = "docs/schema/cluster.schema.json";

/// A machine by the name of a preset or file; files are looked for beside the document.
Topology machine_named(const JsonCursor& at, const std::string& document) {
  const auto reference = at.as<std::string>();
  if (reference == "-" || reference.empty() || reference.find('\0') != std::string::npos) {
    at.refuse("expected the name of a preset or file");
  }
  if (find_cluster_preset(reference)) {
    at.refuse(fmt::format("{} is a cluster itself; expected one machine", reference));
  }
  const bool known = reference.starts_with("preset:") || find_preset(reference);
  const auto path = std::filesystem::path(document).parent_path() / reference;
  std::error_code error;
  if (!known && std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error)) {
    at.refuse(fmt::format("{} is no file that holds text", shown(path.string(), 200)));  // a device may never end
  }
  try {
    if (known) return from_file_or_preset(reference);
    const auto source = text_of(path);
    const auto text = checked_text(source.text, source.name);
    if (!is_cluster_json(text) && !is_slurm_conf(text)) return from_text(text, source.name);
  } catch (const Error& fault) {
    at.refuse(fault.reason());
  }
  at.refuse("is a cluster itself; expected one machine");
}

NodeGroup read_group(const JsonCursor& at, const std::string& document) {
  at.only({"machine", "count", "hosts"});
  NodeGroup group;
  at.with("machine", [&](const JsonCursor& machine) {
    if (machine.value.is_object()) {
      group.topology = from_json(machine);
      group.machine = group.topology.name();
    } else {
      group.topology = machine_named(machine, document);
      group.machine = machine.as<std::string>();
    }
  });
  group.count = 0;
  at.into("count", group.count);
  at.into("hosts", group.hosts);
  if (!at.value.contains("count")) at.refuse("\"count\" is missing");
  return group;
}

/// GB/s of "NDR", "InfiniBand NDR", "400 GbE" or "RoCE 400"; nothing for a name that is not known.
std::optional<double> network_rate(std::string_view link) {
  for (const LinkFacts& facts : link_table()) {
    if (facts.family != "InfiniBand" && facts.family != "Ethernet") continue;
    const auto speed = facts.name.substr(0, facts.name.find(' '));
    if (link == facts.name || link == fmt::format("{} {}", facts.family, facts.name)) return facts.one_way;
    if (facts.family == "Ethernet" && link == fmt::format("RoCE {}", speed)) return facts.one_way;
  }
  return {};
}

Quantity read_quantity(const JsonCursor& at, const char* key, bool assumed) {
  Quantity quantity;
  at.with(key, [&](const JsonCursor& number) {
    quantity = {number.as<double>(), assumed ? Origin::assumed : Origin::read};
  });
  return quantity;
}

bool is_assumed(const JsonCursor& at, const char* key) {
  bool found = false;
  at.each("assumed", [&](const JsonCursor& name) { found |= name.as<std::string>() == key; });
  return found;
}

FabricTier read_tier(const JsonCursor& at) {
  at.only({"name", "nodes", "ends", "oversubscription", "latency_us", "assumed"});
  FabricTier tier;
  at.into("name", tier.name);
  at.into("nodes", tier.nodes);
  at.each("ends", [&](const JsonCursor& end) { tier.ends.push_back(end.as<std::int64_t>()); });
  at.into("oversubscription", tier.oversubscription);
  tier.latency = read_quantity(at, "latency_us", is_assumed(at, "latency_us"));
  if (!at.value.contains("nodes")) at.refuse("\"nodes\" is missing");
  return tier;
}

Fabric read_fabric(const JsonCursor& at) {
  at.only({"link", "bandwidth_GBs", "latency_us", "rails", "wiring", "tiers", "assumed"});
  Fabric fabric;
  at.into("link", fabric.link);
  fabric.bandwidth = read_quantity(at, "bandwidth_GBs", is_assumed(at, "bandwidth_GBs"));
  fabric.latency = read_quantity(at, "latency_us", is_assumed(at, "latency_us"));
  if (!fabric.bandwidth.known() && !fabric.link.empty()) {
    const auto rate = network_rate(fabric.link);
    if (!rate)
      at.refuse(fmt::format("link \"{}\" is none that is known, so bandwidth_GBs is needed", shown(fabric.link, 40)));
    fabric.bandwidth = Quantity::assumed(*rate);
  }
  at.into("rails", fabric.rails);
  if (at.value.contains("wiring")) {
    fabric.wiring =
        at.one_of<RailWiring>("wiring", rail_wiring_named, "wiring; known are shared, rail-optimised, rail-only");
  }
  at.each("tiers", [&](const JsonCursor& tier) { fabric.tiers.push_back(read_tier(tier)); });
  return fabric;
}

void put(Json& json, const char* key, const Quantity& quantity) {
  if (!quantity.known()) return;
  json[key] = quantity.value;
  if (quantity.is_assumed()) json["assumed"].push_back(key);
}

Json tier_json(const FabricTier& tier) {
  Json json{{"nodes", tier.nodes}};
  if (!tier.name.empty()) json["name"] = tier.name;
  if (!tier.ends.empty()) json["ends"] = tier.ends;
  if (tier.oversubscription != 1) json["oversubscription"] = tier.oversubscription;
  put(json, "latency_us", tier.latency);
  return json;
}

Json fabric_json(const Fabric& fabric) {
  Json json{{"rails", fabric.rails}, {"wiring", name(fabric.wiring)}};
  if (!fabric.link.empty()) json["link"] = fabric.link;
  put(json, "bandwidth_GBs", fabric.bandwidth);
  put(json, "latency_us", fabric.latency);
  for (const FabricTier& tier : fabric.tiers) json["tiers"].push_back(tier_json(tier));
  return json;
}

Json group_json(const NodeGroup& group) {
  Json json{{"count", group.count}};
  const bool named = !group.machine.empty() && group.machine != group.topology.name();
  if (named || (find_preset(group.machine) && preset(group.machine) == group.topology)) {
    json["machine"] = group.machine;
  } else if (!group.topology.empty()) {
    json["machine"] = Json::parse(serialise(group.topology));
  }
  if (!group.hosts.empty()) json["hosts"] = group.hosts;
  return json;
}

}  // namespace

bool is_cluster_json(std::string_view text) { return is_json_of(text, "tutti-cluster"); }

Cluster read_cluster_json(std::string_view text, const std::string& name) {
  const Json json = parse_json(text, name, schema);
  const JsonCursor root{json, name, schema};
  root.only({"format", "version", "name", "nodes", "fabric", "notes"});
  std::string format;
  int version = 0;
  root.into("format", format);
  root.into("version", version);
  if (format != "tutti-cluster") root.refuse("expected \"format\": \"tutti-cluster\"");
  if (version != 1) root.refuse(fmt::format("this is version {} of the form; 1 is understood", version));
  ClusterParts parts{.source = "tutti-cluster"};
  root.with("nodes", [](const JsonCursor& at) {
    if (at.value.size() > max_kinds)
      at.refuse(fmt::format("{} kinds; expected at most {}", at.value.size(), max_kinds));
  });
  root.each("nodes", [&](const JsonCursor& at) { parts.nodes.push_back(read_group(at, name)); });
  root.with("fabric", [&](const JsonCursor& at) { parts.fabric = read_fabric(at); });
  root.each("notes", [&](const JsonCursor& at) { parts.notes.push_back(at.as<std::string>()); });
  parts.name = name;  // for the messages of the checks
  Cluster checked(parts);
  root.into("name", parts.name);
  return parts.name == name ? checked : Cluster(std::move(parts));
}

std::string to_json(const Cluster& cluster, int indent) {
  Json json{{"format", "tutti-cluster"}, {"version", 1}, {"fabric", fabric_json(cluster.fabric())}};
  if (!cluster.name().empty()) json["name"] = cluster.name();
  json["nodes"] = Json::array();
  for (const NodeGroup& group : cluster.groups()) json["nodes"].push_back(group_json(group));
  for (const std::string& note : cluster.notes()) json["notes"].push_back(note);
  return json.dump(indent) + "\n";
}

}  // namespace tutti
