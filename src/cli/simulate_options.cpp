#include "cli/simulate_options.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "cli/name_list.hpp"
#include "topology/cpu_list.hpp"
#include "tutti/base/units.hpp"

namespace tutti::cli {

namespace {

/// The numbers of "3:0.5", as many as there are, at least `least` and at most `most`.
std::vector<double> numbers(const std::string& option, const std::string& text, std::size_t least, std::size_t most,
                            const char* form) {
  std::vector<double> values;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    double value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc{} || (next != end && *next != ':')) break;
    values.push_back(value);
    if (next == end) {
      if (values.size() < least || values.size() > most) break;
      return values;
    }
    at = next + 1;
  }
  throw Error(Code::invalid_argument, fmt::format("{} '{}' is not {}", option, text, form),
              {.remedy = "numbers with colons between them"});
}

/// A number of a rank, machine or rail.
template <class Integer>
Integer index(const std::string& option, const std::string& text, double value) {
  // Also false for NaN. What is beyond the cluster is refused later, with what it has.
  if (value >= 0 && value <= std::numeric_limits<std::int32_t>::max() && std::trunc(value) == value) {
    return static_cast<Integer>(value);
  }
  throw Error(Code::invalid_argument, fmt::format("{} '{}': {} is no number to count with", option, text, value),
              {.remedy = "whole numbers from 0 for ranks, machines and rails"});
}

std::optional<Arrangement> arrangement_named(const std::string& name) {
  if (name == "two_level") return Arrangement::two_level;
  if (name == "pat") return Arrangement::pat;
  if (name == "multicast" || name == "multicast_tree") return Arrangement::multicast;
  if (name == "switch_reduction") return Arrangement::switch_reduction;
  return std::nullopt;
}

Algorithm algorithm_of(const std::string& option, const std::string& name) {
  if (const auto algorithm = algorithm_named(name)) return *algorithm;
  std::vector<std::string_view> there{"two_level", "pat", "multicast", "switch_reduction"};
  for (int i = 0; i < algorithm_count; ++i) there.push_back(tutti::name(static_cast<Algorithm>(i)));
  unknown_name(option + " algorithm", name, there);
}

}  // namespace

Scenario scenario_of(const SimulateOptions& options) {
  Scenario scenario;
  const auto collective = collective_named(options.collective);
  if (!collective) {
    std::vector<std::string_view> there;
    for (int i = 0; i < collective_count; ++i) there.push_back(name(static_cast<Collective>(i)));
    unknown_name("collective", options.collective, there);
  }
  scenario.collective = *collective;
  scenario.bytes = parse_bytes(options.bytes);
  scenario.ranks = options.ranks;
  const auto arrangement = arrangement_named(options.algorithm);
  if (arrangement) {
    scenario.arrangement = *arrangement;
    scenario.algorithm = algorithm_of("--inside", options.inside);
    scenario.between = algorithm_of("--between", options.between);
  } else {
    scenario.algorithm = algorithm_of("--algorithm", options.algorithm);
  }
  if (options.protocol == "ll") {
    scenario.protocol = choose::GpuProtocol::ll;
  } else if (options.protocol == "ll128") {
    scenario.protocol = choose::GpuProtocol::ll128;
  } else if (options.protocol != "simple") {
    unknown_name("protocol", options.protocol, {"ll", "ll128", "simple"});
  }
  scenario.channels = options.channels;
  scenario.chunks = options.chunks;
  scenario.symmetry = !options.one_by_one;
  scenario.oversubscription = options.oversubscription;
  scenario.background = options.background;
  scenario.skew_us = options.skew_us;
  scenario.seed = options.seed;
  if (!options.trace.empty() || !options.timeline.empty()) scenario.traced_ranks = options.traced_ranks;
  scenario.network = settings_of(options.settings);
  for (const std::string& text : options.slow_rails) {
    const auto values = numbers("--slow-rail", text, 2, 2, "RAIL:SHARE");
    scenario.slow_rails.push_back({index<int>("--slow-rail", text, values[0]), values[1]});
  }
  for (const std::string& text : options.stragglers) {
    const auto values = numbers("--straggler", text, 2, 3, "RANK:LATE_US[:SHARE]");
    scenario.stragglers.push_back(
        {index<std::int64_t>("--straggler", text, values[0]), values[1], values.size() > 2 ? values[2] : 1.0});
  }
  for (const std::string& text : options.failures) {
    const auto values = numbers("--fail", text, 3, 4, "NODE:RAIL:AT_US[:BACK_US]");
    // A connection is given up after its last retry, if the settings say how many; only then can traffic move.
    const bool told = scenario.network.timeout || scenario.network.retry_count;
    const double failover =
        options.failover_us > 0 || !told ? options.failover_us : 1e6 * give_up_after(scenario.network);
    scenario.failures.push_back({index<std::int64_t>("--fail", text, values[0]), index<int>("--fail", text, values[1]),
                                 values[2], values.size() > 3 ? values[3] : 0, failover});
  }
  return scenario;
}

std::vector<Job> jobs_of(const SimulateOptions& options) {
  const auto wrong = [](const std::string& text, const std::string& why) {
    return Error(
        Code::invalid_argument, fmt::format("--job '{}': {}", text, why),
        {.remedy = "write MACHINES:BYTES:ALGORITHM:COLLECTIVE, as in 0-3,8-11:64M:ring:all_reduce; all but the first "
                   "may be left away"});
  };
  if (options.ranks != 0) throw wrong(options.jobs.front(), "jobs take whole machines, and --ranks does not count");
  std::vector<Job> jobs;
  for (const std::string& text : options.jobs) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t colon = std::min(text.find(':', at), text.size());
      parts.push_back(text.substr(at, colon - at));
      at = colon + 1;
    }
    if (parts.size() > 4) throw wrong(text, "more than four parts");
    const auto machines = parse_cpu_list(parts[0]);
    if (!machines || machines->empty()) throw wrong(text, fmt::format("'{}' is no list of machines", parts[0]));
    SimulateOptions of_job = options;
    if (parts.size() > 1) of_job.bytes = parts[1];
    if (parts.size() > 2) of_job.algorithm = parts[2];
    if (parts.size() > 3) of_job.collective = parts[3];
    jobs.push_back({{machines->begin(), machines->end()}, scenario_of(of_job)});
  }
  return jobs;
}

NetworkSettings settings_of(const std::vector<std::string>& pairs) {
  NetworkSettings settings;
  for (const std::string& pair : pairs) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos) {
      throw Error(Code::invalid_argument, fmt::format("--set '{}' has no value", pair),
                  {.remedy = "write queue_pairs=4"});
    }
    set(settings, std::string_view(pair).substr(0, equals), std::string_view(pair).substr(equals + 1));
  }
  return settings;
}

}  // namespace tutti::cli
