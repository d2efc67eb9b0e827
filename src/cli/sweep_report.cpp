#include "cli/sweep_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tutti/base/units.hpp"

namespace tutti::sweep {

namespace {

std::string shown_us(double us) {
  if (!std::isfinite(us)) return "-";
  return us < 100 ? fmt::format("{:.2f}", us) : fmt::format("{:.0f}", us);
}

const char* mark(const SweepPlan& plan) { return plan.simulated ? "simulated" : "measured"; }

void print_times(const SweepPlan& plan, const SweepResult& result, const std::vector<std::string>& idle,
                 std::ostream& out) {
  std::vector<std::string> names;
  std::size_t width = 12;
  for (std::size_t c = 0; c < plan.combinations.size(); ++c) {
    names.push_back(short_name(plan.combinations[c], idle));
    width = std::max(width, names.back().size());
  }
  out << fmt::format("{:<{}}", fmt::format("us, {}", mark(plan)), width);
  for (const std::size_t size : plan.sizes) out << fmt::format(" {:>9}", format_bytes(size));
  out << '\n';
  for (std::size_t c = 0; c < names.size(); ++c) {
    // Those that differ in idle settings only are one.
    if (!result.outcomes[c].excluded.empty() || std::find(names.begin(), names.begin() + static_cast<long>(c),
                                                          names[c]) != names.begin() + static_cast<long>(c)) {
      continue;
    }
    out << fmt::format("{:<{}}", names[c], width);
    for (const Cell& cell : result.outcomes[c].cells) out << fmt::format(" {:>9}", shown_us(cell.median()));
    out << '\n';
  }
  bool first = true;
  std::vector<std::string> told;
  for (std::size_t c = 0; c < names.size(); ++c) {
    if (result.outcomes[c].excluded.empty() || std::find(told.begin(), told.end(), names[c]) != told.end()) continue;
    if (first) out << "\nexcluded\n";
    first = false;
    told.push_back(names[c]);
    out << fmt::format("{:<{}} {}\n", names[c], width, result.outcomes[c].excluded);
  }
}

std::string percent(double share) { return fmt::format("{:.0f}", 100 * share); }

void print_winners(const SweepPlan& plan, const std::vector<Winner>& best, const std::vector<std::string>& idle,
                   std::ostream& out) {
  out << fmt::format("\n{:>9}  {:>10} {:>8}  {:>7} {:>6}  {}\n", "size", "us", "busbw", "ahead %", "sure %",
                     fmt::format("winner, {}", mark(plan)));
  for (std::size_t size = 0; size < best.size(); ++size) {
    const Winner& winner = best[size];
    if (winner.combination < 0) continue;
    out << fmt::format("{:>9}  {:>10} {:>8.2f}  {:>7} {:>6}  {}\n", format_bytes(plan.sizes[size]), shown_us(winner.us),
                       winner.busbw_gbs, winner.next < 0 ? "-" : fmt::format("{:.1f}", 100 * winner.ahead),
                       winner.sure < 0 ? "-" : percent(winner.sure),
                       short_name(plan.combinations[static_cast<std::size_t>(winner.combination)], idle));
  }
}

/// A bar for each size; their length is the logarithm of the bus bandwidth.
void print_bars(const SweepPlan& plan, const std::vector<Winner>& best, const std::vector<std::string>& idle,
                std::ostream& out) {
  double least = INFINITY;
  double most = 0;
  for (const Winner& winner : best) {
    if (winner.combination < 0 || winner.busbw_gbs <= 0) continue;
    least = std::min(least, winner.busbw_gbs);
    most = std::max(most, winner.busbw_gbs);
  }
  if (most <= 0) return;
  constexpr double length = 48;
  out << fmt::format("\nbus bandwidth of the winners, {}, logarithmic: {:.3g} to {:.3g} GB/s\n", mark(plan), least,
                     most);
  for (std::size_t size = 0; size < best.size(); ++size) {
    if (best[size].combination < 0 || best[size].busbw_gbs <= 0) continue;
    const double share = most > least ? std::log(best[size].busbw_gbs / least) / std::log(most / least) : 1;
    const Combination& winner = plan.combinations[static_cast<std::size_t>(best[size].combination)];
    out << fmt::format("{:>9} |{:<50} {}\n", format_bytes(plan.sizes[size]),
                       std::string(static_cast<std::size_t>(1 + std::lround(length * share)), '#'),
                       short_name(winner, idle));
  }
}

}  // namespace

void print(const SweepPlan& plan, const SweepResult& result, std::ostream& out) {
  const std::vector<std::string> idle = idle_settings(plan, result);
  const std::vector<Winner> best = winners(plan, result);
  if (plan.simulated) {
    out << fmt::format("all_reduce on {} GPUs of {}, simulated: nothing here is measured\n\n", result.ranks,
                       plan.where);
  } else {
    out << fmt::format("all_reduce on {} processes by {}, medians of {} launches\n\n", result.ranks, plan.where,
                       plan.launches);
  }
  print_times(plan, result, idle, out);
  for (const std::string& key : idle) out << fmt::format("note: {} changes nothing here\n", key);
  for (const std::string& note : result.notes) out << "note: " << note << '\n';
  print_winners(plan, best, idle, out);
  print_bars(plan, best, idle, out);
}

}  // namespace tutti::sweep
