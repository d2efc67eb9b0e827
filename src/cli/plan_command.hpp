/// @file  `tutti plan prove`: every schedule asked for, proven for a range of
/// ranks, and what it costs.
#pragma once

#include <iosfwd>
#include <vector>

#include "tutti/base/types.hpp"

namespace tutti::cli {

/// What "all" stands for.
std::vector<Collective> all_collectives();
std::vector<Algorithm> all_patterns();

/// Prints the report (see plan/report.hpp). Returns 0 when all is as it should
/// be, else 1. Throws invalid_argument unless 1 <= first_rank <= last_rank
/// <= 64.
int plan_prove(const std::vector<Collective>& collectives, const std::vector<Algorithm>& algorithms, int first_rank,
               int last_rank, std::ostream& out);

}  // namespace tutti::cli
