#include "cli/topology_lists.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "tutti/base/error.hpp"
#include "tutti/topology/links.hpp"
#include "tutti/topology/preset_clusters.hpp"
#include "tutti/topology/presets.hpp"

namespace tutti::cli {

namespace {

std::string presets_text() {
  std::string text = "Machines\n";
  for (const Preset& preset : presets()) text += fmt::format("  {:<20} {}\n", preset.name, preset.what);
  text += "\nClusters (of as many nodes as are asked for)\n";
  for (const Preset& preset : cluster_presets()) text += fmt::format("  {:<20} {}\n", preset.name, preset.what);
  return text;
}

std::string presets_json() {
  auto list = nlohmann::ordered_json::array();
  const auto add = [&](const Preset& preset, const char* kind) {
    auto facts = nlohmann::ordered_json::array();
    for (const SourcedFact& fact : preset.facts) facts.push_back({{"what", fact.what}, {"source", fact.source}});
    list.push_back({{"name", preset.name}, {"kind", kind}, {"what", preset.what}, {"facts", std::move(facts)}});
  };
  for (const Preset& preset : presets()) add(preset, "machine");
  for (const Preset& preset : cluster_presets()) add(preset, "cluster");
  return list.dump(2) + "\n";
}

}  // namespace

std::string preset_sources(std::string_view name) {
  const Preset* preset = find_preset(name);
  if (!preset) preset = find_cluster_preset(name);
  if (!preset) return {};
  std::string text = "\nSources:\n";
  for (const SourcedFact& fact : preset->facts) text += fmt::format("  {}\n      {}\n", fact.what, fact.source);
  return text;
}

std::string cluster_text(const Cluster& cluster) {
  const Fabric& fabric = cluster.fabric();
  const auto number = [](const Quantity& value, const char* unit) {
    return value.known() ? fmt::format("{}{:.4g} {}", value.is_assumed() ? "~" : "", value.value, unit) : "not known";
  };
  std::string text = fmt::format("{}: {} nodes, {} GPUs\n", cluster.name(), cluster.node_count(), cluster.gpu_count());
  for (const NodeGroup& group : cluster.groups()) text += fmt::format("  {} of {}\n", group.count, group.machine);
  text += fmt::format("  {} rails of {}, {} each, {}, {} from adapter to adapter\n\n", fabric.rails, fabric.link,
                      number(fabric.bandwidth, "GB/s"), name(fabric.wiring), number(fabric.latency, "us"));
  text += fmt::format("  {:<12} {:>7} {:>17} {:>16} {:>14}\n", "tier", "nodes", "oversubscription", "rail keeps",
                      "latency");
  for (std::size_t i = 0; i < fabric.tiers.size(); ++i) {
    const FabricTier& tier = fabric.tiers[i];
    text += fmt::format("  {:<12} {:>7} {:>15}:1 {:>16} {:>14}\n", tier.name, tier.nodes, tier.oversubscription,
                        number(cluster.bandwidth_through(static_cast<int>(i)), "GB/s"),
                        number(cluster.latency_through(static_cast<int>(i)), "us"));
  }
  for (const auto& note : cluster.notes()) text += "  " + note + "\n";
  return text;
}

int topology_lists(bool presets, bool links, TopologyFormat format, std::ostream& out) {
  const bool json = format == TopologyFormat::json;
  if (!json && format != TopologyFormat::text) {
    throw Error(Code::invalid_argument, "--presets and --links are lists, not machines",
                {.remedy = "use --format text or json"});
  }
  if (json && presets && links) {
    throw Error(Code::invalid_argument, "--presets and --links are two JSON documents", {.remedy = "ask for one"});
  }
  if (presets) out << (json ? presets_json() : presets_text());
  if (presets && links) out << '\n';
  if (links) out << (json ? links_json() : links_text());
  return 0;
}

}  // namespace tutti::cli
