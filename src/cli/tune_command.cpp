#include "cli/tune_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <vector>

#include "bootstrap/launch.hpp"
#include "cli/bench_collective.hpp"
#include "cli/mpi_job.hpp"
#include "cli/name_list.hpp"
#include "cli/output_file.hpp"
#include "cli/tune_measure.hpp"
#include "topology/numa.hpp"
#include "tutti/base/error.hpp"
#include "tutti/base/units.hpp"
#include "tutti/collectives.hpp"
#include "tutti/in_process.hpp"

namespace tutti::cli {

namespace {

constexpr std::array tunable = {Collective::all_reduce,     Collective::broadcast, Collective::reduce,
                                Collective::all_gather,     Collective::gather,    Collective::scatter,
                                Collective::reduce_scatter, Collective::all_to_all};
constexpr std::size_t most_tuned_size = std::size_t{1} << 30;
constexpr int most_tuned_threads = 1024;

[[noreturn]] void refuse_to_tune(Code code, const std::string& what, const char* remedy) {
  throw Error(code, what, {.operation = "tune", .remedy = remedy});
}

tune::Plan tune_plan_of(const TuneOptions& options) {
  tune::Plan plan{.seconds = options.seconds};
  const std::vector<Collective> all(tunable.begin(), tunable.end());
  plan.collectives = values_of_list("collective", options.collectives, all, names_of(all), [&](std::string_view text) {
    const auto found = collective_named(text);
    return found && std::find(all.begin(), all.end(), *found) != all.end() ? found : std::nullopt;
  });
  const std::size_t least = parse_bytes(options.min);
  const std::size_t most = parse_bytes(options.max);
  if (least < sizeof(float) || most < least || most > most_tuned_size) {
    refuse_to_tune(Code::invalid_argument, fmt::format("sizes from {} to {}", options.min, options.max),
                   "use 4 bytes or more for --min, and up to 1G, but not less, for --max");
  }
  for (std::size_t size = least; size <= most; size *= 2) plan.sizes.push_back(size);
  if (!(options.seconds > 0 && options.seconds <= 1e5)) {
    refuse_to_tune(Code::invalid_argument, fmt::format("--seconds {}", options.seconds),
                   "use a number above 0, such as 60");
  }
  if (!(options.hysteresis >= 0 && options.hysteresis <= 100)) {
    refuse_to_tune(Code::invalid_argument, fmt::format("--hysteresis {}", options.hysteresis),
                   "use per cent, 0 to 100");
  }
  return plan;
}

std::vector<int> thread_counts_of(const TuneOptions& options) {
  const int cpus = allowed_cpu_count();
  std::vector<int> ranks;
  if (options.ranks.empty()) {
    for (int count = 2; count < cpus; count *= 2) ranks.push_back(count);
    ranks.push_back(std::max(cpus, 2));
  } else {
    for (const std::string_view part : split(options.ranks)) {
      int count = 0;
      const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), count);
      if (error != std::errc{} || end != part.data() + part.size() || count < 2 || count > most_tuned_threads) {
        refuse_to_tune(Code::invalid_argument,
                       fmt::format("--ranks {}: \"{}\" is no number of threads", options.ranks, part),
                       "use a list of numbers from 2 on");
      }
      ranks.push_back(count);
    }
  }
  if (*std::max_element(ranks.begin(), ranks.end()) > cpus) {
    refuse_to_tune(Code::unsupported, fmt::format("{} ranks on {} processors would take turns", ranks.back(), cpus),
                   "tune on processors for all: more of them, or fewer --ranks");
  }
  return ranks;
}

/// What is in the file already, if it is for this machine.
Tuning begun(const TuneOptions& options) {
  const HostFacts& machine = this_host_facts();
  Tuning tuning{.machine = fingerprint_of(machine)};
  std::error_code error;
  if (!options.fresh && !options.file.empty() && std::filesystem::exists(options.file, error)) {
    tuning = tuning_from_file(options.file);
    if (const std::string why = not_for(tuning, machine); !why.empty()) {
      refuse_to_tune(Code::mismatch, why, "name another file, or begin anew with --fresh");
    }
  }
  tuning.hysteresis = options.hysteresis / 100;
  return tuning;
}

void put(Tuning& tuning, TunedCall call) {
  std::erase_if(tuning.calls, [&](const TunedCall& old) {
    return old.collective == call.collective && old.reach == call.reach && old.ranks == call.ranks;
  });
  tuning.calls.push_back(std::move(call));
}

void show_progress(const std::string& what) {
  if (isatty(STDERR_FILENO) == 0) return;
  fmt::print(stderr, "\r\x1b[K{}", what);
  std::fflush(stderr);
}

/// Collective: throws what rank 0 throws, on rank 0; elsewhere says that it did.
bool all_go_on(Communicator& communicator, const std::optional<Error>& refusal) {
  std::vector<double> refused{refusal ? 1.0 : 0.0};
  all_reduce(communicator, on_host(refused), maximum).wait();
  if (refusal) throw *refusal;
  return refused[0] == 0;
}

