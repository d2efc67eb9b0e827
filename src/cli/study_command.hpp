/// @file  tutti study: from one machine to 131,072 GPUs: all-reduce by algorithm, links, placement, failures, power and cost.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tutti::cli {

struct StudyOptions {
  std::string bytes = "1G";
  std::vector<std::int64_t> gpus{8, 64, 512, 1024, 4096, 16384, 65536, 131072};
  double failure_rate = 6.5;  ///< per 1,000 node-days
  double write_s = 30;        ///< of a checkpoint
  double restart_s = 300;
  double shrink_s = 30;
  double watts_small = 350;  ///< of a GPU with its share of machine and cooling, in a super node of 1,000
  double watts_large = 175;  ///< in a super cluster of 100,000
  double gpu_hour = 2;       ///< price of one GPU for an hour, without power
  double kilowatt_hour = 0.1;
  double latency_saved = 0.189;     ///< of hops between machines, a what-if
  double training_gained = 0.0528;  ///< of training throughput, a what-if
  std::uint64_t seed = 1;
  std::string plot{};  ///< an .svg or .png to draw; empty: none
  bool json = false;
};

/// Throws Error(invalid_argument) for sizes that are no whole machines, and for rates, times and prices that are negative
/// or absurd.
int study_command(const StudyOptions& options, std::ostream& out);

void add_study_command(CLI::App& app, int& status);

}  // namespace tutti::cli
