/// @file  Closed forms: what each schedule costs, as formulas; proofs count the same, prices are made from them.
#pragma once

#include <optional>

#include "tutti/plan/cost.hpp"
#include "tutti/plan/schedule.hpp"

namespace tutti::plan {

/// The formulas, in n ranks; k = floor(log2 n), P = 2^k, e = n - P. Blocks are parts of a vector, B of them, or the
/// parts of the ranks.
struct ClosedForm {
  Cost cost{};
  const char* hops = "";    ///< as text: "2(n-1)"
  const char* blocks = "";  ///< the most that a rank sends, and of how many: "2(n-1) of n"
  const char* source = "";  ///< where the pattern and its count are known from
};

/// Nothing for a schedule that there is not. Costs are those with root 0, and hold for every root but in
/// halving_doubling, where a root in a pair has more to do than one without.
std::optional<ClosedForm> closed_form(const Schedule& schedule);

}  // namespace tutti::plan
