/// @file  The cases that make sense for ranks of several hosts.
#pragma once

#include <cstdint>
#include <vector>

#include "choose/choose.hpp"
#include "conformance/suite.hpp"

namespace tutti::conformance {

/// Of `cases`: those with so many ranks, without what only one host has. Others' protocols become automatic, and
/// algorithms that no stage has; what is then the same is there once.
std::vector<Case> between_hosts(const std::vector<Case>& cases, const Facts& facts);

/// One in `every` of the exhaustive cases and of a covering array; which ones, the seed says.
std::vector<Case> some_between_hosts(const Facts& facts, std::uint64_t seed, std::size_t every);

}  // namespace tutti::conformance
