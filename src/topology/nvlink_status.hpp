/// @file  The state of NVLinks that one source tells, laid over the NVLinks that another one shows.
#pragma once

#include "tutti/topology/topology.hpp"

namespace tutti {

/// Gives links the rate that their GPUs state in the attribute "nvlink_GBs", and notes each GPU that has another number
/// of links than its attribute "nvlinks" says. Once is enough; a second time changes nothing.
void use_nvlink_status(TopologyParts& parts);

}  // namespace tutti
