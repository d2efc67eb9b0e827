#include "cli/sweep_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>

#include "cli/gnuplot.hpp"
#include "cli/output_file.hpp"
#include "cli/shown_option.hpp"
#include "cli/sweep_file.hpp"
#include "cli/sweep_measure.hpp"
#include "cli/sweep_report.hpp"
#include "tutti/base/error.hpp"

namespace tutti::cli {

namespace {

using sweep::Outcome;
using sweep::SweepOptions;
using sweep::SweepPlan;
using sweep::SweepResult;

void save(const SweepOptions& options, const SweepPlan& plan, const SweepResult& result) {
  if (options.json.empty()) return;
  OutputFile file(options.json);
  file.write(to_json(plan, result));
  file.publish();
}

void tell(std::size_t done, std::size_t all, const std::string& what) {
  if (isatty(STDERR_FILENO) == 0) return;
  fmt::print(stderr, "\r\x1b[K{} of {}  {}", done, all, what);
  if (done == all) fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

bool measured(const Outcome& outcome, int launches) {
  if (!outcome.excluded.empty()) return true;
  if (outcome.cells.empty()) return false;
  for (const sweep::Cell& cell : outcome.cells) {
    if (cell.us.size() >= static_cast<std::size_t>(launches)) return true;
  }
  return false;
}

void simulate_all(const SweepOptions& options, const SweepPlan& plan, SweepResult& result) {
  const std::size_t all = plan.combinations.size();
  for (std::size_t c = 0; c < all; ++c) {
    tell(c, all, plan.combinations[c].name());
    if (measured(result.outcomes[c], 1)) continue;
    result.outcomes[c] = simulate_one(plan, plan.combinations[c]);
    save(options, plan, result);
  }
  tell(all, all, "");
}

/// A round launches each combination once; each round begins with another one.
void launch_all(const SweepOptions& options, const SweepPlan& plan, SweepResult& result) {
  const std::size_t all = plan.combinations.size();
  const auto rounds = static_cast<std::size_t>(plan.launches);
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < all; ++i) {
      const std::size_t c = (i + round) % all;
      tell(round * all + i, rounds * all, plan.combinations[c].name());
      if (measured(result.outcomes[c], static_cast<int>(round) + 1)) continue;
      result.outcomes[c].cells.resize(plan.sizes.size());
      launch_one(options, plan, plan.combinations[c], result.outcomes[c]);
      save(options, plan, result);
    }
  }
  tell(rounds * all, rounds * all, "");
}

}  // namespace

int sweep_command(const SweepOptions& options, std::ostream& out) {
  const SweepPlan plan = plan_of(options);
  SweepResult result;
  result.outcomes.resize(plan.combinations.size());
  if (plan.simulated) {
    result.ranks = sweep::simulated_ranks(plan);
  } else {
    result.ranks = plan.ranks;
    sweep::launch_words(options, plan, plan.combinations.front(), "tutti", "-");  // refuses before anything starts
  }
  if (!options.plot.empty()) expect_gnuplot();
  std::optional<OutputFile> plot;
  if (!options.plot.empty()) plot.emplace(options.plot);
  std::error_code error;
  if (!options.json.empty() && !options.fresh && std::filesystem::is_regular_file(options.json, error)) {
    std::ifstream in(options.json);
    sweep::resume({std::istreambuf_iterator<char>(in), {}}, options.json, plan, result);
  }
  if (!plan.simulated && options.program.empty() && !options.settings.empty()) {
    result.notes.emplace_back(
        "tutti's engines between processors read none of these settings: they reach MPI and NCCL only, as variables");
  }
  save(options, plan, result);  // a place that cannot be written is refused now
  plan.simulated ? simulate_all(options, plan, result) : launch_all(options, plan, result);
  save(options, plan, result);

  bool any = false;
  for (const Outcome& outcome : result.outcomes) any = any || outcome.excluded.empty();
  if (!any) {
    throw Error(
        Code::unsupported,
        fmt::format("no combination could be measured; the first: {}", result.outcomes.front().excluded),
        {.operation = "bench sweep", .remedy = "look at its own words; --fresh tries those in a --json file again"});
  }
  if (!options.quiet) print(plan, result, out);
  if (plot) {
    draw(plan, result, plot->temporary());
    plot->publish();
  }
  return 0;
}

void add_sweep_command(CLI::App& bench, int& status) {
  const auto given = std::make_shared<SweepOptions>();
  CLI::App* command = bench.add_subcommand(
      "sweep", "all_reduce over combinations of algorithm, protocol, channels and network settings");
  const auto option = shown_options(*command);
  option("--simulate", given->cluster, "On the simulator: a preset of a cluster or machine, or a file");
  option("--nodes", given->nodes, "Of a cluster's preset; 0: as many as it has");
  option("--ranks", given->ranks, "GPUs simulated (0: all), or processes launched (0: 2)");
  option("--sizes", given->sizes, "A list");
  option("--algorithm", given->algorithms, "A list");
  option("--protocol", given->protocols, "A list");
  option("--channels", given->channels, "A list; 0: chosen");
  option("--set", given->settings, "KEY=VALUE,VALUE: each value of a setting of the network; may be repeated");
  option("--fail", given->failures, "Simulated: NODE:RAIL:AT_US[:BACK_US], an adapter that fails");
  option("--launcher", given->launcher, "mpirun, srun, or the whole words that launch the processes");
  option("--program", given->program, "all_reduce_perf of nccl-tests, instead of tutti bench");
  option("--launches", given->launches, "Of each combination, in turn");
  option("--seconds", given->seconds, "About how long tutti bench takes in each");
  option("--limit", given->limit, "Seconds after which a launch is ended");
  option("--json", given->json, "The results; an interrupted sweep goes on from it");
  option("--plot", given->plot, "Draw this .svg or .png (gnuplot)");
  command->add_flag("--fresh", given->fresh, "Begin anew, whatever the file of --json holds");
  command->add_flag("--quiet", given->quiet, "Print no table");
  command->callback([given, &status] { status = sweep_command(*given, std::cout); });
}

}  // namespace tutti::cli
