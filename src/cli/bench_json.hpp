/// @file  A report as JSON and as CSV; docs/schema/bench.schema.json describes the one, its columns the other.
#pragma once

#include <string>

#include "cli/bench_row.hpp"

namespace tutti::bench {

std::string to_json(const Report& report);
std::string to_csv(const Report& report);

}  // namespace tutti::bench
