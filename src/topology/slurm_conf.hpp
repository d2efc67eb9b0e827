/// @file  Slurm's topology.conf as it stands: switches or blocks, with what is below them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tutti {

/// One line of the file: a switch with switches or nodes below, or a block with nodes.
struct SlurmEntry {
  std::string name{};
  std::string switches{};  ///< a list of names in short form; empty: nodes are below
  std::string nodes{};
  std::size_t line = 0;
};

struct SlurmConf {
  std::vector<SlurmEntry> switches{};
  std::vector<SlurmEntry> blocks{};
  std::vector<std::int64_t> block_sizes{};
};

/// Throws Error(invalid_argument) with line for keys that are not known, entries without a name or with nothing below,
/// and a file with both switches and blocks, or neither.
SlurmConf parse_slurm_conf(std::string_view text, const std::string& name);

/// Switches in the order of a walk from the tops down, each with where it hangs.
struct SlurmTree {
  struct Switch {
    std::string name{};
    int parent = -1;         ///< index; −1: a top
    std::string nodes{};     ///< only of those that have nodes right below
    std::int64_t count = 0;  ///< of these nodes
  };
  std::vector<Switch> switches{};
};

/// Throws Error(invalid_argument) with line for names that are defined twice or not at all, hang under two switches or
/// under themselves, and for nodes that are listed twice.
SlurmTree slurm_tree(const SlurmConf& conf, const std::string& name);

}  // namespace tutti
