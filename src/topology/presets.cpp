#include "tutti/topology/presets.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "base/nearest.hpp"
#include "topology/preset_list.hpp"
#include "topology/text.hpp"
#include "tutti/base/error.hpp"
#include "tutti/topology/preset_clusters.hpp"
#include "tutti/topology/read.hpp"

namespace tutti {

namespace {

const PresetEntry* machine_entry(std::string_view name) {
  for (const PresetEntry& candidate : preset_list()) {
    if (same_but_case(candidate.preset.name, name) ||
        (!candidate.other_name.empty() && same_but_case(candidate.other_name, name))) {
      return &candidate;
    }
  }
  return nullptr;
}

std::string_view nearest_preset(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Preset& candidate : presets()) names.push_back(candidate.name);
  return nearest(name, names);
}

}  // namespace

std::span<const Preset> presets() {
  static const std::vector<Preset> all = [] {
    std::vector<Preset> list;
    for (const PresetEntry& candidate : preset_list()) list.push_back(candidate.preset);
    return list;
  }();
  return all;
}

const Preset* find_preset(std::string_view name) {
  const PresetEntry* found = machine_entry(name);
  return found ? &found->preset : nullptr;
}

Topology preset(std::string_view name) {
  if (const PresetEntry* found = machine_entry(name)) return topology_of(found->machine);
  throw Error(Code::invalid_argument, fmt::format("there is no preset '{}'", name),
              {.remedy = fmt::format("did you mean '{}'? `tutti topology --presets` lists all", nearest_preset(name))});
}

Topology from_file_or_preset(const std::string& name) {
  constexpr std::string_view prefix = "preset:";
  if (name.empty()) {
    throw Error(Code::invalid_argument, "the name of a file or preset is empty",
                {.remedy = "a shell variable may be unset"});
  }
  if (name.starts_with(prefix)) return preset(std::string_view(name).substr(prefix.size()));
  std::error_code error;
  if (name == "-" || std::filesystem::exists(name, error)) return from_file(name);
  if (find_preset(name)) return preset(name);
  if (const Preset* cluster = find_cluster_preset(name)) {
    throw Error(Code::invalid_argument, fmt::format("{} is a cluster; one machine is expected here", cluster->name),
                {.remedy = fmt::format("its machine is '{}'", preset_cluster(name).groups().front().machine)});
  }
  throw Error(Code::invalid_argument, fmt::format("{} is neither a file nor a preset", name),
              {.remedy = fmt::format("the nearest preset is '{}'; `tutti topology --presets` lists all",
                                     nearest_preset(name))});
}

}  // namespace tutti
