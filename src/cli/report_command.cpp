#include "cli/report_command.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <set>
#include <sstream>

#include "cli/bench_json.hpp"
#include "cli/bench_run.hpp"
#include "cli/doctor_input.hpp"
#include "cli/explain_command.hpp"
#include "cli/output_file.hpp"
#include "doctor/rule.hpp"
#include "tutti/base/error.hpp"
#include "tutti/in_process.hpp"
#include "tutti/topology/cluster_file.hpp"
#include "tutti/topology/combine.hpp"
#include "tutti/topology/preset_clusters.hpp"
#include "tutti/topology/presets.hpp"
#include "tutti/topology/read.hpp"

namespace tutti::cli {

namespace {

using report::Origin;
using report::Section;

const std::string live = "live";

bool is_live(const std::vector<std::string>& files) { return files.size() == 1 && files.front() == live; }

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    const bool plain = word.find_first_of(" \t\n\"'\\$&|;<>()*?") == std::string::npos && !word.empty();
    text += (text.empty() ? "" : " ") + (plain ? word : "'" + word + "'");
  }
  return text;
}

/// What the page has been made of so far.
struct Making {
  const ReportParts& parts;
  std::vector<Section> sections{};
  report::Provenance provenance{};
};

void add_machine(Making& making, std::istream& in) {
  const auto& files = making.parts.topology;
  if (files.empty()) return;
  std::string name;
  std::string source;
  if (files.size() == 1 && find_cluster_preset(files.front())) {
    const Cluster cluster = cluster_from_file_or_preset(files.front());
    making.sections.push_back(report::cluster_section(cluster));
    name = cluster.name();
    source = "preset of a cluster";
  } else {
    std::vector<Topology> machines;
    if (is_live(files)) {
      machines.push_back(this_machine());
    } else {
      for (const std::string& file : files) {
        machines.push_back(file == "-" ? from_text(contents_of(file, in), "standard input")
                                       : from_file_or_preset(file));
      }
    }
    const Topology topology = machines.size() == 1 ? machines.front() : combine(machines);
    source = topology.source();
    name = topology.hosts().size() == 1 && !topology.hosts().front().host.empty() ? topology.hosts().front().host
                                                                                  : topology.name();
    const bool cluster = files.size() == 1 && files.front() != "-" && (source == "tutti-cluster" || source == "slurm");
    making.sections.push_back(cluster ? report::cluster_section(cluster_from_file(files.front()))
                                      : report::machine_section(topology));
  }
  if (making.provenance.title.empty()) making.provenance.title = name.substr(name.rfind('/') + 1);  // npos + 1 is 0
  making.provenance.origins.push_back(
      {"machine", is_live(files) ? "this machine" : joined(files), source.empty() ? "" : "source: " + source});
}

void add_findings(Making& making, const doctor::Source& source, std::istream& in) {
  const auto& files = making.parts.doctor;
  if (files.empty()) return;
  std::vector<doctor::Snapshot> hosts;
  std::vector<Finding> findings;
  std::vector<std::string> names;
  if (is_live(files)) {
    hosts.push_back(doctor::collect(source));
  } else {
    std::set<std::string> known;
    for (const std::string& file : files) {
      const std::string text = contents_of(file, in);
      // A result has findings; a snapshot has what they are found in.
      if (text.find("\"findings\"") != std::string::npos && text.find("tutti-doctor-snapshot-") == std::string::npos) {
        for (Finding& finding : report::findings_from_json(text, file)) findings.push_back(std::move(finding));
        continue;
      }
      hosts.push_back(doctor::read_snapshot(text, file));
      std::string& name = hosts.back().host;
      if (name.empty() || !known.insert(name).second) name = fmt::format("{} ({})", name, file);
    }
  }
  for (const doctor::Snapshot& host : hosts) names.push_back(host.host);
  if (!hosts.empty()) {
    for (Finding& finding : doctor::diagnose(hosts)) findings.push_back(std::move(finding));
  }
  making.sections.push_back(report::findings_section(findings, names));
  making.provenance.origins.push_back({"findings", is_live(files) ? "this machine" : joined(files), ""});
  if (making.provenance.title.empty() && names.size() == 1) making.provenance.title = names.front();
}

