#include "cli/simulate_command.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <functional>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/cluster_named.hpp"
#include "cli/output_file.hpp"
#include "cli/shown_option.hpp"
#include "tutti/base/error.hpp"
#include "tutti/base/units.hpp"

namespace tutti::cli {

namespace {

/// Bytes; of this process, ever.
std::size_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

std::string run_time_text(double us) {
  if (us < 1e3) return fmt::format("{:.2f} us", us);
  return us < 1e6 ? fmt::format("{:.3f} ms", us / 1e3) : fmt::format("{:.4f} s", us / 1e6);
}

void print_links(const SimulatedRun& run, std::ostream& out) {
  out << fmt::format("{:<22} {:>10} {:>10} {:>9} {:>9}\n", "links", "how many", "GB/s each", "busiest", "mean");
  for (const LinkLoad& load : run.loads) {
    out << fmt::format("{:<22} {:>10} {:>10.1f} {:>8.1f}% {:>8.1f}%\n", load.name, load.links, load.gbs,
                       100 * load.busiest, 100 * load.mean);
  }
}

void print(const SimulatedRun& run, const SimulateOptions& options, const Cluster& cluster, double wall_s,
           std::ostream& out) {
  out << fmt::format("{} of {} on {} GPUs of {}, simulated\n\n", options.collective,
                     format_bytes(parse_bytes(options.bytes)), run.ranks, cluster.name());
  out << fmt::format("time        {}\n", run_time_text(run.us));
  out << fmt::format("algbw       {:.2f} GB/s\nbusbw       {:.2f} GB/s\n", run.algorithm_gbs, run.bus_gbs);
  out << fmt::format("bottleneck  {}\n", run.bottleneck);
  for (std::size_t p = 0; p < run.phases.size(); ++p)
    out << fmt::format("{:<12}{}\n", p == 0 ? "phases" : "", run.phases[p]);
  out << fmt::format("channels    {}\nchunks      {}\n\n", run.channels, run.chunks);
  print_links(run, out);
  for (const std::string& note : run.notes) out << "note: " << note << '\n';
  out << fmt::format("\n{} ranks played for {}; {} messages, {} events\n", run.simulated_ranks, run.ranks, run.messages,
                     run.events);
  out << fmt::format("wall time {:.4f} s, peak memory {}\n", wall_s, format_bytes(peak_memory()));
}

nlohmann::ordered_json json_of_links(const SimulatedRun& run) {
  nlohmann::ordered_json links = nlohmann::ordered_json::array();
  for (const LinkLoad& load : run.loads) {
    links.push_back({{"name", load.name},
                     {"count", load.links},
                     {"GBs", load.gbs},
                     {"busiest", load.busiest},
                     {"mean", load.mean}});
  }
  return links;
}

nlohmann::ordered_json json_of(const SimulatedRun& run, const SimulateOptions& options, const Cluster& cluster,
                               double wall_s) {
  nlohmann::ordered_json json;
  json["simulated"] = true;
  json["cluster"] = cluster.name();
  json["collective"] = options.collective;
  json["algorithm"] = options.algorithm;
  json["size_bytes"] = parse_bytes(options.bytes);
  json["ranks"] = run.ranks;
  json["time_us"] = run.us;
  json["algbw_GBs"] = run.algorithm_gbs;
  json["busbw_GBs"] = run.bus_gbs;
  json["bottleneck"] = run.bottleneck;
  json["channels"] = run.channels;
  json["chunks"] = run.chunks;
  json["phases"] = run.phases;
  json["notes"] = run.notes;
  json["links"] = json_of_links(run);
  json["played_ranks"] = run.simulated_ranks;
  json["messages"] = run.messages;
  json["events"] = run.events;
  json["wall_s"] = wall_s;
  json["peak_bytes"] = peak_memory();
  return json;
}

constexpr std::uint64_t most_bytes = std::uint64_t{8} << 30;

/// A line that tells how far a long run is, where somebody looks.
std::function<void(double)> progress_line() {
  if (isatty(STDERR_FILENO) == 0) return {};
  return [shown = -1](double share) mutable {
    const int percent = static_cast<int>(100 * share);
    if (percent == shown) return;
    shown = percent;
    fmt::print(stderr, "\r{:3} % ", percent);
    if (percent >= 99) fmt::print(stderr, "\r      \r");
    std::fflush(stderr);
  };
}

/// Each job by itself, and all at once.
int simulate_together(const SimulateOptions& options, std::ostream& out) {
  if (!options.trace.empty() || !options.timeline.empty()) {
    throw Error(Code::invalid_argument, "--trace and --timeline show one job", {.remedy = "leave out --job"});
  }
  const std::vector<Job> jobs = jobs_of(options);
  const Cluster cluster = cluster_named(options.cluster, options.nodes);
  const std::vector<SimulatedRun> together = simulate_jobs(cluster, jobs, most_bytes, progress_line());
  std::vector<SimulatedRun> alone;
  for (const Job& job : jobs) alone.push_back(simulate_jobs(cluster, {job}, most_bytes, progress_line()).front());
  const auto machines_of = [&](std::size_t j) { return options.jobs[j].substr(0, options.jobs[j].find(':')); };
  if (options.json) {
    nlohmann::ordered_json json{{"simulated", true}, {"cluster", cluster.name()}};
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      json["jobs"].push_back({{"machines", machines_of(j)},
                              {"ranks", together[j].ranks},
                              {"collective", name(jobs[j].scenario.collective)},
                              {"size_bytes", jobs[j].scenario.bytes},
                              {"phases", together[j].phases},
                              {"alone_us", alone[j].us},
                              {"together_us", together[j].us}});
    }
    json["links"] = json_of_links(together.front());
    out << json.dump(2) << '\n';
    return 0;
  }
  out << fmt::format("{} jobs at once on {}, simulated\n\n", jobs.size(), cluster.name());
  out << fmt::format("{:>3}  {:<18} {:>6}  {:<24} {:>11} {:>11} {:>8}  {}\n", "job", "machines", "GPUs", "what",
                     "alone", "together", "longer", "phases");
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    const std::string what =
        fmt::format("{} of {}", name(jobs[j].scenario.collective), format_bytes(jobs[j].scenario.bytes));
    out << fmt::format("{:>3}  {:<18} {:>6}  {:<24} {:>11} {:>11} {:>6.1f} %  {}\n", j, machines_of(j),
                       together[j].ranks, what, run_time_text(alone[j].us), run_time_text(together[j].us),
                       100 * (together[j].us / alone[j].us - 1), together[j].phases.front());
    for (std::size_t p = 1; p < together[j].phases.size(); ++p) {
      out << fmt::format("{:>91}{}\n", "", together[j].phases[p]);
    }
  }
  out << '\n';
  print_links(together.front(), out);
  return 0;
}

}  // namespace

