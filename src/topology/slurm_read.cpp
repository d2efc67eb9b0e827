/// @file  Slurm's topology.conf as a cluster: its nodes in the order of the switches, and a tier for each level.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "topology/cluster_reader.hpp"
#include "topology/slurm_conf.hpp"
#include "topology/text.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

namespace {

constexpr std::array<const char*, 3> tier_names{"leaf", "spine", "core"};

/// The switches above each one that has nodes, itself first.
std::vector<std::vector<int>> ways_up(const SlurmTree& tree) {
  std::vector<std::vector<int>> ways;
  for (std::size_t i = 0; i < tree.switches.size(); ++i) {
    if (tree.switches[i].count == 0) continue;
    auto& way = ways.emplace_back();
    for (int at = static_cast<int>(i); at >= 0; at = tree.switches[static_cast<std::size_t>(at)].parent)
      way.push_back(at);
  }
  return ways;
}

/// Where groups end, as one size where all are equal.
FabricTier tier_of(std::vector<std::int64_t> ends, std::string name) {
  FabricTier tier{.name = std::move(name)};
  bool equal = true;
  std::int64_t begin = 0;
  for (const auto end : ends) {
    tier.nodes = std::max(tier.nodes, end - begin);
    equal &= end - begin == ends.front() || (end == ends.back() && end - begin <= ends.front());
    begin = end;
  }
  if (!equal) tier.ends = std::move(ends);
  return tier;
}

std::vector<FabricTier> tiers_of_switches(const SlurmTree& tree) {
  const auto ways = ways_up(tree);
  std::size_t height = 0;
  for (const auto& way : ways) height = std::max(height, way.size());
  std::vector<FabricTier> tiers;
  for (std::size_t level = 0; level < height; ++level) {
    std::vector<std::int64_t> ends;
    std::int64_t node = 0;
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const auto above = [&](const std::vector<int>& way) { return way[std::min(level, way.size() - 1)]; };
      node += tree.switches[static_cast<std::size_t>(ways[i].front())].count;
      if (i + 1 == ways.size() || above(ways[i]) != above(ways[i + 1])) ends.push_back(node);
    }
    tiers.push_back(
        tier_of(std::move(ends), level < tier_names.size() ? tier_names[level] : fmt::format("tier {}", level)));
  }
  return tiers;
}

/// Blocks, groups of as many as each further size has of the first, and all of them.
std::vector<FabricTier> tiers_of_blocks(const SlurmTree& tree, const SlurmConf& conf, const std::string& name,
                                        std::vector<std::string>& notes) {
  std::vector<std::int64_t> ends;
  std::int64_t node = 0;
  for (const auto& block : tree.switches) {
    node += block.count;
    ends.push_back(node);
    if (!conf.block_sizes.empty() && block.count < conf.block_sizes.front()) {
      notes.push_back(fmt::format("block {} has {} nodes, fewer than the {} of BlockSizes", shown(block.name, 40),
                                  block.count, conf.block_sizes.front()));
    }
  }
  std::vector<FabricTier> tiers{tier_of(ends, "block")};
  for (std::size_t i = 1; i < conf.block_sizes.size(); ++i) {
    const auto size = conf.block_sizes[i];
    if (size % conf.block_sizes.front() != 0 || size <= conf.block_sizes[i - 1]) {
      throw Error(Code::invalid_argument,
                  fmt::format("{}: BlockSizes: {} is no larger multiple of {}", name, size, conf.block_sizes.front()));
    }
    const auto together = static_cast<std::size_t>(size / conf.block_sizes.front());
    std::vector<std::int64_t> joined;
    for (std::size_t block = together; block < ends.size() + together; block += together) {
      joined.push_back(ends[std::min(block, ends.size()) - 1]);
    }
    if (joined.size() > 1 && tiers.size() < 7)
      tiers.push_back(tier_of(std::move(joined), fmt::format("{} nodes", size)));
  }
  if (ends.size() > 1) tiers.push_back({.name = "network", .nodes = node});
  return tiers;
}

}  // namespace

bool is_slurm_conf(std::string_view text) {
  text = text.substr(0, std::size_t{1} << 20);
  while (!text.empty()) {
    const auto end = text.find('\n');
    const auto line = trim(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty() || line.starts_with('#')) continue;
    std::string start(line.substr(0, 11));
    for (char& c : start) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return start.starts_with("switchname=") || start.starts_with("blockname=") || start.starts_with("blocksizes=");
  }
  return false;
}

Cluster read_slurm_conf(std::string_view text, const std::string& name) {
  const SlurmConf conf = parse_slurm_conf(text, name);
  const SlurmTree tree = slurm_tree(conf, name);
  ClusterParts parts{.name = name, .source = "slurm"};
  NodeGroup all{.count = 0};
  int tops = 0;
  for (const auto& each : tree.switches) {
    all.count += each.count;
    if (each.count > 0) all.hosts += (all.hosts.empty() ? "" : ",") + each.nodes;
    tops += each.parent < 0 ? 1 : 0;
  }
  if (all.count == 0) {
    throw Error(Code::invalid_argument, fmt::format("{}: expected nodes below the switches, found none", name));
  }
  parts.nodes.push_back(std::move(all));
  parts.fabric.tiers = conf.switches.empty() ? tiers_of_blocks(tree, conf, name, parts.notes) : tiers_of_switches(tree);
  if (!conf.switches.empty() && tops > 1) {
    parts.notes.push_back(
        fmt::format("{} switches have nothing above them: by this file their nodes do not reach one another", tops));
  }
  parts.notes.emplace_back("Slurm says neither what the nodes are nor how fast the network is");
  return Cluster(std::move(parts));
}

}  // namespace tutti
