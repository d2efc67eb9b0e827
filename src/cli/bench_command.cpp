#include "cli/bench_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include "bootstrap/launch.hpp"
#include "cli/bench_collective.hpp"
#include "cli/bench_emulated.hpp"
#include "cli/bench_report.hpp"
#include "cli/bench_run.hpp"
#include "cli/mpi_job.hpp"
#include "cli/sweep_command.hpp"
#include "tutti/base/error.hpp"
#include "tutti/collectives.hpp"
#include "tutti/config.hpp"
#include "tutti/in_process.hpp"

namespace tutti::cli {

namespace {

using bench::BenchOptions;

constexpr int wrong_results = 3;

/// One rank's part, from beginning to end. Rank 0 speaks, and throws what all ranks meet alike.
int run_rank(Communicator& communicator, const BenchOptions& options, bench::Peer* peer) {
  const bool speaks = communicator.rank() == 0;
  std::optional<BenchReport> report;
  std::optional<Error> refusal;
  try {
    if (speaks) report.emplace(options);
  } catch (const Error& error) {
    refusal = error;
  }
  std::vector<double> refused{refusal ? 1.0 : 0.0};
  all_reduce(communicator, on_host(refused), maximum).wait();
  if (refusal) throw *refusal;
  if (refused[0] != 0) return EXIT_FAILURE;

  try {
    const bench::Report result =
        bench::run(communicator, options, peer, report ? report->listener() : bench::Listener{});
    if (report) report->finish(result);
    return bench::wrong_in(result) > 0 ? wrong_results : EXIT_SUCCESS;
  } catch (const bench::Refusal&) {
    if (speaks) throw;
    return EXIT_FAILURE;
  }
}

Config config_of(const BenchOptions& options) {
  Config config = config_from_environment();
  if (options.emulated > 0) config.cuda = {.channels = 2, .threads = 32, .wire_bytes = 4 << 20};  // threads are fibres
  if (options.channels != 0) config.cuda.channels = options.channels;
  if (!options.tuning.empty()) config.tuning = std::make_shared<const Tuning>(tuning_from_file(options.tuning));
  return config;
}

int run_in_process(const BenchOptions& options) {
  if (options.mpi_peer) {
    throw Error(Code::invalid_argument, "--peer mpi needs an MPI job",
                {.operation = "bench", .remedy = "run it under mpirun, without --ranks"});
  }
  int status = EXIT_FAILURE;
  in_process(
      options.ranks > 0 ? options.ranks : std::max(2, options.emulated),
      [&](Communicator& communicator) {
        const int mine = run_rank(communicator, options, nullptr);
        if (communicator.rank() == 0) status = mine;
      },
      config_of(options));
  return status;
}

int run_under_mpi(const BenchOptions& options) {
  MpiJob job;
  try {
    Communicator communicator(job.world(), config_of(options));
    const std::unique_ptr<bench::Peer> peer = options.mpi_peer ? job.peer() : nullptr;
    return run_rank(communicator, options, peer.get());
  } catch (const std::exception& error) {
    // Other ranks may be inside MPI, waiting for this one.
    fmt::print(stderr, "tutti: {}\n", error.what());
    std::fflush(nullptr);
    job.abort(EXIT_FAILURE);
  }
}

}  // namespace

void add_bench_command(CLI::App& app, int& status) {
  CLI::App* bench = app.add_subcommand("bench", "Measure a collective, by size and algorithm");
  const auto text = std::make_shared<bench::BenchText>();
  add_bench_options(*bench, *text);
  bench->get_option("collective")->required(false);
  add_sweep_command(*bench, status);
  bench->callback([bench, text, &status] {
    if (!bench->get_subcommands().empty()) return;
    if (text->collective.empty()) throw CLI::RequiredError("collective");
    status = bench_command(*text);
  });
}

void add_bench_options(CLI::App& command, bench::BenchText& text) {
  command
      .add_option("collective", text.collective, fmt::format("One of {}", fmt::join(bench::collective_names(), ", ")))
      ->required();
  command.add_option("-b,--min", text.min, "Smallest size: 8, 64K, 1M; bytes of the larger side")
      ->capture_default_str();
  command.add_option("-e,--max", text.max, "Largest size")->capture_default_str();
  command.add_option("-f,--factor", text.factor, "From one size to the next")->capture_default_str();
  command.add_option("-i,--step", text.step, "Bytes to the next size, instead of a factor");
  command.add_option("--sizes", text.sizes, "These sizes instead, separated by commas");
  command
      .add_option("--algorithm", text.algorithms,
                  "automatic, ring, tree, direct, one_shot, two_shot, "
                  "halving_doubling, bruck: a list, or all")
      ->capture_default_str();
  command.add_option("--protocol", text.protocol, "automatic, packet, fifo or window")->capture_default_str();
  command.add_option("-d,--type", text.types, "Element types: a list, or all")->capture_default_str();
  command.add_option("-o,--op", text.operations, "Operations: a list, or all")->capture_default_str();
  command.add_option("-r,--root", text.root, "Root of broadcast, reduce, gather and scatter")->capture_default_str();
  command.add_option("--in-place", text.in_place, "0, 1 or both")->capture_default_str();
  command
      .add_option("--buffers", text.buffers,
                  "private (the caller's memory), shared (the communicator's), or both "
                  "as a list")
      ->capture_default_str();
  command
      .add_option("--engine", text.engine,
                  "automatic (host memory); on device memory cuda (tutti's own kernels) or nccl (through NCCL)")
      ->capture_default_str();
  command.add_option("--channels", text.channels, "Blocks of a kernel that share a message, with --engine cuda [8]");
  command.add_option(
      "--emulated", text.emulated,
      "So many emulated GPUs instead of real ones, in builds with tests: results mean something, times nothing");
  command.add_option("--inside-emulation", text.inside_emulation)->group("");
  command.add_flag("--dirty", text.dirty, "Rewrite input and read output before each operation, untimed");
  command.add_flag("--deterministic", text.deterministic, "Ask for results that depend on inputs and rank count only");
  command.add_option("--ranks", text.ranks,
                     "Threads of this process as ranks; without: whatever launched this, "
                     "else 2 threads");
  command.add_option("-n,--iterations", text.iterations, "Operations timed for each row, instead of what time allows");
  command.add_option("-w,--warm-up", text.warm_up, "Operations before")->capture_default_str();
  command.add_option("-c,--check", text.check, "1: compare results with the definition; 0: do not")
      ->capture_default_str();
  command.add_option("--seconds", text.seconds,
                     "About how long all sizes together may take [75; with -n: as long as they take]");
  command.add_option("--peer", text.peer, "mpi: run MPI's own collective in turn with ours (under mpirun)");
  command.add_option("--tuning", text.tuning, "What automatic goes by: a file of tutti tune");
  command.add_option("--json", text.json, "Write the rows to this file");
  command.add_option("--csv", text.csv, "Write the rows to this file");
  command.add_option("--plot", text.plot, "Draw time and bandwidth by size to this .svg or .png (gnuplot)");
  command.add_flag("--quiet", text.quiet, "Print no table");
}

int bench_command(const bench::BenchText& text) {
  if (text.emulated != 0) bench::start_again_emulated(text.emulated);
  const BenchOptions options = bench::parse(text);
  if (options.ranks == 0 && MpiJob::launched()) return run_under_mpi(options);
  const Launch launch = launch_from(process_environment());
  if (options.ranks > 0 && launch.size > 1) {
    throw Error(Code::invalid_argument,
                fmt::format("--ranks {} in each of {} processes ({})", options.ranks, launch.size, launch.launcher),
                {.operation = "bench", .remedy = "leave out --ranks, or start one process"});
  }
  if (options.ranks > 0 || launch.size == 1) return run_in_process(options);
  if (options.mpi_peer) {
    throw Error(Code::invalid_argument,
                fmt::format("--peer mpi needs an MPI job, and {} started this", launch.launcher),
                {.operation = "bench", .remedy = "start it by the mpirun of the MPI it is built with"});
  }
  Communicator communicator{from_environment(), config_of(options)};
  return run_rank(communicator, options, nullptr);
}

}  // namespace tutti::cli
