#include "cli/bench_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "tutti/base/units.hpp"

namespace tutti::bench {

namespace {

/// Four significant digits, as far as they go: 0.2931, 12.34, 1234, 123456.
std::string short_number(double value) {
  if (value >= 1000) return fmt::format("{:.0f}", value);
  const int digits = value <= 0 ? 0 : static_cast<int>(std::floor(std::log10(value)));
  return fmt::format("{:.{}f}", value, std::clamp(3 - digits, 0, 4));
}

std::string probe_text(ProbeTime probe) { return probe ? fmt::format("{:.3f} us", *probe) : "none"; }

/// The four columns of one side.
std::string side(const Row* row) {
  if (row == nullptr) return fmt::format(" {:>9} {:>7} {:>7} {:>6}", "-", "-", "-", "-");
  return fmt::format(" {:>9} {:>7.2f} {:>7.2f} {:>6}", short_number(row->time_us), row->algbw_GBs, row->busbw_GBs,
                     row->wrong ? fmt::to_string(*row->wrong) : "-");
}

/// " (out of place 12, in place 3 iterations)" where time did not suffice for what was planned.
std::string few_iterations(const Row* const sides[2]) {
  std::vector<std::string> parts;
  for (int in_place = 0; in_place < 2; ++in_place) {
    if (sides[in_place] == nullptr || !sides[in_place]->cut_short) continue;
    parts.push_back(fmt::format("{} {}", in_place == 0 ? "out of place" : "in place", sides[in_place]->iterations));
  }
  return parts.empty() ? "" : fmt::format("  (only {} iterations)", fmt::join(parts, ", "));
}

bool same_way(const Row& a, const Row& b) {
  return a.algorithm == b.algorithm && a.engine == b.engine && a.buffers == b.buffers && a.type == b.type &&
         a.operation == b.operation && a.size_bytes == b.size_bytes;
}

std::string ratio_text(const Row* row) {
  return fmt::format(" {:>6}", row != nullptr && row->ratio ? fmt::format("{:.2f}", *row->ratio) : "-");
}

}  // namespace

std::string table_head(const RunFacts& facts, ProbeTime probe, bool with_ratio) {
  std::string text = fmt::format("# tutti {}  ranks {} ({})  on {}\n", facts.tutti, facts.ranks, facts.launcher,
                                 fmt::join(facts.hosts, ", "));
  text += fmt::format("# {}, {} processors, {}  flag exchange between ranks 0 and 1: {}\n",
                      facts.cpu.empty() ? "processor unknown" : facts.cpu, facts.cpus, format_bytes(facts.memory_bytes),
                      probe_text(probe));
  if (!facts.peer.empty()) text += fmt::format("# peer: {}\n", facts.peer);
  if (facts.dirty) text += "# dirty: input rewritten and output read before each operation\n";
  text += fmt::format("#\n# {:>10} {:>12} {:>11} {:>7} {:>5}  {:^32}  {:^32}\n", "", "", "", "", "", "out-of-place",
                      "in-place");
  const std::string columns = fmt::format(" {:>9} {:>7} {:>7} {:>6}", "time", "algbw", "busbw", "#wrong");
  const std::string units = fmt::format(" {:>9} {:>7} {:>7} {:>6}", "(us)", "(GB/s)", "(GB/s)", "");
  const std::string ratios = with_ratio ? fmt::format("  {:>6} {:>6}", "ratio", "ratio") : "";
  const std::string ratio_sides = with_ratio ? fmt::format("  {:>6} {:>6}", "out", "in") : "";
  text += fmt::format("# {:>10} {:>12} {:>11} {:>7} {:>5} {} {}{}  {:<16} {:<6} {}\n", "size", "count", "type", "redop",
                      "root", columns, columns, ratios, "algorithm", "engine", "decision");
  text += fmt::format("# {:>10} {:>12} {:>11} {:>7} {:>5} {} {}{}\n", "(B)", "(elements)", "", "", "", units, units,
                      ratio_sides);
  return text;
}

std::string table_lines(const std::vector<Row>& rows, bool with_ratio) {
  std::string text;
  for (auto row = rows.begin(); row != rows.end(); ++row) {
    const auto first = std::find_if(rows.begin(), row, [&](const Row& earlier) { return same_way(earlier, *row); });
    if (first != row) continue;  // printed beside the earlier one
    const auto other = std::find_if(row + 1, rows.end(), [&](const Row& later) { return same_way(later, *row); });
    const Row* sides[2] = {nullptr, nullptr};
    sides[row->in_place ? 1 : 0] = &*row;
    if (other != rows.end()) sides[other->in_place ? 1 : 0] = &*other;
    text += fmt::format("  {:>10} {:>12} {:>11} {:>7} {:>5} {} {}", row->size_bytes, row->count, row->type,
                        row->operation, row->root, side(sides[0]), side(sides[1]));
    if (with_ratio) text += " " + ratio_text(sides[0]) + ratio_text(sides[1]);
    text += fmt::format("  {:<16} {:<6} {}{}{}\n", row->algorithm, row->engine, row->decision,
                        row->buffers == "shared" ? ", shared buffers" : "", few_iterations(sides));
  }
  return text;
}

std::string summary(const std::vector<Row>& rows) {
  std::vector<std::string> ways;
  std::vector<std::size_t> sizes;
  const auto way_of = [](const Row& row) { return row.algorithm + (row.buffers == "shared" ? "*" : ""); };
  const bool in_place = std::none_of(rows.begin(), rows.end(), [](const Row& row) { return !row.in_place; });
  for (const Row& row : rows) {
    if (row.type != rows.front().type || row.operation != rows.front().operation) return {};
    if (row.in_place != in_place) continue;
    if (std::find(ways.begin(), ways.end(), way_of(row)) == ways.end()) ways.push_back(way_of(row));
    if (std::find(sizes.begin(), sizes.end(), row.size_bytes) == sizes.end()) sizes.push_back(row.size_bytes);
  }
  if (ways.size() < 2) return {};
  const Row& any = rows.front();
  std::string text = fmt::format("#\n# {} of {}{}, {} ranks: time in us, {}{}\n# {:>10}", any.collective, any.type,
                                 any.operation == "none" ? "" : " by " + any.operation, any.ranks,
                                 in_place ? "in place" : "out of place",
                                 any.peer.empty() ? "" : "; ratio: " + any.peer + "'s time over automatic's", "size");
  for (const std::string& way : ways) text += fmt::format(" {:>16}", way);
  if (!any.peer.empty()) text += fmt::format(" {:>7}", "ratio");
  text += "\n";
  for (const std::size_t size : sizes) {
    text += fmt::format("  {:>10}", format_bytes(size));
    std::string ratio = "-";
    for (const std::string& way : ways) {
      const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& candidate) {
        return candidate.size_bytes == size && way_of(candidate) == way && candidate.in_place == in_place;
      });
      text += fmt::format(" {:>16}", row == rows.end() ? "-" : short_number(row->time_us));
      if (row != rows.end() && way == "automatic" && row->ratio) ratio = fmt::format("{:.2f}", *row->ratio);
    }
    if (!any.peer.empty()) text += fmt::format(" {:>7}", ratio);
    text += "\n";
  }
  return text;
}

std::string table_foot(const Report& report) {
  if (report.rows.empty()) return {};
  std::size_t wrong = 0;
  bool checked = false;
  for (const Row& row : report.rows) {
    wrong += row.wrong.value_or(0);
    checked = checked || row.wrong.has_value();
  }
  return fmt::format("#\n# wrong values: {}\n",
                     checked ? fmt::format("{} {}", wrong, wrong == 0 ? "OK" : "FAILED") : "not checked");
}

}  // namespace tutti::bench
