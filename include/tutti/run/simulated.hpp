/// @file  What a simulated run is given and what it tells: the scenario and the result, plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tutti/base/types.hpp"
#include "tutti/choose/price.hpp"
#include "tutti/topology/cluster.hpp"
#include "tutti/topology/network_settings.hpp"

namespace tutti {

/// How the ranks' work is arranged.
enum class Arrangement : std::uint8_t {
  flat,       ///< one schedule over all ranks, in rank order
  two_level,  ///< reduce-scatter inside each machine, all-reduce between machines for each local rank, all-gather inside
  pat,        ///< parallel aggregated trees over all ranks: all_gather, reduce_scatter
  multicast,         ///< the switch inside each machine reduces and multicasts; between machines a double binary tree
  switch_reduction,  ///< two_level, but the switches between machines reduce (SHARP)
};

/// A rank that is slower than the others.
struct Straggler {
  std::int64_t rank = 0;
  double late_us = 0;  ///< begins so much later
  double share = 1;    ///< of its links' rate, 0 … 1, that it reaches
};

/// An adapter that fails and comes back; 0 for `back_us`: it stays away, and its traffic moves to the next rail of the
/// machine after `failover_us`.
struct LinkFailure {
  std::int64_t node = 0;
  int rail = 0;
  double at_us = 0;
  double back_us = 0;
  double failover_us = 0;
};

/// A rail that carries less than its rate on all machines.
struct SlowRail {
  int rail = 0;
  double share = 1;  ///< above 0, at most 1
};

struct Scenario {
  Collective collective = Collective::all_reduce;
  std::size_t bytes = std::size_t{1} << 20;  ///< as nccl-tests counts a size: see choose::price
  std::int64_t ranks = 0;                    ///< 0: all GPUs of the cluster
  Arrangement arrangement = Arrangement::flat;
  /// flat: the schedule, or automatic: whatever the price says, two levels and switches among it; else: inside, ring or
  /// direct.
  Algorithm algorithm = Algorithm::ring;
  Algorithm between = Algorithm::halving_doubling;  ///< two_level: among machines, of all_reduce
  choose::GpuProtocol protocol = choose::GpuProtocol::simple;
  int channels = 0;      ///< parallel schedules that each carry a part, shifted by a GPU each; 0: chosen
  int chunks = 0;        ///< pieces that follow one another through the schedule; 0: chosen
  int slots = 8;         ///< messages that may lie between two ranks
  bool symmetry = true;  ///< ranks that behave alike are simulated once, where the scenario leaves any alike

  NetworkSettings network{};  ///< see choose::platform_of

  double oversubscription = 0;  ///< of the lowest tier of switches; 0: as described
  double background = 0;        ///< share of the switches' upward links that others take, 0 … below 1
  std::vector<SlowRail> slow_rails{};
  std::vector<Straggler> stragglers{};
  std::vector<LinkFailure> failures{};
  double skew_us = 0;      ///< ranks begin up to so much late, at random
  std::uint64_t seed = 1;  ///< of that
  int traced_ranks = 0;    ///< of how many ranks the steps are kept
};

/// All links of one kind that behave alike, seen together.
struct LinkLoad {
  std::string name{};      ///< "NVLink out", "adapter in", "leaf up"
  std::int64_t links = 0;  ///< how many there are
  double gbs = 0;          ///< GB/s one direction of one of them
  double busiest = 0;      ///< share of the time that the busiest one was full
  double mean = 0;         ///< over all of them
};

/// A step that a rank took.
struct TracedStep {
  std::int64_t rank = 0;
  int channel = 0;
  int phase = 0;
  int lane = 0;
  int step = 0;
  int chunk = 0;
  std::int64_t begin_ps = 0;
  std::int64_t end_ps = 0;
  std::size_t bytes = 0;
  int sources = 0;
  int destinations = 0;
};

struct SimulatedRun {
  std::int64_t time_ps = 0;  ///< from the call to the last rank's end, exact
  double us = 0;
  double algorithm_gbs = 0;
  double bus_gbs = 0;
  std::int64_t ranks = 0;
  std::int64_t simulated_ranks = 0;  ///< that stood for all: as many as there are classes
  std::uint64_t events = 0;
  std::uint64_t messages = 0;  ///< of the ranks simulated
  int channels = 1;
  int chunks = 1;
  std::vector<LinkLoad> loads{};  ///< busiest first
  std::string bottleneck{};
  std::vector<std::string> phases{};  ///< "reduce_scatter by ring among 8", by TracedStep::phase
  std::vector<std::string> notes{};   ///< what was averaged or assumed
  std::vector<TracedStep> trace{};
};

/// Plays a collective on a described cluster, without a machine and without a clock: the steps of plan/ against links that
/// messages share. The same scenario gives the same run, to the picosecond. Takes no lock and keeps nothing. `progress` is
/// told now and then which share is done. Throws Error(invalid_argument) for values that are wrong or contradict the
/// cluster, Error(unsupported) for a schedule that there is not, Error(resource) before it begins when it would need more
/// than `most_bytes` of memory or 2,000,000,000 messages, and Error(peer_lost) when a failure lets the collective never end.
SimulatedRun simulate(const Cluster& cluster, const Scenario& scenario,
                      std::uint64_t most_bytes = std::uint64_t{8} << 30,
                      const std::function<void(double share)>& progress = {});

/// Throws what simulate() would throw before it begins: Error(resource) for a run that would need too much.
void expect_to_fit(const Cluster& cluster, const Scenario& scenario, std::uint64_t most_bytes = std::uint64_t{8} << 30);

/// A job beside others: whole machines that are its own, and what it does. Its ranks are the machines' GPUs in this order;
/// `scenario.ranks` does not count, and its stragglers and failures count the job's own machines from 0.
struct Job {
  std::vector<std::int64_t> machines{};  ///< numbers in the cluster
  Scenario scenario{};
};

/// Plays several jobs at once on one cluster, all from the same moment, once each: their messages meet on the links that
/// they share. All ranks are played one by one. What belongs to the cluster (network, protocol, oversubscription,
/// background, slow rails) is that of the first job. Throws what simulate() throws, and Error(invalid_argument) for
/// machines that are not there or in two jobs; at most 16 jobs. Each result has its own time, and the loads of all.
std::vector<SimulatedRun> simulate_jobs(const Cluster& cluster, const std::vector<Job>& jobs,
                                        std::uint64_t most_bytes = std::uint64_t{8} << 30,
                                        const std::function<void(double share)>& progress = {});

/// The trace in the JSON that Perfetto and chrome://tracing read: a process for each rank, a thread for each lane.
std::string perfetto_trace(const SimulatedRun& run);

/// The same as a picture: a row for each lane, time to the right.
std::string svg_timeline(const SimulatedRun& run);

}  // namespace tutti
