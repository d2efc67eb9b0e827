/// @file  Several topologies of one machine: put together, or compared.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tutti/topology/topology.hpp"

namespace tutti {

/// What several sources say of one machine, as one graph. Devices are the same when their bus ids are, else
/// when kind and number or name are. Where sources disagree the earlier one counts, and the disagreement becomes
/// a note that names both; values read count before values assumed. Of the PCI trees the first that has GPUs or
/// NICs in it is taken. Throws Error(invalid_argument) when there is no source, or one has more than one host
/// (those are for merge()), and, unless `even_if_different`, when two plainly are of different machines: another kind of
/// processor, another generation of GPUs at the same bus ids, or GPUs that share no bus id.
Topology combine(std::span<const Topology> sources, bool even_if_different = false);

/// What is different in `after`, a line for each: devices gone and new ("- gpu3 …", "+ mlx5_0 …"), fields, links and
/// path classes that changed ("gpu0 – mlx5_1: PIX, now SYS"). Empty when there is no difference. Names of files and
/// notes don't count.
std::vector<std::string> differences(const Topology& before, const Topology& after);

}  // namespace tutti
