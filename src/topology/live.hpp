/// @file  The machine at hand, from sources that a test may replace.
#pragma once

#include <filesystem>
#include <string>

#include "topology/nvml.hpp"
#include "tutti/topology/topology.hpp"

namespace tutti {

struct LiveSources {
  std::string hwloc_xml{};                ///< what hwloc sees, as its own XML; empty: hwloc could not look
  std::filesystem::path root = "/";       ///< where sys and proc lie
  const nvml::Functions* nvml = nullptr;  ///< started; null: no NVIDIA driver
  HostFacts facts{};
};

/// One machine from all of them. Never throws for what is missing; notes say what could not be read.
Topology read_live(const LiveSources& sources);

/// What hwloc sees of this machine: CPUs, also those not allowed, and all PCI devices that matter.
std::string hwloc_xml_of_this_machine();

}  // namespace tutti