bench::Report measured(const ReportParts& parts) {
  bench::BenchText text;
  text.collective = parts.collective;
  text.factor = "4";
  text.algorithms = "all";
  text.in_place = "0";
  text.seconds = parts.seconds;
  text.ranks = parts.ranks;
  const bench::BenchOptions options = bench::parse(text);
  bench::Report result;
  in_process(options.ranks, [&](Communicator& communicator) {
    bench::Report mine = bench::run(communicator, options, nullptr, {});
    if (communicator.rank() == 0) result = std::move(mine);
  });
  return result;
}

void add_measurements(Making& making, std::istream& in) {
  const auto& files = making.parts.bench;
  if (files.empty()) return;
  std::vector<std::pair<std::string, std::string>> texts;
  if (is_live(files)) {
    texts.emplace_back("this machine", bench::to_json(measured(making.parts)));
  } else {
    for (const std::string& file : files) texts.emplace_back(file, contents_of(file, in));
  }
  making.sections.push_back(report::bench_section(texts, making.provenance.origins));
}

void add_choice(Making& making, std::istream& in) {
  const ReportParts& parts = making.parts;
  if (parts.explain.empty()) return;
  if (parts.explain != live) {
    making.sections.push_back(report::explain_section(parts.explain, contents_of(parts.explain, in)));
    making.provenance.origins.push_back({"choice", parts.explain, ""});
    return;
  }
  // A machine that is described has prices; this one has the crossovers of its engine.
  ExplainOptions options;
  options.collective = parts.collective;
  options.bytes = parts.bytes;
  options.json = true;
  options.here = parts.topology.size() != 1 || is_live(parts.topology);
  if (options.here) {
    options.ranks = parts.ranks;
  } else {
    options.topology = parts.topology.front();
  }
  std::ostringstream text;
  explain_command(options, text);
  making.sections.push_back(report::explain_section("explain", text.str()));
  making.provenance.origins.push_back(
      {"choice", options.here ? "this process" : options.topology, fmt::format("tutti {}", TUTTI_VERSION)});
}

}  // namespace

std::string report_page(const ReportParts& given, const doctor::Source& source, std::istream& in) {
  ReportParts parts = given;
  if (parts.topology.empty() && parts.bench.empty() && parts.doctor.empty() && parts.explain.empty()) {
    parts.topology = parts.bench = parts.doctor = {live};
    parts.explain = live;
  }
  Making making{.parts = parts};
  making.provenance = {.title = parts.title,
                       .host = this_host_facts().host,
                       .date = parts.date,
                       .command = parts.command,
                       .origins = {}};
  add_machine(making, in);
  add_findings(making, source, in);
  add_measurements(making, in);
  add_choice(making, in);
  if (making.provenance.title.empty()) making.provenance.title = "results";
  return report::page(making.sections, making.provenance);
}

void add_report_command(CLI::App& app, int& status, const std::vector<std::string>& words) {
  struct Given {
    ReportParts parts{};
    std::string output = "report.html";
  };
  const auto given = std::make_shared<Given>();
  given->parts.command = joined(words);
  CLI::App* report = app.add_subcommand(
      "report", "One page (HTML) of a machine, its findings, measurements and choices; without files: of this machine");
  ReportParts& parts = given->parts;
  report->add_option("-o,--output", given->output, "The page; - is standard output")->capture_default_str();
  report->add_option(
      "--topology", parts.topology,
      "Files of a machine, the name of a preset, or live; several sources of one machine are put together");
  report->add_option("--doctor", parts.doctor,
                     "Snapshots (tutti doctor collect), results (tutti doctor --format json), or live");
  report->add_option("--bench", parts.bench, "Results (tutti bench --json), or live");
  report->add_option("--explain", parts.explain, "A result (tutti explain --json), or live");
  report->add_option("--collective", parts.collective, "What is measured and explained live")->capture_default_str();
  report->add_option("--bytes", parts.bytes, "The size that is explained live")->capture_default_str();
  report->add_option("--ranks", parts.ranks, "Threads that are measured and explained live")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  report->add_option("--seconds", parts.seconds, "About how long measuring live may take")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  report->add_option("--title", parts.title, "The page's heading; the machine's name otherwise");
  report->callback([given, &status] {
    given->parts.date = fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(std::chrono::system_clock::now()));
    const doctor::Source source = doctor::this_machine_source();
    if (given->output == "-") {
      std::cout << report_page(given->parts, source, std::cin);
    } else {
      OutputFile output(given->output);
      output.write(report_page(given->parts, source, std::cin));
      output.publish();
    }
    status = 0;
  });
}

}  // namespace tutti::cli
