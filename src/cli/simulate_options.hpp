/// @file  What the command line says of a simulated run, as a scenario.
#pragma once

#include <string>
#include <vector>

#include "tutti/run/simulated.hpp"

namespace tutti::cli {

struct SimulateOptions {
  std::string cluster = "superpod-1024";
  std::int64_t nodes = 0;
  std::string collective = "all_reduce";
  std::string bytes = "1G";
  std::string algorithm = "ring";
  std::string inside = "ring";
  std::string between = "halving_doubling";
  std::string protocol = "simple";
  std::int64_t ranks = 0;
  int channels = 0;
  int chunks = 0;
  bool one_by_one = false;
  double oversubscription = 0;
  double background = 0;
  std::vector<std::string> slow_rails{};
  std::vector<std::string> stragglers{};
  std::vector<std::string> failures{};
  double failover_us = 0;
  double skew_us = 0;
  std::uint64_t seed = 1;
  std::string trace{};
  std::string timeline{};
  int traced_ranks = 16;
  std::vector<std::string> settings{};
  std::vector<std::string> jobs{};  ///< "0-3,8:64M:ring:all_reduce": several at once, instead of one
  bool json = false;
};

/// Throws Error(invalid_argument) naming the option and what it takes.
Scenario scenario_of(const SimulateOptions& options);

/// Of options.jobs; what they do not say is as in the other options.
std::vector<Job> jobs_of(const SimulateOptions& options);

/// Of "queue_pairs=4", …: throws Error(invalid_argument) naming the setting.
NetworkSettings settings_of(const std::vector<std::string>& pairs);

}  // namespace tutti::cli
