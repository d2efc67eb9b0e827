/// @file  SweepPlan: what a sweep compares: combinations of algorithm, protocol, channels and settings of the network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tutti::sweep {

/// The texts of a command line. Lists are separated by commas.
struct SweepOptions {
  std::string cluster{};  ///< to simulate on; empty: processes are launched
  std::int64_t nodes = 0;
  std::int64_t ranks = 0;  ///< 0: all GPUs of the cluster, or two processes
  std::string sizes = "1K,16K,256K,4M,64M,1G";
  std::string algorithms{};  ///< empty: what the kind of sweep has
  std::string protocols{};
  std::string channels = "0";
  std::vector<std::string> settings{};  ///< "queue_pairs=1,4"
  std::vector<std::string> failures{};  ///< as `tutti simulate --fail`
  std::string launcher = "mpirun";
  std::string program{};  ///< all_reduce_perf of nccl-tests; empty: tutti bench
  int launches = 5;
  double seconds = 5;
  double limit = 300;
  std::string json{};
  std::string plot{};
  bool fresh = false;
  bool quiet = false;
};

struct Combination {
  std::string algorithm;
  std::string protocol;
  int channels = 0;  ///< 0: chosen
  std::vector<std::pair<std::string, std::string>> settings{};

  std::string name() const;              ///< "ring simple, 4 channels, queue_pairs=4"
  std::vector<std::string> set() const;  ///< {"queue_pairs=4"}
};

struct SweepPlan {
  bool simulated = false;
  std::string where{};  ///< cluster, or launcher and program
  std::int64_t nodes = 0;
  std::int64_t ranks = 0;
  std::vector<std::size_t> sizes{};  ///< bytes, ascending
  std::vector<Combination> combinations{};
  std::vector<std::string> failures{};
  int launches = 1;
};

/// Every combination of the lists; where `settings` are absent in a simulated sweep, some are taken. Throws
/// Error(invalid_argument) naming the option for what does not exist or makes no sense.
SweepPlan plan_of(const SweepOptions& options);

}  // namespace tutti::sweep
