#include "cli/trace_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <vector>

#include "cli/output_file.hpp"
#include "run/trace/merge.hpp"
#include "topology/text.hpp"
#include "tutti/base/error.hpp"

namespace tutti::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* folder_remedy = "give the folder that TUTTI_TRACE named when the job ran";

/// Files that are no traces are left out, and told of; unless all are.
std::vector<trace::RankTrace> traces_in(const std::string& folder, std::ostream& out) {
  std::vector<fs::path> files;
  std::error_code error;
  for (auto each = fs::directory_iterator(folder, error); !error && each != fs::directory_iterator();
       each.increment(error)) {
    if (each->path().extension() == ".trace") files.push_back(each->path());
  }
  if (error) {
    throw Error(Code::invalid_argument, fmt::format("cannot read {}: {}", folder, error.message()),
                {.remedy = folder_remedy});
  }
  if (files.empty()) {
    throw Error(Code::invalid_argument, fmt::format("there is no trace in {}", folder), {.remedy = folder_remedy});
  }
  std::sort(files.begin(), files.end());
  std::vector<trace::RankTrace> traces;
  std::optional<Error> first;
  for (const fs::path& file : files) {
    try {
      std::ifstream in(file, std::ios::binary);
      std::ostringstream text;
      text << in.rdbuf();
      if (!in) throw Error(Code::invalid_argument, fmt::format("cannot read {}", file.string()));
      traces.push_back(trace::parse_rank_trace(text.str(), file.string()));
    } catch (const Error& error) {
      out << printable_lines(fmt::format("Left out: {}\n", error.reason()));
      if (!first) first = error;
    }
  }
  if (traces.empty()) throw *first;
  return traces;
}

/// The traces of the job that is asked for; says which others there are.
std::vector<trace::RankTrace> of_one_run(std::vector<trace::RankTrace> traces, const std::string& wanted,
                                         std::ostream& out) {
  std::map<std::string, std::int64_t> runs;  // with the time at which they began
  const auto id = [](const trace::RankTrace& each) { return fmt::format("{:016x}", each.head.family); };
  for (const trace::RankTrace& each : traces) runs[id(each)] = each.head.began;
  std::string run = wanted;
  if (run.empty()) {
    run = std::max_element(runs.begin(), runs.end(), [](const auto& a, const auto& b) {
            return a.second < b.second;
          })->first;
  } else if (!runs.contains(run)) {
    std::string all;
    for (const auto& [each, began] : runs) all += (all.empty() ? "" : ", ") + each;
    throw Error(Code::invalid_argument, fmt::format("there is no run {}", run), {.remedy = "there are " + all});
  }
  for (const auto& [each, began] : runs) {
    if (each != run && wanted.empty()) out << fmt::format("An earlier run is left out: --run {}\n", each);
  }
  std::erase_if(traces, [&](const auto& each) { return id(each) != run; });
  return traces;
}

std::string duration(std::int64_t ns) {
  if (ns < 1'000'000) return fmt::format("{:.1f} us", static_cast<double>(ns) / 1e3);
  if (ns < 1'000'000'000) return fmt::format("{:.1f} ms", static_cast<double>(ns) / 1e6);
  return fmt::format("{:.2f} s", static_cast<double>(ns) / 1e9);
}

}  // namespace

void trace_command(const TraceArguments& arguments, std::ostream& out) {
  const auto traces = of_one_run(traces_in(arguments.folder, out), arguments.run, out);
  const trace::Timeline timeline =
      trace::merge(traces, {.late_ns = static_cast<std::int64_t>(arguments.late_us * 1000)});
  if (!arguments.output.empty()) {
    OutputFile file(arguments.output);
    file.write(timeline.json);
    file.publish();
  }

  out << fmt::format("{} of {} ranks, {} calls", traces.size(), traces.front().head.ranks, timeline.calls);
  if (timeline.error_ns > 0) out << ", clocks known within " << duration(timeline.error_ns);
  out << '\n';
  if (timeline.lost > 0)
    out << fmt::format("{} calls are missing: they could not be written in time, or at all\n", timeline.lost);
  for (const trace::RankTrace& each : traces) {
    if (each.cut_short)
      out << fmt::format("The trace of rank {} has no end: its process was killed, or still runs\n", each.head.rank);
  }
  out << fmt::format("\n{:>6}  {:<20} {:>10} {:>14} {:>12} {:>12}\n", "rank", "host", "compared", "last and late",
                     "by (median)", "waited");
  for (const trace::RankLateness& rank : timeline.ranks) {
    out << printable_lines(fmt::format("{:>6}  {:<20} {:>10} {:>14} {:>12} {:>12}\n", rank.rank, rank.host, rank.calls,
                                       rank.last, rank.last > 0 ? duration(rank.median_ns) : "-",
                                       duration(rank.waited_ns)));
  }
  if (!arguments.output.empty()) out << fmt::format("\nOpen {} in https://ui.perfetto.dev.\n", arguments.output);
}

void add_trace_command(CLI::App& app) {
  const auto given = std::make_shared<TraceArguments>();
  CLI::App* trace =
      app.add_subcommand("trace", "The traces of a job's ranks (TUTTI_TRACE) as one timeline; who was late");
  trace->add_option("FOLDER", given->folder, "That TUTTI_TRACE named")->required();
  trace->add_option("-o,--output", given->output, "The timeline, for Perfetto");
  trace->add_option("--late", given->late_us, "Microseconds after the first rank from which one is late")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e12));
  trace->add_option("--run", given->run, "Which run, where the folder has several; else the newest");
  trace->callback([given] { trace_command(*given, std::cout); });
}

}  // namespace tutti::cli
