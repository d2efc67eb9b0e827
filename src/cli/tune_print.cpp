/// @file  A tuning as tables, for people.
#include <fmt/format.h>

#include <algorithm>

#include "cli/tune_command.hpp"
#include "tutti/base/units.hpp"

namespace tutti::cli {

namespace {

std::string way_text(Algorithm algorithm, Protocol protocol) {
  return fmt::format("{}/{}", name(algorithm), name(protocol));
}

/// Three significant digits.
std::string figure(double value) {
  if (value >= 100) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}f}", value, value >= 10 ? 1 : value >= 1 ? 2 : 3);
}

std::string interval_text(const Interval& interval) {
  if (interval.value <= 0) return "-";
  return fmt::format("{} ({} to {})", figure(interval.value), figure(interval.low), figure(interval.high));
}

void print_call(const TunedCall& call, std::ostream& out) {
  out << fmt::format("\n{} among {} {}\n", name(call.collective), call.ranks, name(call.reach));
  out << fmt::format("{:>10}  {:<26} {}\n", "from", "way", "the turn lies between");
  for (const TunedTurn& turn : call.turns) {
    const std::string between =
        turn.bytes == 0 ? "" : fmt::format("{} and {}", format_bytes(turn.low), format_bytes(turn.high));
    const std::string line =
        fmt::format("{:>10}  {:<26} {}", format_bytes(turn.bytes), way_text(turn.algorithm, turn.protocol), between);
    out << line.substr(0, line.find_last_not_of(' ') + 1) << '\n';
  }
  out << fmt::format("\n{:<26} {:<26} {:<26} {:>7}  {}\n", "way", "latency us", "GB/s", "fit ± %", "measured up to");
  for (const TunedWay& way : call.ways) {
    out << fmt::format("{:<26} {:<26} {:<26} {:>7.0f}  {}\n", way_text(way.algorithm, way.protocol),
                       interval_text(way.latency_us), interval_text(way.gbs), 100 * way.error,
                       way.points.empty() ? "-" : format_bytes(way.points.back().bytes));
  }
}

}  // namespace

void print_tuning(const Tuning& tuning, std::ostream& out) {
  out << fmt::format("tuning {} for machines {}\n", digest(tuning), digest(tuning.machine));
  for (const auto& [key, value] : tuning.machine.facts) out << fmt::format("  {:<21} {}\n", key, value);
  out << fmt::format("sizes are bytes of one rank's data; a way is left where that saves more than {:g} %\n",
                     100 * tuning.hysteresis);
  for (const TunedCall& call : tuning.calls) print_call(call, out);
}

}  // namespace tutti::cli
