/// @file  Writing: a topology in the forms that people and other programs read.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "tutti/topology/topology.hpp"

namespace tutti {

enum class TopologyFormat { text, matrix, json, nccl_xml, dot, svg };

inline constexpr std::array<std::string_view, 6> topology_format_names{"text",     "matrix", "json",
                                                                       "nccl-xml", "dot",    "svg"};
std::optional<TopologyFormat> topology_format_named(std::string_view name) noexcept;

/// A whole document in one of the forms, with a line end at its end. Throws Error(unsupported) for svg where
/// Graphviz (the program `dot`) is not installed, and what the functions below throw.
std::string write(const Topology& topology, TopologyFormat format);

/// A line for every device, indented below what it hangs on, with bandwidths; the matrix; the oddities.
std::string to_text(const Topology& topology);

/// GPUs and NICs against one another, as `nvidia-smi topo -m` prints them, with affinities and legend. Empty
/// when there are none.
std::string to_matrix(const Topology& topology);

/// docs/schema/topology.schema.json; indented by `indent` blanks, < 0: one line.
std::string to_json(const Topology& topology, int indent = 2);

/// What NCCL_TOPO_FILE takes. A topology without a PCI tree, such as one from a matrix, gets one that has the
/// stated classes. Throws Error(invalid_argument) when a GPU has no bus id or hangs below no CPU: NCCL finds it by them.
std::string to_nccl_xml(const Topology& topology);

/// A graph for Graphviz.
std::string to_dot(const Topology& topology);

}  // namespace tutti
