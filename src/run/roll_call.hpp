/// @file  Roll call: at the start the ranks tell one another where they are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "run/placement.hpp"
#include "tutti/bootstrap/world.hpp"
#include "tutti/choose/tuning.hpp"
#include "tutti/topology/topology.hpp"

namespace tutti {

/// The same on all ranks, but for `cpus`, `apart` and `one_process`, which are the same on the ranks of a host.
struct RollCall {
  Placement placement{};
  std::uint64_t id = 0;                   ///< of this meeting: the same on all ranks, and no other's
  std::vector<std::string> host_names{};  ///< [hosts] for people
  bool oversubscribed = false;            ///< some host has more ranks than processors
  int cpus = 1;                           ///< that this host's ranks may use, all together: each may be bound to one
  bool apart = false;                     ///< each of this host's ranks is bound to processors of its own
  bool one_process = false;               ///< this host's ranks are threads of this process
};

/// A number for a name, the same on all ranks; never 0.
std::uint64_t id_of(std::string_view name);

/// Collective. Each rank writes one value and reads one; ranks of one process tell one another of their tuning only, unless
/// a network says that they play several hosts. Throws mismatch, on all ranks, unless all have the same tuning (or all
/// none), and it is for the machines they are on.
RollCall call_roll(const World& world, const Tuning* tuning, Store::Deadline deadline);

/// Collective, for several hosts: `machine` of each host's first rank, merged in the order of hosts.
Topology gather_topology(const World& world, const Placement& placement, const Topology& machine,
                         Store::Deadline deadline);

/// Throws unsupported unless the ranks of several hosts have a network that this process may use.
void expect_network(const World& world, const RollCall& roll, bool progress_thread);

/// The World of the ranks on this one's host, with keys of its own.
World local_world(const World& world, const RollCall& roll);

}  // namespace tutti
