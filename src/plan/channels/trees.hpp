/// @file  Trees: over the GPUs of one domain, or over domains with a chain in each.
#pragma once

#include <vector>

#include "plan/channels/domain.hpp"

namespace tutti::plan {

/// Double binary trees where every GPU reaches every other alike through switches, else a chain along each ring, rooted
/// in its middle and cut at its farthest hop. As wide as all together fit.
std::vector<Tree> trees_within(const Topology& topology, Hops& hops, const HopGraph& graph,
                               const std::vector<Ring>& rings);

/// Two trees for each ring between domains: a double binary tree over the domains, a chain in each.
std::vector<Tree> trees_between(const Topology& topology, Hops& hops, const std::vector<Ring>& rings);

}  // namespace tutti::plan
