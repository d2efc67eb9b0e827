#include "cli/plan_command.hpp"

#include <iterator>

#include "plan/report.hpp"
#include "tutti/plan/schedule.hpp"

namespace tutti::cli {

std::vector<Collective> all_collectives() {
  std::vector<Collective> all;
  for (int i = 0; i < collective_count; ++i) all.push_back(static_cast<Collective>(i));
  return all;
}

std::vector<Algorithm> all_patterns() { return {std::begin(plan::patterns), std::end(plan::patterns)}; }

int plan_prove(const std::vector<Collective>& collectives, const std::vector<Algorithm>& algorithms, int first_rank,
               int last_rank, std::ostream& out) {
  return plan::report_proofs(collectives, algorithms, first_rank, last_rank, out) ? 0 : 1;
}

}  // namespace tutti::cli
