/// @file  `tutti plan channels`: rings and trees over a machine's links, with their bandwidth and their proof.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "tutti/base/types.hpp"

namespace CLI {
class App;
}

namespace tutti::cli {

struct ChannelArguments {
  std::string machine{};                  ///< a file or preset; empty: this machine
  std::vector<Collective> collectives{};  ///< whose bandwidth is printed
  std::string format = "text";            ///< text, json, graph-xml
  int nodes = 1;                          ///< so many machines of this kind, joined by one switch
};

/// Prints the channels. Returns 0, or 1 when no ring is possible or the proof fails. Throws what reading throws, and
/// Error(invalid_argument) for an unknown form or fewer than 1 or more than 1024 nodes.
int plan_channels_command(const ChannelArguments& arguments, std::ostream& out);

/// Adds `channels` to the command `plan`; when it is called, its exit status goes to `status`.
void add_plan_channels_command(CLI::App& plan, int& status);

}  // namespace tutti::cli
