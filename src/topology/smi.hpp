/// @file  What the forms of nvidia-smi have in common, so that one paste may hold several of them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "topology/pasted.hpp"
#include "tutti/topology/topology.hpp"

namespace tutti::smi {

/// The longest text that these readers take, in bytes.
inline constexpr std::size_t max_bytes = std::size_t{2} << 20;

/// Throws Error(invalid_argument): "name:line: why".
[[noreturn]] void refuse(const std::string& name, std::size_t line, const std::string& why);

/// The lines of a text that is not too long; throws Error(invalid_argument) when it is.
std::vector<PastedLine> lines_of(std::string_view text, const std::string& name);

/// The id of the GPU with that number on the only host; a new one, "gpu3", when there is none yet.
int gpu_numbered(TopologyParts& parts, int index);

/// Adds models and UUIDs that lines such as "GPU 0: NVIDIA H100 (UUID: GPU-…)" tell, for GPUs that are there.
void add_models(TopologyParts& parts, const std::vector<PastedLine>& lines);

/// Lets the partitions that `nvidia-smi -L` lists take the place of their GPUs.
void add_partitions(TopologyParts& parts, const std::vector<PastedLine>& lines);

/// What `nvidia-smi nvlink -s` says, on GPUs that are there or come with it: the attributes "nvlinks" (that
/// work), "nvlinks_down" and "nvlink_GBs" (of each, one direction). False when the text says nothing of the kind.
bool add_nvlink_status(TopologyParts& parts, const std::vector<PastedLine>& lines, const std::string& name);

/// What the matrices of `nvidia-smi topo -p2p` say, as attributes "p2p_read" and so on, and a note for each pair that
/// cannot. False when there is none.
bool add_peer_access(TopologyParts& parts, const std::vector<PastedLine>& lines, const std::string& name);

bool has_nvlink_status(std::string_view text);
bool has_peer_access(std::string_view text);

}  // namespace tutti::smi
