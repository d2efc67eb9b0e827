/// @file  What an NCCL_DEBUG=INFO log says: the ranks, their machines, and the rings and trees that NCCL made.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topology/nccl_graph.hpp"
#include "topology/nccl_log_lines.hpp"
#include "tutti/topology/topology.hpp"

namespace tutti {

/// One rank's place in one tree; −1: nobody.
struct LoggedTreeNode {
  int rank = -1;
  int up = -1;
  std::array<int, 3> down{-1, -1, -1};

  bool operator==(const LoggedTreeNode&) const = default;
};

/// A channel's way from one rank to another: "P2P/IPC/read", "NET/IB/0/GDRDMA", "SHM/direct/direct".
struct LoggedConnection {
  int channel = 0;
  int from = 0;
  int to = 0;
  std::string via{};

  bool operator==(const LoggedConnection&) const = default;
};

/// A line "Pattern 4, … nChannels 12, bw 20/20, type NVL/PIX" and the channels below it, of one host.
struct LoggedSearch {
  std::string host{};
  NcclGraph graph{};
  int channels = 0;  ///< as the line says; the graph has those that follow it
};

/// Rings and trees of the first communicator in the log; later ones are parts of it or come after.
struct LoggedChannels {
  std::string version{};                               ///< "2.23.4+cuda12.4"; empty: not said
  int ranks = 0;                                       ///< of the communicator; 0: not said
  std::map<int, std::vector<int>> rings{};             ///< by channel: ranks in the order of the wire
  std::map<int, std::vector<LoggedTreeNode>> trees{};  ///< by channel: those ranks whose lines are there, ascending
  std::vector<LoggedConnection> connections{};         ///< each once
  std::vector<LoggedSearch> searches{};
  double best_bus_bandwidth = 0;  ///< GB/s, the largest in a table of nccl-tests; 0: there is none
  std::vector<std::string> notes{};

  /// GB/s of all rings (pattern ring) or trees together, as NCCL planned them on a host; 0: not said.
  double planned_bandwidth(bool rings) const;
};

/// Throws nothing for what is odd: that is named in the notes.
LoggedChannels logged_channels(const std::vector<NcclLogLine>& lines);
LoggedChannels logged_channels(std::string_view text);

/// One machine of the log.
struct LoggedHost {
  std::string name{};
  TopologyParts parts{};  ///< with one host
};

/// The blocks "=== System …" of the log, one for each host that wrote a whole one. `text` is what the lines were split
/// from: indents tell what hangs where.
std::vector<LoggedHost> logged_systems(const std::vector<NcclLogLine>& lines, std::string_view text);

/// "101c0" → "0000:10:1c.0"; empty when it is no number of a bus.
std::string bus_of_number(std::string_view hex);

}  // namespace tutti