int simulate_command(const SimulateOptions& options, std::ostream& out) {
  if (!options.jobs.empty()) return simulate_together(options, out);
  const Scenario scenario = scenario_of(options);
  const auto begin = std::chrono::steady_clock::now();
  const Cluster cluster = cluster_named(options.cluster, options.nodes);
  std::unique_ptr<OutputFile> trace;
  if (!options.trace.empty()) trace = std::make_unique<OutputFile>(options.trace);
  std::unique_ptr<OutputFile> timeline;
  if (!options.timeline.empty()) timeline = std::make_unique<OutputFile>(options.timeline);
  const SimulatedRun run = simulate(cluster, scenario, most_bytes, progress_line());
  const double wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (trace) {
    trace->write(perfetto_trace(run));
    trace->publish();
  }
  if (timeline) {
    timeline->write(svg_timeline(run));
    timeline->publish();
  }
  if (options.json) {
    out << json_of(run, options, cluster, wall_s).dump(2) << '\n';
  } else {
    print(run, options, cluster, wall_s, out);
  }
  return 0;
}

void add_simulate_command(CLI::App& app, int& status) {
  const auto given = std::make_shared<SimulateOptions>();
  CLI::App* command = app.add_subcommand("simulate", "How long a collective takes on a cluster that is described");
  const auto option = shown_options(*command);
  option("--cluster", given->cluster, "A preset of a cluster or a machine, or a file that describes one");
  option("--nodes", given->nodes, "Of the preset; 0: as many as it has");
  option("--ranks", given->ranks, "The first GPUs; 0: all");
  option("--collective", given->collective, "all_reduce, all_gather, …");
  option("--bytes", given->bytes, "As nccl-tests counts a size: the vector, or all ranks' parts together");
  option("--algorithm", given->algorithm,
         "ring, tree, direct, halving_doubling, bruck, two_level, pat, multicast, switch_reduction, or automatic: "
         "the cheapest by price");
  option("--inside", given->inside, "two_level, switch_reduction: inside a machine, ring, direct or automatic");
  option("--between", given->between, "two_level: between machines, or automatic");
  option("--protocol", given->protocol, "simple, ll or ll128");
  option("--channels", given->channels, "Schedules side by side, each with a part; 0: chosen");
  option("--chunks", given->chunks, "Pieces that follow one another; 0: chosen");
  command->add_flag("--one-by-one", given->one_by_one, "Play every rank, also where they are alike");
  option("--oversubscription", given->oversubscription, "Of the lowest switches; 0: as described");
  option("--background", given->background, "Share of the switches' uplinks that others take");
  option("--slow-rail", given->slow_rails, "RAIL:SHARE, of its rate, on all machines");
  option("--straggler", given->stragglers, "RANK:LATE_US[:SHARE], begins late, and reaches a share of its links' rate");
  option("--fail", given->failures, "NODE:RAIL:AT_US[:BACK_US], an adapter that fails");
  option("--failover", given->failover_us, "Microseconds until a failed adapter's traffic moves to the next; 0: never");
  option("--skew", given->skew_us, "Ranks begin up to so many microseconds late, at random");
  option("--seed", given->seed, "Of that");
  option("--set", given->settings,
         "A setting of the network: queue_pairs=4, mtu=2048, gpu_direct=off, link_rate=800, …");
  option("--job", given->jobs,
         "MACHINES[:BYTES[:ALGORITHM[:COLLECTIVE]]], such as 0-3,8-11:64M:ring; several: at once, sharing links");
  option("--trace", given->trace, "A file for Perfetto or chrome://tracing");
  option("--timeline", given->timeline, "A picture of the same, as SVG");
  option("--traced-ranks", given->traced_ranks, "How many ranks the trace shows");
  command->add_flag("--json", given->json, "The result as JSON");
  command->callback([given, &status] { status = simulate_command(*given, std::cout); });
}

}  // namespace tutti::cli
