/// @file  A topology from a JSON value, alone or within another document.
#pragma once

#include "topology/json_cursor.hpp"
#include "tutti/topology/topology.hpp"

namespace tutti {

/// Throws Error(invalid_argument) that names the place of what is not understood.
Topology from_json(const JsonCursor& root);

}  // namespace tutti
