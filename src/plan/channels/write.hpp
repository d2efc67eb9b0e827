/// @file  Channels as text for people, as JSON, and as the graph XML that NCCL reads.
#pragma once

#include <string>
#include <vector>

#include "tutti/plan/channels.hpp"

namespace tutti::plan {

/// Rings, trees, the bus bandwidth of the collectives named, the proof; equal channels once. Ends with a line end.
std::string channels_text(const Topology& topology, const Channels& channels, const ChannelProof& proof,
                          const std::vector<Collective>& collectives);

/// The same, complete, as a JSON document.
std::string channels_json(const Topology& topology, const Channels& channels, const ChannelProof& proof,
                          const std::vector<Collective>& collectives);

/// For NCCL_GRAPH_FILE: the rings as graph 0, the trees as graph 1, of the first domain with its adapters. Trees keep their
/// order only, since NCCL builds its own from that.
std::string channels_graph_xml(const Topology& topology, const Channels& channels);

}  // namespace tutti::plan
