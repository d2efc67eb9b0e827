#include "cli/place_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <array>
#include <charconv>
#include <iostream>
#include <map>
#include <memory>
#include <optional>

#include "cli/cluster_named.hpp"
#include "cli/place_formats.hpp"
#include "topology/host_list.hpp"
#include "tutti/base/error.hpp"

namespace tutti::cli {

namespace {

constexpr std::array<std::string_view, 6> formats{"text", "json", "rankfile", "hostfile", "srun", "numactl"};

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

}  // namespace

std::vector<std::int64_t> parse_allocation(const Cluster& cluster, const std::string& text) {
  std::vector<std::int64_t> nodes;
  std::map<std::string, std::int64_t, std::less<>> by_name;
  const auto take = [&](const std::string& name) {
    const auto dash = name.find('-');
    const auto first = whole_number(std::string_view(name).substr(0, dash));
    const auto last = dash == std::string::npos ? first : whole_number(std::string_view(name).substr(dash + 1));
    if (first && last && *first <= *last && *last < Cluster::max_nodes) {
      for (auto node = *first; node <= *last; ++node) nodes.push_back(node);
      return;
    }
    if (by_name.empty()) {
      for (const auto& known : plan::node_names(cluster)) {
        by_name.emplace(known, static_cast<std::int64_t>(by_name.size()));
      }
    }
    const auto found = by_name.find(name);
    if (found == by_name.end()) {
      throw Error(Code::invalid_argument, fmt::format("--allocation: {} has no node '{}'", cluster.name(), name),
                  {.remedy = fmt::format("its nodes are {} to {}, or 0 to {}", by_name.begin()->first,
                                         by_name.rbegin()->first, cluster.node_count() - 1)});
    }
    nodes.push_back(found->second);
  };
  if (!for_each_host(text, take)) {
    throw Error(Code::invalid_argument, fmt::format("--allocation: '{}' is no list of nodes", text),
                {.remedy = "write 0-3,64 or n[01-04,64]; without --allocation it is all nodes"});
  }
  return nodes;
}

int place_command(const PlaceArguments& arguments, std::ostream& out) {
  if (std::find(formats.begin(), formats.end(), arguments.format) == formats.end()) {
    throw Error(Code::invalid_argument, fmt::format("--format {} is none of the forms", arguments.format),
                {.remedy = fmt::format("use one of {}", fmt::join(formats, ", "))});
  }
  const Cluster cluster = cluster_named(arguments.cluster, arguments.nodes);
  const auto nodes =
      arguments.allocation ? parse_allocation(cluster, *arguments.allocation) : std::vector<std::int64_t>{};
  const auto placement = plan::place_job(cluster, nodes, arguments.ranks_per_node);
  if (arguments.format == "json") {
    out << place_json(cluster, placement);
  } else if (arguments.format == "rankfile") {
    out << place_rankfile(placement);
  } else if (arguments.format == "hostfile") {
    out << place_hostfile(placement);
  } else if (arguments.format == "srun") {
    out << place_srun(cluster, placement);
  } else if (arguments.format == "numactl") {
    out << place_numactl(cluster, placement);
  } else {
    out << place_text(cluster, placement);
  }
  return 0;
}

void add_place_command(CLI::App& app, int& status) {
  const auto arguments = std::make_shared<PlaceArguments>();
  CLI::App* place = app.add_subcommand("place", "Which rank goes where on a cluster, and in which order");
  place
      ->add_option("CLUSTER", arguments->cluster,
                   "A cluster or a machine: a file of any kind that is known, or a preset")
      ->required();
  place->add_option("--nodes", arguments->nodes, "So many nodes of a preset or machine")
      ->check(CLI::Range(std::int64_t{1}, Cluster::max_nodes));
  place->add_option("--allocation", arguments->allocation,
                    "The nodes that the scheduler gave, in its order: 0-3,64 or n[01-04,64]");
  place->add_option("--ranks-per-node", arguments->ranks_per_node, "In place of one for each GPU");
  place->add_option("--format", arguments->format, fmt::format("One of {}", fmt::join(formats, ", ")))
      ->capture_default_str();
  place->callback([arguments, &status] { status = place_command(*arguments, std::cout); });
}

}  // namespace tutti::cli
