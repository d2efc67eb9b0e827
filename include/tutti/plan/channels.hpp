/// @file  Channels: the rings and trees that a machine's links allow, with the bandwidth of each, and their proof.
#pragma once

#include <string>
#include <vector>

#include "tutti/base/types.hpp"
#include "tutti/topology/topology.hpp"

namespace tutti::plan {

/// The part of a ring or tree that lies in one domain: GPUs that NVLink or PCI joins, a host or a rack of them.
struct Segment {
  int first = 0;     ///< position of its first GPU
  int count = 0;     ///< GPUs, one after another
  int nic_in = -1;   ///< device id of the adapter by which data enters at the first GPU; -1: the only domain
  int nic_out = -1;  ///< and by which it leaves from the last
};

struct Ring {
  std::vector<int> gpus{};             ///< device ids; each sends to the next, the last to the first
  std::vector<Segment> segments{};     ///< in the order of `gpus`
  double bandwidth = 0;                ///< GB/s over each hop
  PathClass within = PathClass::none;  ///< the farthest hop between two GPUs of a domain
  PathClass to_nic = PathClass::none;  ///< the farthest way between a GPU and its adapter; none: the only domain
};

struct Tree {
  std::vector<int> gpus{};          ///< device ids
  std::vector<int> parents{};       ///< positions in `gpus`; -1: the root
  std::vector<Segment> segments{};  ///< data enters and leaves a domain by `nic_in` of its first GPU
  double bandwidth = 0;             ///< GB/s up and, at the same time, down over each edge
  int twin = -1;                    ///< the tree of the other half of a double tree: nobody is inside both; -1: none
  PathClass within = PathClass::none;
  PathClass to_nic = PathClass::none;
};

/// A value. Device ids are those of the topology it was planned on.
struct Channels {
  std::vector<Ring> rings{};
  std::vector<Tree> trees{};
  int gpus = 0;
  int domains = 0;
  long work = 0;                     ///< hops that the search tried
  std::string why_none{};            ///< the constraint that failed; empty when there are rings
  std::vector<std::string> notes{};  ///< what was taken for granted, and what stayed unused
};

/// How hard to look.
struct ChannelLimits {
  int most_rings = 64;
  long most_work = 20'000;  ///< hops tried; a search that ends by this keeps the best it has
};

/// Rings that use every NVLink once each way where there are such rings (by halves of links where whole ones leave some
/// over), else the widest over all links, with PCI switches before
/// host bridges before sockets; between domains one ring for each adapter, rails matched. Trees follow: double binary
/// trees where every GPU reaches every other alike, else chains along the rings; between domains a double tree for each
/// adapter. A pure function: the same topology gives the same channels. Any thread.
Channels plan_channels(const Topology& topology, const ChannelLimits& limits = {});

/// Bus bandwidth in GB/s, as nccl-tests counts it, of large messages by all rings or all trees. 0 when the pattern cannot
/// do the collective: trees do all_reduce, broadcast and reduce; neither does all_to_all, gather or scatter.
double bus_bandwidth(const Channels& channels, Collective collective, Algorithm algorithm);

/// What was shown of a set of channels by adding up its loads anew, a sentence each.
struct ChannelProof {
  std::vector<std::string> holds{};
  std::vector<std::string> failures{};
  explicit operator bool() const { return failures.empty(); }
};

/// Every ring visits each GPU once; every tree is one, over all GPUs; of twins each GPU is inside at most one; no link
/// carries more one way than it can, rings and trees each by themselves; rails match.
ChannelProof prove_channels(const Topology& topology, const Channels& channels);

}  // namespace tutti::plan
