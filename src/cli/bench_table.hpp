/// @file  Table: rows as nccl-tests prints them, with the algorithm, the engine and what automatic came to.
#pragma once

#include <string>
#include <vector>

#include "cli/bench_row.hpp"

namespace tutti::bench {

/// The lines that begin with '#', above the rows; each ends in a line break.
std::string table_head(const RunFacts& facts, ProbeTime probe, bool with_ratio);

/// One line for each way: its rows out of place and in place side by side.
std::string table_lines(const std::vector<Row>& rows, bool with_ratio);

/// Time by size, a column for each way. Empty with fewer than two ways, and with several types or operations.
std::string summary(const std::vector<Row>& rows);

/// How many values were wrong.
std::string table_foot(const Report& report);

}  // namespace tutti::bench
