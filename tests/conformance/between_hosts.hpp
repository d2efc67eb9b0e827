/// @file  The cases that make sense for ranks of several hosts.
#pragma once

#include <cstdint>
#include <vector>

#include "choose/choose.hpp"
#include "conformance/suite.hpp"

namespace tutti::conformance {

/// Of `cases`: those with so many ranks, without what only one host has. Others' protocols become automatic, and
/// algorithms that no stage has.
std::vector<Case> between_hosts(const std::vector<Case>& cases, const Facts& facts);

}  // namespace tutti::conformance
