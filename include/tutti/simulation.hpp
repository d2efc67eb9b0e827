/// @file  Simulation: takes calls like a communicator, and tells how long they would take on a machine that is described.
#pragma once

#include <cstdint>

#include "tutti/base/request.hpp"
#include "tutti/run/simulated.hpp"
#include "tutti/topology/cluster.hpp"
#include "tutti/topology/topology.hpp"

namespace tutti {

/// A described cluster, and how runs on it go. Calls touch no buffer: only their counts and types matter.
///
///     auto run = all_reduce(Simulation{preset("dgx-h100"), 8}, on_host(grads), sum);
///     run.us; run.bus_gbs; run.bottleneck;
///
/// A value; may be used from several threads at once as long as nobody changes it.
class Simulation {
 public:
  /// `ranks` are the first GPUs; 0: all. `scenario` says the rest; its collective, bytes and ranks are those of the calls.
  /// Throws Error(invalid_argument) for ranks that the cluster has no place for.
  explicit Simulation(Cluster cluster, std::int64_t ranks = 0, Scenario scenario = {});
  /// One machine. Throws also when it has no GPU.
  explicit Simulation(const Topology& machine, std::int64_t ranks = 0, Scenario scenario = {});

  int size() const noexcept { return size_; }
  const Cluster& cluster() const noexcept { return cluster_; }

  /// Plays the call. An algorithm in its options overrules the scenario's. Throws what simulate() throws, and
  /// Error(unsupported) for the uneven collectives, whose counts differ from rank to rank, and Error(invalid_argument) for
  /// more than 64 TiB in total.
  SimulatedRun submit(const Request& request) const;

 private:
  Cluster cluster_;
  Scenario scenario_;
  int size_;
};

}  // namespace tutti
