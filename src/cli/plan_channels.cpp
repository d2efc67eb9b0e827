#include "cli/plan_channels.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "cli/name_list.hpp"
#include "plan/channels/write.hpp"
#include "tutti/base/error.hpp"
#include "tutti/topology/copies.hpp"
#include "tutti/topology/presets.hpp"
#include "tutti/topology/read.hpp"

namespace tutti::cli {

namespace {

const std::vector<Collective>& ring_and_tree_collectives() {
  static const std::vector<Collective> all{Collective::all_reduce, Collective::reduce_scatter, Collective::all_gather,
                                           Collective::broadcast, Collective::reduce};
  return all;
}

}  // namespace

int plan_channels_command(const ChannelArguments& arguments, std::ostream& out) {
  if (arguments.format != "text" && arguments.format != "json" && arguments.format != "graph-xml") {
    throw Error(Code::invalid_argument, fmt::format("--format {} is none of the forms", arguments.format),
                {.remedy = "use text, json or graph-xml"});
  }
  const Topology machine = arguments.machine.empty() ? this_machine() : from_file_or_preset(arguments.machine);
  const Topology topology = copies(machine, arguments.nodes);
  const auto channels = plan::plan_channels(topology);
  const auto proof = plan::prove_channels(topology, channels);
  if (arguments.format == "json") {
    out << plan::channels_json(topology, channels, proof, arguments.collectives);
  } else if (arguments.format == "graph-xml" && channels.why_none.empty()) {
    out << plan::channels_graph_xml(topology, channels);
  } else if (arguments.format == "graph-xml") {
    throw Error(Code::unsupported, fmt::format("{}: no ring is possible: {}", topology.name(), channels.why_none));
  } else {
    out << plan::channels_text(topology, channels, proof, arguments.collectives);
  }
  return channels.why_none.empty() && proof ? 0 : 1;
}

void add_plan_channels_command(CLI::App& plan, int& status) {
  struct Given {
    ChannelArguments arguments{};
    std::string collectives = "all";
  };
  const auto given = std::make_shared<Given>();
  CLI::App* channels =
      plan.add_subcommand("channels", "Rings and trees over a machine's links, with bandwidth and proof");
  channels->add_option(
      "FILE", given->arguments.machine,
      "What describes the machine, of any kind that is known, or the name of a preset; none: this one");
  channels->add_option("--collective", given->collectives, "Whose bandwidth: a list, or all")->capture_default_str();
  channels->add_option("--format", given->arguments.format, "One of text, json, graph-xml (for NCCL_GRAPH_FILE)")
      ->capture_default_str();
  channels->add_option("--nodes", given->arguments.nodes, "So many machines of this kind, joined by one switch")
      ->capture_default_str();
  channels->callback([given, &status] {
    const auto& all = ring_and_tree_collectives();
    given->arguments.collectives = values_of_list(
        "collective of rings or trees", given->collectives, all, names_of(all), [&](std::string_view text) {
          const auto found = collective_named(text);
          return found && std::find(all.begin(), all.end(), *found) != all.end() ? found : std::nullopt;
        });
    status = plan_channels_command(given->arguments, std::cout);
  });
}

}  // namespace tutti::cli
