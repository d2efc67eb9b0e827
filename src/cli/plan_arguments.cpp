#include "cli/plan_arguments.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "cli/name_list.hpp"
#include "cli/plan_channels.hpp"
#include "cli/plan_command.hpp"
#include "tutti/plan/proof.hpp"

namespace tutti::cli {

namespace {

struct Arguments {
  std::string collectives = "all";
  std::string algorithms = "all";
  std::string ranks = "1..64";
};

struct Range {
  int first = 0;
  int last = 0;
};

/// "1..64", or "8".
Range range_of(const std::string& text) {
  const auto number = [&](std::string_view part) {
    int value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error == std::errc{} && end == part.data() + part.size()) return value;
    throw Error(Code::invalid_argument, fmt::format("--ranks '{}' is no range of ranks", text),
                {.remedy = fmt::format("write it like 1..{} or 8", plan::most_proven_ranks)});
  };
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) return {number(text), number(text)};
  return {number(std::string_view(text).substr(0, dots)), number(std::string_view(text).substr(dots + 2))};
}

int prove(const Arguments& arguments) {
  const std::vector<Collective> every = all_collectives();
  const std::vector<Algorithm> patterns = all_patterns();
  const auto pattern_named = [&](std::string_view text) -> std::optional<Algorithm> {
    const auto pattern = std::find_if(patterns.begin(), patterns.end(), [&](Algorithm a) { return name(a) == text; });
    return pattern == patterns.end() ? std::nullopt : std::optional(*pattern);
  };
  const Range ranks = range_of(arguments.ranks);
  return plan_prove(values_of_list("collective", arguments.collectives, every, names_of(every), collective_named),
                    values_of_list("pattern", arguments.algorithms, patterns, names_of(patterns), pattern_named),
                    ranks.first, ranks.last, std::cout);
}

}  // namespace

void add_plan_command(CLI::App& app, int& status) {
  CLI::App* plan = app.add_subcommand("plan", "Schedules and channels: what ranks do step by step, over which links");
  plan->require_subcommand(1);
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* proves = plan->add_subcommand("prove", "Run schedules symbolically: is each right, and what does it cost?");
  proves->add_option("--collective", arguments->collectives, "A list, or all")->capture_default_str();
  proves->add_option("--algorithm", arguments->algorithms, "A list of patterns, or all")->capture_default_str();
  proves->add_option("--ranks", arguments->ranks, "A range such as 1..64, or one number")->capture_default_str();
  proves->callback([arguments, &status] { status = prove(*arguments); });
  add_plan_channels_command(*plan, status);
}

}  // namespace tutti::cli
