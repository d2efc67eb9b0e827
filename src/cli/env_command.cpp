#include "cli/env_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <iostream>
#include <memory>
#include <utility>

#include "cli/doctor_input.hpp"
#include "settings/database.hpp"
#include "settings/lint.hpp"
#include "settings/read.hpp"
#include "tutti/base/error.hpp"

namespace tutti::cli {

namespace {

using namespace settings;

/// "NAME=…": no name of a file that anybody gives.
bool is_setting(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return false;
  return std::all_of(text.begin(), text.begin() + static_cast<long>(equals),
                     [](unsigned char c) { return c == '_' || std::isalnum(c) != 0; });
}

Settings from_environment(const Environment& environment, std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  Settings settings{.who = "environment"};
  for (const std::string& name : names) {
    if (!is_ours(name) && !mended_prefix(name)) continue;
    if (auto value = environment(name)) {
      settings.all.push_back({.name = name, .value = *std::move(value), .place = "environment"});
    }
  }
  return settings;
}

std::vector<Settings> gather(const EnvArguments& arguments, const Environment& environment,
                             const std::vector<std::string>& names, std::istream& in) {
  if (arguments.what.empty()) return {from_environment(environment, names)};
  std::vector<Settings> ranks;
  std::string line;
  for (const std::string& what : arguments.what) {
    if (is_setting(what)) {
      line += what + '\n';
      continue;
    }
    for (Settings& each : read_settings(contents_of(what, in), what == "-" ? "standard input" : what)) {
      ranks.push_back(std::move(each));
    }
  }
  if (line.empty()) return ranks;
  ranks.push_back(settings_of_line(line));
  for (Setting& setting : ranks.back().all) setting.line = 0;
  return ranks;
}

Version version_of(const EnvArguments& arguments) {
  if (!arguments.nccl) return newest_nccl;
  const auto version = parse_version(*arguments.nccl);
  if (version) return *version;
  throw Error(Code::invalid_argument, fmt::format("--nccl {} is no version", *arguments.nccl),
              {.remedy = "write 2.23.4"});
}

const char* status_of(const Variable& variable) {
  switch (variable.status) {
    case Status::read:
      return "is read";
    case Status::deprecated:
      return "is read, but deprecated";
    case Status::removed:
      return "is not read any more";
    case Status::never:
      return "was never read";
    case Status::foreign:
      return "is not NCCL's";
  }
  return "";
}

}  // namespace

int env_command(const EnvArguments& arguments, const Environment& environment, const std::vector<std::string>& names,
                std::istream& in, std::ostream& out) {
  const auto ranks = gather(arguments, environment, names, in);
  std::optional<Machine> machine;
  if (arguments.root) machine = read_machine(*arguments.root);
  // The environment is this machine's; files are often another's.
  if (!machine && arguments.what.empty()) machine = read_machine();
  const auto findings = lint(ranks, {.nccl = version_of(arguments), .machine = machine ? &*machine : nullptr});
  std::size_t count = 0;
  for (const Settings& settings : ranks) count += settings.all.size();
  write_report(findings,
               {.format = arguments.format,
                .quiet = arguments.quiet,
                .page = "docs/env.md",
                .nothing = fmt::format("{} setting{}, nothing to say", count, count == 1 ? "" : "s")},
               out);
  return exit_status(findings);
}

int env_about(const std::string& name, std::ostream& out) {
  const Variable* variable = Database::all().find(name);
  if (variable == nullptr) {
    const auto guess = Database::all().nearest(name);
    out << fmt::format("{} is not known", name);
    if (guess.variable != nullptr) out << fmt::format("; did you mean {}?", guess.variable->name);
    out << '\n';
    return 1;
  }
  out << fmt::format("{} {} ({})\n  {}\n", name, status_of(*variable), variable->owner, variable->meaning);
  if (variable->is_family()) out << fmt::format("  one of {}\n", variable->name);
  if (!variable->kind.empty()) out << fmt::format("  takes: {}\n", variable->kind);
  if (!variable->standard.empty()) out << fmt::format("  default: {}\n", variable->standard);
  if (variable->since != Version{}) out << fmt::format("  read from {} on\n", format(variable->since));
  if (variable->until != Version{}) out << fmt::format("  read up to {}\n", format(variable->until));
  if (!variable->instead.empty()) {
    out << fmt::format("  {}: {}\n", variable->owner == "Open MPI" ? "from Open MPI 5 on" : "instead",
                       variable->instead);
  }
  return 0;
}

void add_env_command(CLI::App& app, int& status) {
  struct Given {
    EnvArguments arguments{};
    std::string format = "text";
    std::string about{};
    bool here = false;
  };
  const auto given = std::make_shared<Given>();
  CLI::App* env = app.add_subcommand("env", "What is wrong with the settings of NCCL, tutti, UCX and Open MPI");
  env->add_option("WHAT", given->arguments.what,
                  "Settings as NAME=value; files: output of env, job scripts, nccl.conf, YAML, several for several "
                  "ranks; - is standard input; none: the environment");
  env->add_option("--format", given->format, "text, json or sarif")->capture_default_str();
  env->add_option("--nccl", given->arguments.nccl,
                  fmt::format("The version that reads them ({})", format(newest_nccl)));
  env->add_flag("--here", given->here, "Files are for this machine: compare names of devices and files with it");
  env->add_option("--root", given->arguments.root, "As --here, with the machine whose /sys lies in this folder");
  env->add_option("--about", given->about, "Tell what is known about one variable, and nothing else");
  env->add_flag("--quiet", given->arguments.quiet, "No notes");
  env->callback([given, &status] {
    if (!given->about.empty()) {
      status = env_about(given->about, std::cout);
      return;
    }
    given->arguments.format = parse_report_format(given->format);
    if (given->here && !given->arguments.root) given->arguments.root = "/";
    status = env_command(given->arguments, process_environment(), process_variable_names(), std::cin, std::cout);
  });
}

}  // namespace tutti::cli
