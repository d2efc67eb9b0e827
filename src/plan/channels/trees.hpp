/// @file  Trees: over the GPUs of one domain, or over domains with a chain in each.
#pragma once

#include <vector>

#include "plan/channels/domain.hpp"

namespace tutti::plan {

/// Does every pair meet in NVSwitches, none by a link of its own?
bool switched(const HopGraph& graph);

/// Double binary trees where GPUs are `switched`, else a chain along each ring, rooted in its middle and cut at its
/// farthest hop. As wide as all together fit what wires carry.
std::vector<Tree> trees_within(const Topology& topology, Hops& hops, const std::vector<double>& capacity, bool switched,
                               const std::vector<Ring>& rings);

/// Two trees for each ring between domains: a double binary tree over the domains, a chain in each.
std::vector<Tree> trees_between(const Topology& topology, Hops& hops, const std::vector<double>& capacity,
                                const std::vector<Ring>& rings);

}  // namespace tutti::plan
