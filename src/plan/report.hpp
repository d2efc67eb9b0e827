/// @file  Report: schedules proven for a range of ranks, a line for each, and what they cost.
#pragma once

#include <iosfwd>
#include <span>

#include "tutti/base/types.hpp"
#include "tutti/plan/proof.hpp"

namespace tutti::plan {

/// Prints a line for each pair, window forms apart: ranks, hops and bytes as formulas and for the most ranks; or why
/// there is no such schedule. `first_rank` … `last_rank` are numbers of ranks, 1 to 64.
/// True when every schedule holds, costs what its closed form says, and is there exactly where `unsupported` says so;
/// else the smallest counter-example is printed. Throws invalid_argument for a range that is none.
bool report_proofs(std::span<const Collective> collectives, std::span<const Algorithm> algorithms, int first_rank,
                   int last_rank, std::ostream& out, const ProgramOf& program = program_of);

}  // namespace tutti::plan
