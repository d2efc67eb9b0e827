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

constexpr const char* row_format = "{:<17} {:<19} {:<7} {:<31} {}\n";

/// A pair that is not there must have no steps either.
bool has_steps(Schedule schedule) {
  if (is_pairwise(schedule.collective)) return false;  // the same steps by whatever name
  schedule.size = 2;
  for (int lane = 0; lane < lanes(schedule); ++lane) {
    if (steps(schedule, 0, lane) > 0) return true;
  }
  return false;
}

std::string cost_difference(const Schedule& schedule, const ProgramOf& program) {
  const Cost counted = prove(program(schedule), {.chunks = 1, .slots = least_slots(schedule)}).cost;
  const Cost formula = closed_form(schedule)->cost;
  if (counted == formula) return {};
  const auto words = [](const Cost& cost) {
    return fmt::format("{} hops, {} barriers, {} messages, {} blocks, {} blocks of all ranks", cost.hops, cost.barriers,
                       cost.most_messages, cost.most_blocks, cost.all_blocks);
  };
  return fmt::format("{} by {}{}, {} ranks: {}; the closed form says {}", name(schedule.collective),
                     name(schedule.algorithm), schedule.window ? " (window)" : "", schedule.size, words(counted),
                     words(formula));
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

/// What is wrong with a schedule that there is; empty when nothing is.
std::string fault_of(Schedule schedule, int first, int last, const ProgramOf& program) {
  if (const auto failed = counter_example(schedule, first, last, program)) return to_string(*failed);
  for (schedule.size = first; schedule.size <= last; ++schedule.size) {
    std::string difference = cost_difference(schedule, program);
    if (!difference.empty()) return difference;
  }
  return {};
}

/// The line of a schedule. True when all is as it should be.
bool report(const Schedule& schedule, int first, std::ostream& out, const ProgramOf& program) {
  const std::string collective{name(schedule.collective)};
  const std::string pattern = fmt::format("{}{}", name(schedule.algorithm), schedule.window ? " (window)" : "");
  if (const char* reason = unsupported(schedule)) {
    out << fmt::format(row_format, collective, pattern, "-", "none", reason);
    if (!has_steps(schedule)) return true;
    out << fmt::format("WRONG: {} by {} has steps all the same\n", collective, pattern);
    return false;
  }
  if (is_pairwise(schedule.collective)) first = std::max(first, 2);
  const std::string fault = fault_of(schedule, first, schedule.size, program);
  if (!fault.empty()) {
    out << "WRONG: " << fault << std::endl;
    return false;
  }
  const ClosedForm form = *closed_form(schedule);
  out << fmt::format(row_format, collective, pattern, fmt::format("{}..{}", first, schedule.size),
                     hops_of(schedule, form), bytes_of(schedule, form))
      << std::flush;
  return true;
}

}  // namespace

bool report_proofs(std::span<const Collective> collectives, std::span<const Algorithm> algorithms, int first_rank,
                   int last_rank, std::ostream& out, const ProgramOf& program) {
  expect(1 <= first_rank && first_rank <= last_rank && last_rank <= most_proven_ranks, Code::invalid_argument,
         "the range of ranks must lie between 1 and 64", "name it as in --ranks 1..64");
  out << "k = floor(log2 n), P = 2^k, e = n - P; m: the vector, or the parts of all ranks; values for the most ranks\n";
  out << fmt::format(row_format, "collective", "algorithm", "ranks", "hops",
                     "sent by the busiest rank, in blocks and bytes");
  int proven = 0;
  int absent = 0;
  int wrong = 0;
  for (const Collective collective : collectives) {
    for (const Algorithm algorithm : algorithms) {
      for (const bool window : {false, true}) {
        if (window && !window::exists(collective, algorithm)) continue;
        const Schedule schedule{collective, algorithm, window, last_rank, 0};
        const bool there = unsupported(schedule) == nullptr;
        if (!report(schedule, first_rank, out, program)) {
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
