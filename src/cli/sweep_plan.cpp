#include "cli/sweep_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "cli/name_list.hpp"
#include "cli/simulate_options.hpp"
#include "tutti/base/units.hpp"

namespace tutti::sweep {

namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& remedy) {
  throw Error(Code::invalid_argument, what, {.operation = "bench sweep", .remedy = remedy});
}

/// Those of a list, each once, that `there` has.
std::vector<std::string> names_from(const char* option, const std::string& list,
                                    const std::vector<std::string_view>& there) {
  std::vector<std::string> names;
  for (const std::string_view part : cli::split(list)) {
    if (std::find(there.begin(), there.end(), part) == there.end()) cli::unknown_name(option, part, there);
    if (std::find(names.begin(), names.end(), part) == names.end()) names.emplace_back(part);
  }
  return names;
}

std::vector<int> channels_of(const std::string& list) {
  std::vector<int> channels;
  for (const std::string_view part : cli::split(list)) {
    int value = -1;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc{} || end != part.data() + part.size() || value < 0 || value > 64) {
      refuse(fmt::format("--channels '{}'", part), "use 0 (chosen) to 64");
    }
    if (std::find(channels.begin(), channels.end(), value) == channels.end()) channels.push_back(value);
  }
  return channels;
}

struct Dimension {
  std::string key;
  std::vector<std::string> values;
};

/// "queue_pairs=1,4"; adapters are themselves a list, and stay whole.
Dimension dimension_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  Dimension dimension{text.substr(0, equals), {}};
  if (equals == std::string::npos) refuse(fmt::format("--set '{}' has no values", text), "write queue_pairs=1,4");
  const std::string list = text.substr(equals + 1);
  if (dimension.key == "adapters") {
    dimension.values = {list};
  } else {
    for (const std::string_view part : cli::split(list)) dimension.values.emplace_back(part);
  }
  for (const std::string& value : dimension.values) cli::settings_of({dimension.key + "=" + value});
  return dimension;
}

/// One more setting: each combination once for each of its values.
void multiply(std::vector<Combination>& combinations, const Dimension& dimension) {
  std::vector<Combination> more;
  for (const Combination& each : combinations) {
    for (const std::string& value : dimension.values) {
      more.push_back(each);
      more.back().settings.emplace_back(dimension.key, value);
    }
  }
  combinations = std::move(more);
}

std::vector<std::size_t> sizes_of(const std::string& list) {
  std::vector<std::size_t> sizes;
  for (const std::string_view part : cli::split(list)) {
    sizes.push_back(parse_bytes(part));
    if (sizes.back() == 0) refuse("--sizes 0", "use sizes of at least a byte");
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

/// What there is to choose from.
struct Choices {
  std::vector<std::string_view> algorithms;
  std::vector<std::string_view> protocols;
  const char* algorithms_taken;
  const char* protocols_taken;
};

Choices choices_of(const SweepOptions& options) {
  if (!options.cluster.empty()) {
    return {{"ring", "tree", "one_shot", "two_shot", "halving_doubling", "two_level", "multicast", "multicast_tree",
             "switch_reduction"},
            {"ll", "ll128", "simple"},
            "ring,tree,halving_doubling,two_level",
            "ll,ll128,simple"};
  }
  if (!options.program.empty()) {
    return {{"automatic", "ring", "tree", "multicast", "multicast_tree", "switch_reduction"},
            {"automatic", "ll", "ll128", "simple"},
            "ring,tree",
            "ll,ll128,simple"};
  }
  return {{"automatic", "ring", "tree", "direct", "one_shot", "two_shot", "halving_doubling", "bruck"},
          {"automatic", "packet", "fifo", "window"},
          "automatic,ring,tree,halving_doubling,one_shot,two_shot",
          "automatic"};
}

void check(const SweepOptions& options) {
  const bool simulated = !options.cluster.empty();
  if (options.ranks < 0) refuse(fmt::format("--ranks {}", options.ranks), "use 1 or more");
  if (options.launches < 1 || options.launches > 1000) {
    refuse(fmt::format("--launches {}", options.launches), "use 1 to 1000");
  }
  if (!(options.seconds > 0 && options.seconds <= 3600)) refuse("--seconds", "use above 0, at most 3600");
  if (!(options.limit > 0 && options.limit <= 86400)) refuse("--limit", "use above 0, at most 86400 seconds");
  if (!simulated && options.nodes != 0) refuse("--nodes is for --simulate", "name nodes in the launcher's own words");
  if (!simulated && !options.failures.empty()) refuse("--fail is for --simulate", "leave it out");
  if (simulated && !options.program.empty()) refuse("--program with --simulate", "leave one of them out");
  if (!options.plot.empty() && !options.plot.ends_with(".svg") && !options.plot.ends_with(".png")) {
    refuse(fmt::format("--plot '{}' is neither an SVG nor a PNG file", options.plot), "end its name in .svg or .png");
  }
}

}  // namespace

std::string Combination::name() const {
  std::string text = algorithm + " " + protocol;
  if (channels > 0) text += fmt::format(", {} channels", channels);
  for (const auto& [key, value] : settings) text += fmt::format(", {}={}", key, value);
  return text;
}

std::vector<std::string> Combination::set() const {
  std::vector<std::string> pairs;
  for (const auto& [key, value] : settings) pairs.push_back(key + "=" + value);
  return pairs;
}

SweepPlan plan_of(const SweepOptions& options) {
  check(options);
  const Choices there = choices_of(options);
  const auto taken = [](const std::string& given, const char* otherwise) { return given.empty() ? otherwise : given; };
  SweepPlan plan;
  plan.simulated = !options.cluster.empty();
  plan.where = plan.simulated            ? options.cluster
               : options.program.empty() ? options.launcher
                                         : options.launcher + " " + options.program;
  plan.nodes = options.nodes;
  plan.ranks = options.ranks == 0 && !plan.simulated ? 2 : options.ranks;
  plan.sizes = sizes_of(options.sizes);
  plan.failures = options.failures;
  plan.launches = plan.simulated ? 1 : options.launches;

  const std::vector<int> channels = channels_of(options.channels);
  if (!plan.simulated && options.program.empty() && channels != std::vector<int>{0}) {
    refuse("--channels: tutti's engines between processors have none",
           "use --simulate, or --program all_reduce_perf for NCCL's");
  }
  for (const std::string& algorithm :
       names_from("algorithm", taken(options.algorithms, there.algorithms_taken), there.algorithms)) {
    for (const std::string& protocol :
         names_from("protocol", taken(options.protocols, there.protocols_taken), there.protocols)) {
      for (const int count : channels) plan.combinations.push_back({algorithm, protocol, count});
    }
  }
  std::vector<std::string> settings = options.settings;
  if (settings.empty() && plan.simulated) settings = {"queue_pairs=1,4", "gpu_direct=SYS,off"};
  std::vector<std::string> keys;
  for (const std::string& text : settings) {
    const Dimension dimension = dimension_of(text);
    if (std::find(keys.begin(), keys.end(), dimension.key) != keys.end()) {
      refuse(fmt::format("--set {} is given twice", dimension.key), "write all its values in one list");
    }
    keys.push_back(dimension.key);
    multiply(plan.combinations, dimension);
  }
  constexpr std::size_t most = 10'000;
  if (plan.combinations.size() * plan.sizes.size() > most) {
    refuse(fmt::format("{} combinations of {} sizes are more than {} results", plan.combinations.size(),
                       plan.sizes.size(), most),
           "give shorter lists");
  }
  return plan;
}

}  // namespace tutti::sweep
