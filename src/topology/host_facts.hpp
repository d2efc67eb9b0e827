/// @file  HostFacts from a root folder, the real one or a test's.
#pragma once

#include <filesystem>

#include "tutti/topology/host_facts.hpp"

namespace tutti {

/// Reads root/sys and root/proc; what is missing there stays at its default. Never throws for content.
HostFacts read_host_facts(const std::filesystem::path& root);

}  // namespace tutti
