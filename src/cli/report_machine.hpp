/// @file  The picture of one host: NUMA nodes, the PCI tree in them, and how the GPUs are joined.
#pragma once

#include <string>

#include "tutti/topology/topology.hpp"

namespace tutti::report {

/// An SVG for a page; empty when the host has no devices. `id` is its id there.
std::string host_picture(const Topology& topology, int host, const std::string& id);

/// "2 sockets, 128 cores, 256 CPUs, AMD EPYC 7742"; empty when nothing is known.
std::string host_words(const HostFacts& facts);

/// "8 NVIDIA H100 80GB HBM3"; kinds of GPU or adapter on one host, with how many; empty when there is none.
std::string devices_in_words(const Topology& topology, int host, DeviceKind kind);

}  // namespace tutti::report
