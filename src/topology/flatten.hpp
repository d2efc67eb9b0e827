/// @file  Broadcom switches that show as two levels and work as one, made one.
#pragma once

#include "tutti/topology/topology.hpp"

namespace tutti {

/// The topology as NCCL plans on it: a Broadcom switch takes in its child switches of the same generation, so
/// that what lies below is one switch away, not several. Devices below keep their own links. Ids change.
Topology flatten_switches(const Topology& topology);

}  // namespace tutti
