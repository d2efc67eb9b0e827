/// @file  Our own JSON form of a topology, as in docs/schema/topology.schema.json.
#pragma once

#include <string>
#include <string_view>

#include "tutti/topology/topology.hpp"

namespace tutti {

/// Indented by `indent` blanks; < 0: one line.
std::string to_json(const Topology& topology, int indent);

/// `name` stands for the text in messages. Throws Error(invalid_argument) with line and column.
Topology from_json(std::string_view text, const std::string& name);

}  // namespace tutti
