#include "tutti/config.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/nearest.hpp"
#include "run/metrics/destination.hpp"
#include "tutti/base/error.hpp"
#include "tutti/base/units.hpp"
#include "tutti/bootstrap/world.hpp"

namespace tutti {

namespace {

constexpr std::array<std::string_view, 8> config_variables = {
    "TUTTI_CALL_TIMEOUT",       "TUTTI_CHECK_ACROSS_RANKS", "TUTTI_FLIGHT_RECORDER", "TUTTI_METRICS",
    "TUTTI_MOST_SHARED_MEMORY", "TUTTI_PROGRESS_THREAD",    "TUTTI_TRACE",           "TUTTI_TUNING",
};

void expect_known(const std::vector<std::string>& names) {
  std::vector<std::string_view> known(config_variables.begin(), config_variables.end());
  known.insert(known.end(), world_variables.begin(), world_variables.end());
  for (const std::string& name : names) {
    if (!name.starts_with("TUTTI_") || std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw Error(Code::invalid_argument, fmt::format("there is no variable {}", name),
                {.remedy = fmt::format("did you mean {}? Unset it, or use one of {}", nearest(name, known),
                                       fmt::join(known, ", "))});
  }
}

bool flag(const Environment& environment, const std::string& name, bool otherwise) {
  const auto text = environment(name);
  if (!text) return otherwise;
  if (*text == "1" || *text == "true" || *text == "on") return true;
  if (*text == "0" || *text == "false" || *text == "off") return false;
  throw Error(Code::invalid_argument, fmt::format("{}=\"{}\" is neither yes nor no", name, *text),
              {.remedy = "use 0 or 1"});
}

}  // namespace

Config config_from_environment(const Environment& environment, const std::vector<std::string>& names) {
  expect_known(names);
  Config config;
  if (const auto text = environment("TUTTI_CALL_TIMEOUT")) {
    config.timeout = parse_duration(*text, "TUTTI_CALL_TIMEOUT");
  }
  config.check_across_ranks = flag(environment, "TUTTI_CHECK_ACROSS_RANKS", config.check_across_ranks);
  config.progress_thread = flag(environment, "TUTTI_PROGRESS_THREAD", config.progress_thread);
  if (const auto text = environment("TUTTI_FLIGHT_RECORDER")) config.flight_recorder = *text;
  if (const auto text = environment("TUTTI_MOST_SHARED_MEMORY")) {
    config.most_shared_memory = parse_bytes(*text);
  }
  if (const auto path = environment("TUTTI_TUNING")) {
    if (path->empty() || *path == "-") {
      throw Error(Code::invalid_argument, fmt::format("TUTTI_TUNING=\"{}\" names no file", *path),
                  {.remedy = "name the file that tutti tune wrote, or unset it"});
    }
    config.tuning = std::make_shared<const Tuning>(tuning_from_file(*path));
  }
  if (const auto text = environment("TUTTI_METRICS")) {
    static_cast<void>(metrics::parse_destination(*text, "TUTTI_METRICS"));  // said now, by the name that was written
    config.metrics = *text;
  }
  if (const auto text = environment("TUTTI_TRACE")) config.trace = *text;
  return config;
}

}  // namespace tutti
