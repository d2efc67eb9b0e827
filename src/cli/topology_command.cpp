#include "cli/topology_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <utility>

#include "cli/topology_lists.hpp"
#include "topology/pci_id.hpp"
#include "tutti/base/error.hpp"
#include "tutti/topology/cluster_file.hpp"
#include "tutti/topology/combine.hpp"
#include "tutti/topology/preset_clusters.hpp"
#include "tutti/topology/presets.hpp"
#include "tutti/topology/read.hpp"

namespace tutti::cli {

namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

Topology read(const std::vector<std::string>& files, bool even_if_different) {
  if (files.empty()) return this_machine();
  std::vector<Topology> sources;
  for (const auto& file : files) sources.push_back(from_file_or_preset(file));
  return sources.size() == 1 ? sources.front() : combine(sources, even_if_different);
}

Topology with_bus_ids(const Topology& topology, const std::map<std::string, std::string>& bus_ids) {
  TopologyParts parts = topology.parts();
  for (const auto& [name, bus] : bus_ids) {
    const auto device = std::find_if(parts.devices.begin(), parts.devices.end(),
                                     [&, wanted = lower(name)](const Device& d) { return lower(d.name) == wanted; });
    if (device == parts.devices.end()) {
      throw Error(Code::invalid_argument, fmt::format("--bus-ids: {} has no device {}", topology.name(), name),
                  {.remedy = "the text form lists the names"});
    }
    device->pci = bus;
  }
  return Topology(std::move(parts));
}

struct Given {
  std::vector<std::string> files{};
  std::string format = "text";
  std::string bus_ids{};
  std::string before{};
  std::string after{};
  bool even_if_different = false;
  bool presets = false;
  bool links = false;
};

}  // namespace

std::map<std::string, std::string> parse_bus_ids(const std::string& text) {
  std::map<std::string, std::string> bus_ids;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find(',', at), text.size());
    const auto pair = text.substr(at, end - at);
    at = end + 1;
    const auto equals = pair.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == pair.size()) {
      throw Error(Code::invalid_argument, fmt::format("--bus-ids: \"{}\" is no pair of a name and a bus id", pair),
                  {.remedy = "write gpu0=0000:1b:00.0,gpu1=…"});
    }
    const auto bus = normal_pci(pair.substr(equals + 1));
    if (!pci_number(bus)) {
      throw Error(Code::invalid_argument, fmt::format("--bus-ids: \"{}\" is no PCI bus id", pair.substr(equals + 1)),
                  {.remedy = "write domain:bus:device.function, as in gpu0=0000:1b:00.0"});
    }
    const bool used = std::any_of(bus_ids.begin(), bus_ids.end(), [&](const auto& one) { return one.second == bus; });
    if (used || !bus_ids.emplace(pair.substr(0, equals), bus).second) {
      throw Error(Code::invalid_argument,
                  fmt::format("--bus-ids: \"{}\" comes after another of that name or bus id", pair),
                  {.remedy = "name each device, and each bus id, once"});
    }
  }
  return bus_ids;
}

int topology_command(const TopologyArguments& arguments, std::ostream& out) {
  if (arguments.files.size() == 1 && find_cluster_preset(arguments.files.front()) &&
      (arguments.format == TopologyFormat::text || arguments.format == TopologyFormat::json)) {
    const Cluster cluster = preset_cluster(arguments.files.front());
    out << (arguments.format == TopologyFormat::json ? to_json(cluster) + "\n"
                                                     : cluster_text(cluster) + preset_sources(cluster.name()));
    return 0;
  }
  Topology topology = read(arguments.files, arguments.even_if_different);
  if (!arguments.bus_ids.empty()) topology = with_bus_ids(topology, arguments.bus_ids);
  out << write(topology, arguments.format);
  if (arguments.format == TopologyFormat::text && topology.source() == "preset") out << preset_sources(topology.name());
  return 0;
}

int topology_diff(const std::string& before, const std::string& after, std::ostream& out) {
  const auto lines = differences(from_file_or_preset(before), from_file_or_preset(after));
  for (const auto& line : lines) out << line << '\n';
  return lines.empty() ? 0 : 1;
}

void add_topology_command(CLI::App& app, int& status) {
  const auto given = std::make_shared<Given>();
  CLI::App* show = app.add_subcommand("topology", "This machine, or one described by files: devices, links, paths");
  show->add_option("FILE", given->files,
                   "What describes the machine, of any kind that is known, or the name of a preset; several "
                   "sources of one machine are put together; - is standard input; none: this machine");
  show->add_option("--format", given->format, fmt::format("One of {}", fmt::join(topology_format_names, ", ")))
      ->capture_default_str();
  show->add_option("--bus-ids", given->bus_ids, "PCI bus ids that the files lack: gpu0=0000:1b:00.0,gpu1=…");
  show->add_flag("--even-if-different", given->even_if_different,
                 "Put sources together that plainly are of different machines");
  show->add_flag("--presets", given->presets, "The machines that are known by name (text or json)");
  show->add_flag("--links", given->links, "What links and GPU memories carry, with sources (text or json)");
  CLI::App* compare =
      show->add_subcommand("diff", "What is different between two machines; exit status 1 if anything is");
  compare->add_option("BEFORE", given->before, "A file, as above")->required();
  compare->add_option("AFTER", given->after, "Another")->required();
  show->callback([given, compare, &status] {
    if (compare->parsed()) {
      status = topology_diff(given->before, given->after, std::cout);
      return;
    }
    const auto format = topology_format_named(given->format);
    if (!format) {
      throw Error(Code::invalid_argument, fmt::format("--format {} is none of the forms", given->format),
                  {.remedy = fmt::format("use one of {}", fmt::join(topology_format_names, ", "))});
    }
    if (given->presets || given->links) {
      status = topology_lists(given->presets, given->links, *format, std::cout);
      return;
    }
    status = topology_command({.files = given->files,
                               .format = *format,
                               .even_if_different = given->even_if_different,
                               .bus_ids = parse_bus_ids(given->bus_ids)},
                              std::cout);
  });
}

}  // namespace tutti::cli
