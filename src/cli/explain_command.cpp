#include "cli/explain_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/bench_call.hpp"
#include "cli/cluster_named.hpp"
#include "cli/name_list.hpp"
#include "cli/simulate_options.hpp"
#include "tutti/base/units.hpp"
#include "tutti/choose/price_cluster.hpp"
#include "tutti/explain.hpp"
#include "tutti/in_process.hpp"

namespace tutti::cli {

namespace {

using choose::Price;

std::string way(const Price& price) { return fmt::format("{} {}", name(price.pattern), name(price.protocol)); }

bool same(const Price& a, const Crossover& b) { return a.pattern == b.pattern && a.protocol == b.protocol; }

Collective collective_of(const std::string& text) {
  if (const auto collective = collective_named(text)) return *collective;
  std::vector<std::string_view> there;
  for (int i = 0; i < collective_count; ++i) there.push_back(name(static_cast<Collective>(i)));
  unknown_name("collective", text, there);
}

std::string time_text(double us) {
  return us < 1e4 ? fmt::format("{:.2f} us", us) : fmt::format("{:.2f} ms", us / 1e3);
}

void print(const ExplainOptions& options, const choose::Platform& at, const std::vector<Price>& all,
           const std::vector<Crossover>& turns, std::ostream& out) {
  const Price& best = all.front();
  const double size = static_cast<double>(parse_bytes(options.bytes));
  out << fmt::format("{} of {} among {} ranks of {}: {} nodes of {} {}\n\n", options.collective,
                     format_bytes(parse_bytes(options.bytes)), at.ranks(), at.name, at.nodes, at.gpus, name(at.gpu));
  const double spread = std::exp(best.uncertainty);
  out << fmt::format("{}: {}, most likely {} to {}; limited by {}\n", way(best), time_text(best.us),
                     time_text(best.us / spread), time_text(best.us * spread), best.bottleneck);
  out << fmt::format("algbw {:.2f} GB/s, busbw {:.2f} GB/s\n", size / best.us / 1e3,
                     size / best.us / 1e3 * choose::bus_factor(collective_of(options.collective), at.ranks()));
  for (const choose::Term& term : best.terms) out << fmt::format("{:>14}  {}\n", time_text(term.us), term.what);

  out << fmt::format("\n{:<24} {:>12} {:>8} {:>6}  {}\n", "candidate", "time", "as long", "± %", "limited by");
  for (const Price& each : all) {
    if (!each.possible()) continue;
    out << fmt::format("{:<24} {:>12} {:>7.2f}x {:>6.0f}  {}\n", way(each), time_text(each.us), each.us / best.us,
                       100 * (std::exp(each.uncertainty) - 1), each.bottleneck);
  }
  out << "\nexcluded\n";
  for (const Price& each : all) {
    if (!each.possible()) out << fmt::format("{:<24} {}\n", way(each), each.excluded);
  }
  out << "\ncheapest from\n";
  for (const Crossover& turn : turns) {
    out << fmt::format("{:>12}  {} {}\n", format_bytes(turn.bytes), name(turn.pattern), name(turn.protocol));
  }
}

nlohmann::ordered_json json_of(const ExplainOptions& options, const choose::Platform& at, const std::vector<Price>& all,
                               const std::vector<Crossover>& turns) {
  nlohmann::ordered_json json;
  json["collective"] = options.collective;
  json["size_bytes"] = parse_bytes(options.bytes);
  json["platform"] = at.name;
  json["nodes"] = at.nodes;
  json["ranks"] = at.ranks();
  for (const Price& each : all) {
    nlohmann::ordered_json candidate{{"pattern", name(each.pattern)}, {"protocol", name(each.protocol)}};
    if (each.possible()) {
      candidate["time_us"] = each.us;
      candidate["uncertainty"] = each.uncertainty;
      candidate["bottleneck"] = each.bottleneck;
      for (const choose::Term& term : each.terms) candidate["terms"].push_back({{"what", term.what}, {"us", term.us}});
    } else {
      candidate["excluded"] = each.excluded;
    }
    json["candidates"].push_back(candidate);
  }
  for (const Crossover& turn : turns) {
    json["cheapest_from"].push_back(
        {{"size_bytes", turn.bytes}, {"pattern", name(turn.pattern)}, {"protocol", name(turn.protocol)}});
  }
  return json;
}

nlohmann::ordered_json json_of(const Explanation& explanation) {
  nlohmann::ordered_json json{{"call", explanation.call},
                              {"ranks", explanation.ranks},
                              {"chosen", describe(explanation.chosen)},
                              {"ways", nlohmann::ordered_json::array()},
                              {"cheapest_from", nlohmann::ordered_json::array()}};
  for (const ExplainedWay& way : explanation.ways) {
    json["ways"].push_back(
        {{"way", describe(way.decision)}, {"possible", way.possible}, {"chosen", way.chosen}, {"reason", way.reason}});
    if (way.us > 0) json["ways"].back()["measured_us"] = way.us;
  }
  for (const ExplainedTurn& turn : explanation.turns) {
    json["cheapest_from"].push_back({{"rank_bytes", turn.bytes}, {"way", describe(turn.decision)}});
  }
  return json;
}

/// What tutti itself would do between threads of this process. Nothing is allocated: the buffers are never followed.
int explain_here(const ExplainOptions& options, std::ostream& out) {
  if (options.nodes != 0 || !options.settings.empty()) {
    throw Error(Code::invalid_argument, "--here is this process: it has no nodes and no network",
                {.remedy = "leave out --nodes and --set, or name a --topology instead"});
  }
  constexpr std::int64_t most_threads = 256;
  if (options.ranks < 0 || options.ranks > most_threads) {
    throw Error(Code::invalid_argument, fmt::format("--ranks {} with --here", options.ranks),
                {.remedy = "use 1 to 256 threads"});
  }
  const int ranks = options.ranks == 0 ? 2 : static_cast<int>(options.ranks);
  const Collective collective = collective_of(options.collective);
  bench::Call call{.collective = collective, .op = reduces(collective) ? Op::sum : Op::none};
  call.extent = bench::extent_of(collective, parse_bytes(options.bytes), size_of(call.type), 0, ranks, 0);
  constexpr std::uintptr_t far_apart = std::uintptr_t{1} << 44;
  if (call.in_bytes() >= far_apart || call.out_bytes() >= far_apart) {
    throw Error(Code::invalid_argument, fmt::format("{} are too many bytes", options.bytes), {.remedy = "use fewer"});
  }
  call.in = reinterpret_cast<std::byte*>(far_apart);       // NOLINT(performance-no-int-to-ptr)
  call.out = reinterpret_cast<std::byte*>(2 * far_apart);  // NOLINT(performance-no-int-to-ptr)
  Config config;
  if (!options.tuning.empty()) config.tuning = std::make_shared<const Tuning>(tuning_from_file(options.tuning));
  in_process(
      ranks,
      [&](Communicator& communicator) {
        if (communicator.rank() != 0) return;
        const Explanation explanation = Explain{communicator}.submit(bench::request_of(call, 0, ranks, {}));
        if (options.json) {
          out << json_of(explanation).dump(2) << '\n';
        } else {
          out << explanation;
        }
      },
      config);
  return 0;
}

}  // namespace

std::vector<Crossover> crossovers(Collective collective, const choose::Platform& platform) {
  const auto best = [&](std::size_t bytes) { return prices(collective, bytes, platform).front(); };
  std::vector<Crossover> turns;
  constexpr std::size_t most = std::size_t{16} << 30;
  std::size_t before = 8;
  for (std::size_t bytes = 8; bytes <= most; bytes *= 2) {
    Price price = best(bytes);
    if (!price.possible()) return turns;
    // Several may change within one doubling: each is found from the last one on.
    while (turns.empty() || !same(price, turns.back())) {
      std::size_t low = before;
      std::size_t high = bytes;
      while (!turns.empty() && high - low > 1 && static_cast<double>(high - low) > 1e-3 * static_cast<double>(low)) {
        const std::size_t middle = low + (high - low) / 2;
        (same(best(middle), turns.back()) ? low : high) = middle;
      }
      const Price there = best(high);
      turns.push_back({turns.empty() ? 8 : high, there.pattern, there.protocol});
      before = high;
    }
    before = bytes;
  }
  return turns;
}

int explain_command(const ExplainOptions& options, std::ostream& out) {
  if (options.here) return explain_here(options, out);
  if (!options.tuning.empty()) {
    throw Error(Code::invalid_argument, "--tuning is about tutti's own engine, and prices are not",
                {.remedy = "add --here"});
  }
  const Collective collective = collective_of(options.collective);
  const std::size_t bytes = parse_bytes(options.bytes);
  const choose::Platform at =
      choose::platform_of(cluster_named(options.topology, options.nodes), options.ranks, settings_of(options.settings));
  const auto all = choose::prices(collective, bytes, at);
  if (!all.front().possible()) {
    throw Error(Code::unsupported, fmt::format("{}: {}", options.collective, all.front().excluded),
                {.remedy = "all_reduce, all_gather, reduce_scatter, all_to_all, broadcast and reduce have prices"});
  }
  const auto turns = crossovers(collective, at);
  if (options.json) {
    out << json_of(options, at, all, turns).dump(2) << '\n';
  } else {
    print(options, at, all, turns, out);
  }
  return 0;
}

void add_explain_command(CLI::App& app, int& status) {
  const auto given = std::make_shared<ExplainOptions>();
  CLI::App* command =
      app.add_subcommand("explain", "Which way would a collective take on a machine, how long, and why");
  command->add_option("COLLECTIVE", given->collective, "all_reduce, all_gather, …")->required();
  command->add_option("BYTES", given->bytes, "As nccl-tests counts a size: 64M")->required();
  command->add_option("--topology", given->topology, "A preset of a machine or a cluster, or a file")
      ->capture_default_str();
  command->add_option("--nodes", given->nodes, "Of a cluster's preset; 0: as many as it has")->capture_default_str();
  command->add_option("--ranks", given->ranks, "The first GPUs; 0: all")->capture_default_str();
  command->add_option("--set", given->settings,
                      "A setting of the network: queue_pairs=4, mtu=2048, gpu_direct=off, sharp=on, …");
  command->add_flag("--here", given->here,
                    "What tutti's own engine does between --ranks threads of this process, instead of prices");
  command->add_option("--tuning", given->tuning, "With --here: a file of tutti tune, which knows times, too");
  command->add_flag("--json", given->json, "The same as JSON");
  command->callback([given, &status] { status = explain_command(*given, std::cout); });
}

}  // namespace tutti::cli
