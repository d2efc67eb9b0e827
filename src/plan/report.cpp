#include "plan/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <string>

#include "tutti/base/error.hpp"
#include "tutti/plan/closed_form.hpp"
#include "tutti/plan/proof.hpp"

namespace tutti::plan {

namespace {

constexpr const char* row = "{:<17} {:<19} {:<7} {:<31} {}\n";

std::string pattern_name(const Schedule& schedule) {
  return fmt::format("{}{}", name(schedule.algorithm), schedule.window ? " (window)" : "");
}

/// A pair that is not there must have no steps either.
std::string unexpected_steps(Schedule schedule) {
  schedule.size = 2;
  for (int lane = 0; lane < lanes(schedule); ++lane) {
    if (steps(schedule, 0, lane) > 0) return "is said not to be there, but has steps";
  }
  return {};
}

std::string cost_difference(const Schedule& schedule) {
  const Cost counted = prove(schedule, {.chunks = 1, .slots = least_slots(schedule)}).cost;
  const Cost formula = closed_form(schedule)->cost;
  if (counted == formula) return {};
  const auto words = [](const Cost& cost) {
    return fmt::format("{} hops, {} barriers, {} messages, {} blocks, {} blocks of all ranks", cost.hops, cost.barriers,
                       cost.most_messages, cost.most_blocks, cost.all_blocks);
  };
  return fmt::format("{} ranks take {}; the closed form says {}", schedule.size, words(counted), words(formula));
}

/// What a rank sends at most, as a multiple of the data: of the vector, or of all ranks' parts together.
std::string bytes_of(const Schedule& schedule, const ClosedForm& form) {
  if (schedule.collective == Collective::barrier) return form.blocks;
  return fmt::format("{} = {:.2f} m", form.blocks, static_cast<double>(form.cost.most_blocks) / blocks(schedule));
}

std::string hops_of(const Schedule& schedule, const ClosedForm& form) {
  if (schedule.window) return fmt::format("{} barrier{}", form.cost.barriers, form.cost.barriers == 1 ? "" : "s");
  const std::string value = std::to_string(form.cost.hops);
  return form.hops == value ? value : fmt::format("{} = {}", form.hops, value);
}

/// True when all is as it should be.
bool prove_family(Schedule schedule, int first, int last, std::ostream& out) {
  if (is_pairwise(schedule.collective)) first = std::max(first, 2);
  schedule.size = std::max(first, last);
  const std::string collective{name(schedule.collective)};
  if (const char* reason = unsupported(schedule)) {
    const std::string wrong =
        schedule.size > 1 && !is_pairwise(schedule.collective) ? unexpected_steps(schedule) : std::string{};
    out << fmt::format(row, collective, pattern_name(schedule), "-", "none", reason) << std::flush;
    if (!wrong.empty()) out << "  WRONG: it " << wrong << '\n';
    return wrong.empty();
  }
  if (const auto failed = counter_example(schedule, first, last)) {
    out << "WRONG: " << to_string(*failed) << std::endl;
    return false;
  }
  for (schedule.size = first; schedule.size <= last; ++schedule.size) {
    const std::string wrong = cost_difference(schedule);
    if (wrong.empty()) continue;
    out << "WRONG: " << collective << " by " << pattern_name(schedule) << ": " << wrong << std::endl;
    return false;
  }
  schedule.size = last;
  const ClosedForm form = *closed_form(schedule);
  out << fmt::format(row, collective, pattern_name(schedule), fmt::format("{}..{}", first, last),
                     hops_of(schedule, form), bytes_of(schedule, form))
      << std::flush;
  return true;
}

}  // namespace

bool report_proofs(std::span<const Collective> collectives, std::span<const Algorithm> algorithms, int first_rank,
                   int last_rank, std::ostream& out) {
  expect(1 <= first_rank && first_rank <= last_rank && last_rank <= most_proven_ranks, Code::invalid_argument,
         "the range of ranks must lie between 1 and 64", "name it as in --ranks 1..64");
  out << "k = floor(log2 n), P = 2^k, e = n - P; m: the vector, or the parts of all ranks; values for the most ranks\n";
  out << fmt::format(row, "collective", "algorithm", "ranks", "hops", "sent by the busiest rank, in blocks and bytes");
  int proven = 0;
  int absent = 0;
  int wrong = 0;
  for (const Collective collective : collectives) {
    for (const Algorithm algorithm : algorithms) {
      for (const bool window : {false, true}) {
        if (window && !window::exists(collective, algorithm)) continue;
        const Schedule schedule{collective, algorithm, window, last_rank, 0};
        const bool there = unsupported(schedule) == nullptr;
        if (!prove_family(schedule, first_rank, last_rank, out)) {
          ++wrong;
        } else {
          ++(there ? proven : absent);
        }
      }
    }
  }
  out << fmt::format("{} schedules proven, {} pairs without one, {} wrong\n", proven, absent, wrong);
  return wrong == 0;
}

}  // namespace tutti::plan
