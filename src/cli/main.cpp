/// @file  tutti: the command line.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <iostream>
#include <system_error>

#include "cli/autopsy_command.hpp"
#include "cli/bench_command.hpp"
#include "cli/bind_command.hpp"
#include "cli/doctor_command.hpp"
#include "cli/env_command.hpp"
#include "cli/explain_command.hpp"
#include "cli/judge_command.hpp"
#include "cli/log_command.hpp"
#include "cli/place_command.hpp"
#include "cli/plan_arguments.hpp"
#include "cli/report_command.hpp"
#include "cli/simulate_command.hpp"
#include "cli/study_command.hpp"
#include "cli/top_command.hpp"
#include "cli/topology_command.hpp"
#include "cli/trace_command.hpp"
#include "cli/tune_command.hpp"

namespace {

constexpr int usage_error = 64;  // EX_USAGE of sysexits.h; docs/cli.md has the others

}

int main(int argc, char** argv) {
  int status = EXIT_SUCCESS;
  try {
    CLI::App app{"Collective communication: measure it, and prove its schedules"};
    app.set_version_flag("--version", "tutti " TUTTI_VERSION);
    app.require_subcommand(1);

    tutti::cli::add_bench_command(app, status);
    tutti::cli::add_plan_command(app, status);
    tutti::cli::add_topology_command(app, status);
    tutti::cli::add_bind_command(app, status);
    tutti::cli::add_simulate_command(app, status);
    tutti::cli::add_explain_command(app, status);
    tutti::cli::add_judge_command(app, status);
    tutti::cli::add_study_command(app, status);
    tutti::cli::add_tune_command(app, status);
    tutti::cli::add_place_command(app, status);
    tutti::cli::add_env_command(app, status);
    tutti::cli::add_doctor_command(app, status);
    tutti::cli::add_log_command(app, status);
    tutti::cli::add_report_command(app, status, {argv, argv + argc});
    tutti::cli::add_autopsy_command(app, status);
    tutti::cli::add_top_command(app);
    tutti::cli::add_trace_command(app);
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {  // also for --help and --version
      return app.exit(error) == 0 ? EXIT_SUCCESS : usage_error;
    }

    // What was printed may only now meet a full disk.
    errno = 0;
    std::cout.flush();
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout) {
      fmt::print(stderr, "tutti: the output could not be written whole: {}\n",
                 errno != 0 ? std::system_category().message(errno) : "an earlier write failed");
      return EXIT_FAILURE;
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "tutti: {}\n", error.what());
    return EXIT_FAILURE;
  }
  return status;
}
