/// @file  `tutti topology`: a machine, live or from files, in the form asked for; and what is different between two.
#pragma once

#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "tutti/topology/write.hpp"

namespace CLI {
class App;
}

namespace tutti::cli {

struct TopologyArguments {
  std::vector<std::string> files{};  ///< or presets; none: this machine; several: sources of one, put together
  TopologyFormat format = TopologyFormat::text;
  bool even_if_different = false;  ///< several sources are put together though they are of different machines
  std::map<std::string, std::string> bus_ids{};  ///< by device name, for sources that have none
};

/// Writes the topology. Returns the exit status, 0. Throws what reading and writing throw.
int topology_command(const TopologyArguments& arguments, std::ostream& out);

/// Writes a line for every difference. Returns 0 when there is none, else 1, as diff does.
int topology_diff(const std::string& before, const std::string& after, std::ostream& out);

/// "gpu0=0000:1b:00.0,gpu1=0000:1c:00.0" → a map. Throws Error(invalid_argument) naming what is no such pair.
std::map<std::string, std::string> parse_bus_ids(const std::string& text);

/// Adds `topology` and `topology diff` to the program; when one is called, its exit status goes to `status`.
void add_topology_command(CLI::App& app, int& status);

}  // namespace tutti::cli
