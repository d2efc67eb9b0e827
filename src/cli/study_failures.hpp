/// @file  Failures and what they cost: time between failures by size, checkpoint intervals, goodput.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace tutti::cli {

/// A published rate of failures. Per 1,000 node-days, a node being 8 GPUs.
struct FailureRate {
  double per_1000_node_days;
  std::string_view source;
};
std::span<const FailureRate> failure_rates();

/// A published time to failure, beside which rates are shown.
struct PublishedMttf {
  std::int64_t gpus;
  double hours;
  std::string_view kind;  ///< "measured", "projected"
};
std::span<const PublishedMttf> published_mttf();

/// Hours between failures of a job: 1 / (nodes · rate).
double mttf_hours(std::int64_t gpus, double per_1000_node_days);

/// Seconds between checkpoints that cost least, when one takes `write_s`: Young's first order, and Daly's.
double young_s(double write_s, double mttf_s);
double daly_s(double write_s, double mttf_s);

struct Recovery {
  double mttf_s = 0;
  double write_s = 30;     ///< of a checkpoint; everybody waits
  double restart_s = 300;  ///< from failure to work, with a checkpoint read
  double interval_s = 0;   ///< between checkpoints; 0: Daly's
  double shrink_s =
      30;  ///< from failure to work without the failed node, whose state a neighbour holds; no work is lost
  double repair_s = 4 * 3600;  ///< until the node is back
  std::int64_t nodes = 1;
};

/// Share of the time that is useful work, over a simulated time of a thousand failures at least: failures come at random, also
/// during recovery. Deterministic for a seed.
double goodput_with_restart(const Recovery& recovery, std::uint64_t seed);
/// The same when the job goes on with the nodes that are left.
double goodput_with_shrinking(const Recovery& recovery, std::uint64_t seed);

}  // namespace tutti::cli
