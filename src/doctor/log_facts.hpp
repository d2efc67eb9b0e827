/// @file  LogFacts: what an NCCL log tells about a job that works: version, ranks, network, rings, transports, choices.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "topology/nccl_log_lines.hpp"

namespace tutti::doctor {

/// What one rank was told by its environment, and where the log says so.
struct LogSetting {
  std::string name{};
  std::string value{};
  std::size_t line = 0;
};

struct LogFacts {
  std::size_t nccl_lines = 0;
  std::set<std::string> versions{};                      ///< "2.9.9+cuda11.2"
  int ranks = 0;                                         ///< as the largest communicator counts them; 0: not told
  int hosts = 0;                                         ///< as it counts them; 0: not told
  std::map<std::string, std::set<int>> ranks_by_host{};  ///< those that speak; -1: a rank that is not told
  std::set<std::string> meeting{};                       ///< "eth0:10.0.0.1", of the bootstrap
  std::set<std::string> networks{};                      ///< "IB", "Socket", "AWS Libfabric"
  std::map<std::string, std::set<std::string>> networks_by_host{};  ///< the same, for each host that says so
  std::set<std::string> adapters{};                                 ///< "mlx5_0:1/IB"
  int channels = 0;                                                 ///< 0: not told
  std::map<int, std::vector<int>> rings{};                          ///< by channel, in ranks
  bool trees = false;
  bool nvls = false;
  bool collnet = false;
  std::map<std::string, std::size_t> transports{};    ///< "P2P/IPC/read" → connections
  std::map<std::string, std::size_t> choices{};       ///< "AllReduce: RING SIMPLE" → calls
  std::map<int, std::vector<LogSetting>> settings{};  ///< by rank
  std::set<std::string> topology_files{};
  std::set<int> started{};   ///< ranks whose start the log shows
  std::set<int> complete{};  ///< and its end
  std::string bandwidth{};   ///< nccl-tests' average, as printed
};

LogFacts read_log_facts(std::span<const NcclLogLine> lines);

/// Those facts in sentences, a line each.
std::vector<std::string> tell(const LogFacts& facts);

}  // namespace tutti::doctor
