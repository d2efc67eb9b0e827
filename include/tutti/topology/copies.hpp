/// @file  Copies: a job on several machines of one kind.
#pragma once

#include "tutti/topology/topology.hpp"

namespace tutti {

/// So many machines of this kind, their adapters joined by one assumed switch. Throws Error(invalid_argument) unless
/// 1 <= count <= 1024.
Topology copies(const Topology& machine, int count);

}  // namespace tutti