/// One rank's part; rank 0 keeps the file.
int tune_rank(Communicator& communicator, const TuneOptions& options, const tune::Plan& plan, std::ostream& out) {
  const bool keeps = communicator.rank() == 0;
  std::optional<Error> refusal;
  Tuning tuning;
  std::optional<OutputFile> file;
  try {
    if (communicator.size() < 2) {
      refuse_to_tune(Code::unsupported, "one rank has nobody to choose a way to", "start it with several ranks");
    }
    if (communicator.topology().hosts().size() > 1) {
      refuse_to_tune(Code::unsupported, "the ranks are on several hosts, and it is one machine that is tuned",
                     "run it on one host; between hosts the crossovers are fixed (docs/choice.md)");
    }
    if (keeps) {
      tuning = begun(options);
      if (!options.file.empty()) file.emplace(options.file);  // a place that cannot be written is refused now
    }
  } catch (const Error& error) {
    refusal = error;
  }
  std::vector<double> cpus(1, allowed_cpu_count());
  if (!all_go_on(communicator, refusal)) return EXIT_FAILURE;
  all_reduce(communicator, on_host(cpus), sum).wait();
  const int available = std::min(static_cast<int>(cpus[0]), this_host_facts().cpus);  // each may be bound to its own
  if (communicator.size() > available) {
    if (!keeps) return EXIT_FAILURE;
    refuse_to_tune(Code::unsupported,
                   fmt::format("{} ranks on {} processors would take turns", communicator.size(), available),
                   "tune on processors for all ranks");
  }
  const auto measured =
      tune::measure_ways(communicator, plan, keeps ? show_progress : std::function<void(const std::string&)>{});
  if (!keeps) return EXIT_SUCCESS;
  show_progress("");
  for (const tune::Measurements& each : measured) {
    if (!each.bytes.empty()) put(tuning, tune::fit(each, tuning.hysteresis));
  }
  if (file) {
    file->write(to_json(tuning));
    file->publish();
  }
  if (!options.quiet) print_tuning(tuning, out);
  return EXIT_SUCCESS;
}

int tune_threads(const TuneOptions& options, tune::Plan plan, std::ostream& out) {
  const std::vector<int> ranks = thread_counts_of(options);
  plan.seconds /= static_cast<double>(ranks.size());
  int status = EXIT_FAILURE;
  TuneOptions one = options;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    one.quiet = options.quiet || (!options.file.empty() && i + 1 < ranks.size());  // the file has all
    in_process(ranks[i], [&](Communicator& communicator) {
      const int mine = tune_rank(communicator, one, plan, out);
      if (communicator.rank() == 0) status = mine;
    });
    one.fresh = false;
  }
  return status;
}

int tune_under_mpi(const TuneOptions& options, const tune::Plan& plan, std::ostream& out) {
  MpiJob job;
  try {
    Communicator communicator(job.world());
    return tune_rank(communicator, options, plan, out);
  } catch (const std::exception& error) {
    fmt::print(stderr, "tutti: {}\n", error.what());
    std::fflush(nullptr);
    job.abort(EXIT_FAILURE);
  }
}

}  // namespace

int tune_command(const TuneOptions& options, std::ostream& out) {
  if (!options.show.empty()) {
    print_tuning(tuning_from_file(options.show), out);
    return EXIT_SUCCESS;
  }
  if (options.file == "-") {
    refuse_to_tune(Code::invalid_argument, "a tuning is written to a file, and - is none", "name a file");
  }
  const tune::Plan plan = tune_plan_of(options);
  const bool job = MpiJob::launched();
  const Launch launch = job ? Launch{} : launch_from(process_environment());
  if (!options.ranks.empty() && (job || launch.size > 1)) {
    refuse_to_tune(Code::invalid_argument, fmt::format("--ranks {} in each of several processes", options.ranks),
                   "leave out --ranks, or start one process");
  }
  if (job) return tune_under_mpi(options, plan, out);
  if (launch.size == 1) return tune_threads(options, plan, out);
  Communicator communicator{from_environment()};
  return tune_rank(communicator, options, plan, out);
}

void add_tune_command(CLI::App& app, int& status) {
  const auto given = std::make_shared<TuneOptions>();
  CLI::App* command = app.add_subcommand(
      "tune", "Measure this machine, and write which way is quickest from which size on; TUTTI_TUNING takes the file");
  command->add_option("FILE", given->file, "Written; what it has of other ranks and collectives is kept");
  command->add_option("--show", given->show, "Print this file and measure nothing");
  command->add_option("--collective", given->collectives, "A list, or all")->capture_default_str();
  command->add_option("-b,--min", given->min, "Smallest size, as nccl-tests count")->capture_default_str();
  command->add_option("-e,--max", given->max, "Largest size")->capture_default_str();
  command->add_option("--ranks", given->ranks,
                      "Threads of this process: a list [2, 4, 8, … and all processors]; under mpirun its processes are "
                      "measured");
  command->add_option("--seconds", given->seconds, "About how long it may take")->capture_default_str();
  command->add_option("--hysteresis", given->hysteresis, "Per cent of the time that leaving a way has to save")
      ->capture_default_str();
  command->add_flag("--fresh", given->fresh, "Begin anew, whatever FILE holds");
  command->add_flag("--quiet", given->quiet, "Print no table");
  command->callback([given, &status] { status = tune_command(*given, std::cout); });
}

}  // namespace tutti::cli
