/// @file  What /sys says about PCI functions and network ports beyond the PCI tree itself.
#pragma once

#include <filesystem>

#include "tutti/topology/topology.hpp"

namespace tutti {

/// Completes the devices in `parts` from root/sys: trained and possible width and speed of every PCI link, and for
/// NICs their ports with state, link layer, speed and address. A device with several InfiniBand ports becomes
/// several. What is missing in /sys stays as it was.
void add_sysfs_facts(const std::filesystem::path& root, TopologyParts& parts);

}  // namespace tutti
