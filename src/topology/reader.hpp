/// @file  Reader: one kind of text that describes a machine. Each lies in a file of its own; readers.cpp lists them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tutti/topology/topology.hpp"

namespace tutti {

struct Reader {
  std::string_view kind;  ///< as Topology::source says it: "nccl-xml"
  std::string_view what;  ///< for people: "NCCL topology XML"
  /// Is the text of this kind? Looks at it and does not read it; must not throw, and must be quick on long texts.
  bool (*recognises)(std::string_view text);
  /// `text` is UTF-8 without NUL, not empty, at most `max_text` long. Throws Error(invalid_argument) with name,
  /// line and what was expected.
  Topology (*read)(std::string_view text, const std::string& name);
};

/// The longest text that is looked at, in bytes.
inline constexpr std::size_t max_text = std::size_t{32} << 20;

/// All readers, in the order they are asked.
std::span<const Reader> readers();

// One line for each, in the file of its own that the name says.
extern const Reader cluster_json_reader;  // cluster_file.cpp
extern const Reader tutti_json_reader;    // json_read.cpp
extern const Reader nccl_xml_reader;      // nccl_read.cpp
extern const Reader nccl_graph_reader;    // nccl_graph.cpp
extern const Reader hwloc_xml_reader;     // hwloc_read.cpp
extern const Reader ibstat_reader;        // ibstat.cpp
extern const Reader nccl_log_reader;      // nccl_log_read.cpp
extern const Reader rocm_smi_reader;      // rocm_smi.cpp
extern const Reader smi_topo_reader;      // smi_topo.cpp
extern const Reader smi_p2p_reader;       // smi_p2p.cpp
extern const Reader smi_nvlink_reader;    // smi_nvlink.cpp
extern const Reader slurm_reader;         // cluster_file.cpp

}  // namespace tutti
