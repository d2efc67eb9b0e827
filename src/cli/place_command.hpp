/// @file  `tutti place`: which rank goes where on a cluster, for people and in the forms that launchers take.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "tutti/topology/cluster.hpp"

namespace CLI {
class App;
}

namespace tutti::cli {

struct PlaceArguments {
  std::string cluster{};   ///< a cluster or a machine: a file or preset
  std::int64_t nodes = 0;  ///< of a preset or machine; 0: as many as it has, one of a machine
  std::optional<std::string>
      allocation{};        ///< what the scheduler gave, in its order: "0-3,64", "n[01-04,64]"; none: all
  int ranks_per_node = 0;  ///< 0: one for each GPU
  std::string format = "text";
};

/// Prints the placement. Returns 0. Throws Error(invalid_argument) naming what cannot be, and what place_job and the forms
/// throw.
int place_command(const PlaceArguments& arguments, std::ostream& out);

/// Numbers of nodes: "0-3,64", or names of the cluster in Slurm's short form. Throws Error(invalid_argument) for a text that
/// is no such list, an empty one too: a scheduler that gave nothing did not give everything.
std::vector<std::int64_t> parse_allocation(const Cluster& cluster, const std::string& text);

void add_place_command(CLI::App& app, int& status);

}  // namespace tutti::cli
