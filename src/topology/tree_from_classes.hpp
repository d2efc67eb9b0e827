/// @file  A PCI tree for machines of which only the classes of paths are known.
#pragma once

#include "tutti/topology/topology.hpp"

namespace tutti {

/// The same topology, with the GPUs and NICs that hang nowhere put below cpu devices, host bridges and switches
/// so that, as far as a tree can, every path has its stated class. Where the classes fit no tree, notes say so.
/// Unchanged when every GPU and NIC has its place.
Topology tree_from_classes(const Topology& topology);

}  // namespace tutti
