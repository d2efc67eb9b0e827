#include "conformance/suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <mutex>
#include <stdexcept>
#include <tuple>

#include "conformance/covering.hpp"
#include "conformance/random.hpp"
#include "conformance/run_case.hpp"
#include "tutti/base/error.hpp"
#include "tutti/in_process.hpp"

namespace tutti::conformance {

namespace {

constexpr Algorithm all_algorithms[] = {
    Algorithm::automatic, Algorithm::direct,           Algorithm::ring, Algorithm::tree, Algorithm::one_shot,
    Algorithm::two_shot,  Algorithm::halving_doubling, Algorithm::bruck};
constexpr std::size_t enough_failures = 20;

std::vector<Algorithm> algorithms_for(Collective collective, int ranks) {
  std::vector<Algorithm> algorithms;
  for (const Algorithm algorithm : all_algorithms) {
    const Case probe{.collective = collective,
                     .algorithm = algorithm,
                     .op = reduces(collective) ? Operator::sum : Operator::none,
                     .ranks = ranks};
    if (unsupported(probe) == nullptr) algorithms.push_back(algorithm);
  }
  return algorithms;
}

/// One entry for each value of an axis: how a row becomes a case.
struct Axes {
  Collective collective;
  std::vector<Algorithm> algorithms;
  int least_ranks;
  int most_ranks;

  std::vector<int> sizes() const {
    return {static_cast<int>(algorithms.size()),
            4,
            type_count,
            reduces(collective) ? operator_count - 1 : 1,
            count_count,
            most_ranks - least_ranks + 1,
            is_pairwise(collective) || collective == Collective::all_to_all_v ? 1 : 2,
            has_root(collective) ? 3 : 1,
            reduces(collective) ? 2 : 1,
            2,
            3,
            style_count,
            2,
            2};
  }
  Case case_of(const Row& row) const {
    constexpr int shifts[] = {0, 1, 3};
    return {.collective = collective,
            .algorithm = algorithms[static_cast<std::size_t>(row[0])],
            .protocol = static_cast<Protocol>(row[1]),
            .type = row[2],
            .op = static_cast<Operator>(reduces(collective) ? row[3] + 1 : 0),
            .count = static_cast<Count>(row[4]),
            .ranks = least_ranks + row[5],
            .in_place = row[6] == 1,
            .root = static_cast<Root>(row[7]),
            .deterministic = row[8] == 1,
            .home = static_cast<Home>(row[9]),
            .misaligned = shifts[row[10]],
            .style = static_cast<Style>(row[11]),
            .check_across_ranks = row[12] == 1,
            .progress_thread = row[13] == 1};
  }
};

/// How many cases there are for one that an instrumented build runs: a prime that no axis is as long as, so that every
/// value of every axis is met.
constexpr std::size_t instrumented_share = 7;

std::vector<Case> each_nth(const std::vector<Case>& cases, std::size_t every, std::uint64_t seed) {
  std::vector<Case> some;
  for (std::size_t i = seed % every; i < cases.size(); i += every) some.push_back(cases[i]);
  return some;
}

/// A communicator's own: what cases must share to run on it.
auto company(const Case& c) { return std::tuple(c.ranks, c.check_across_ranks, c.progress_thread); }

}  // namespace

std::vector<Case> exhaustive(int least_ranks, int most_ranks) {
  std::vector<Case> cases;
  for (int ranks = least_ranks; ranks <= most_ranks; ++ranks) {
    for (const Collective collective : tried_collectives) {
      for (const Algorithm algorithm : algorithms_for(collective, ranks)) {
        for (const Protocol protocol : {Protocol::automatic, Protocol::packet, Protocol::fifo, Protocol::window}) {
          for (const Count count : {Count::one, Count::ranks_and_one, Count::thousand, Count::several_slots}) {
            const bool slots_matter = protocol == Protocol::packet || protocol == Protocol::fifo;
            if (count == Count::several_slots && !slots_matter) continue;
            for (const bool in_place : {false, true}) {
              const Case c{.collective = collective,
                           .algorithm = algorithm,
                           .protocol = protocol,
                           .op = reduces(collective) ? Operator::sum : Operator::none,
                           .count = count,
                           .ranks = ranks,
                           .in_place = in_place,
                           .root = has_root(collective) ? Root::middle : Root::first};
              if (unsupported(c) == nullptr) cases.push_back(c);
            }
          }
        }
      }
    }
  }
  return cases;
}

CoveringArray covering(int least_ranks, int most_ranks, std::uint64_t seed) {
  CoveringArray array;
  for (const Collective collective : tried_collectives) {
    const Axes axes{collective, algorithms_for(collective, 2), least_ranks, most_ranks};
    const Covering covering = cover_pairs(
        axes.sizes(), [&](const Row& row) { return unsupported(axes.case_of(row)) == nullptr; },
        mix(seed, static_cast<std::uint64_t>(collective)));
    for (const Row& row : covering.rows) array.cases.push_back(axes.case_of(row));
    array.pairs += covering.pairs;
    array.impossible += covering.impossible;
  }
  return array;
}

bool instrumented() {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  return true;
#elif defined(__has_feature)
  return __has_feature(thread_sanitizer) || __has_feature(address_sanitizer);
#else
  return false;
#endif
}

std::vector<Case> affordable(const std::vector<Case>& cases, std::uint64_t seed) {
  const std::size_t every = instrumented() ? instrumented_share : 1;
  const std::vector<Case> some = each_nth(cases, every, seed);
  if (every == 1) {
    std::cout << fmt::format("{} cases\n", cases.size());
  } else {
    std::cout << fmt::format("{} of {} cases, as this build is instrumented\n", some.size(), cases.size());
  }
  return some;
}

std::vector<Case> some_of(int ranks, std::uint64_t seed) {
  const std::size_t every = instrumented() ? 12 : 3;
  std::vector<Case> cases = each_nth(exhaustive(ranks, ranks), every, seed);
  const std::vector<Case> more = each_nth(covering(ranks, ranks, seed).cases, every, seed);
  cases.insert(cases.end(), more.begin(), more.end());
  return cases;
}

Failures run_here(Communicator& comm, std::span<const Case> cases, std::uint64_t seed) {
  const auto ours = [&](const Case& c) {
    return company(c) == std::tuple(comm.size(), comm.config().check_across_ranks, comm.config().progress_thread);
  };
  std::size_t room = 1;
  bool allocated = false;
  for (const Case& c : cases) {
    if (!ours(c)) continue;
    room = std::max(room, room_for(c));
    allocated = allocated || c.home == Home::allocated || c.protocol == Protocol::window;
  }
  Playground playground(comm, room, allocated);
  Failures failures;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (!ours(cases[i])) continue;
    try {
      const auto wrong = run_case(comm, cases[i], playground, mix(seed, i));
      if (wrong && failures.size() < enough_failures) {
        failures.push_back(fmt::format("rank {}: {}: {}", comm.rank(), describe(cases[i]), *wrong));
      }
    } catch (const Error& error) {
      if (error.code() == Code::aborted) throw;
      throw std::runtime_error(fmt::format("{}: {}", describe(cases[i]), error.what()));
    }
  }
  return failures;
}

Failures run_in_process(std::span<const Case> cases, std::uint64_t seed) {
  std::map<decltype(company(Case{})), std::vector<Case>> companies;
  for (const Case& c : cases) companies[company(c)].push_back(c);
  Failures failures;
  std::mutex mutex;
  for (const auto& entry : companies) {
    const auto [ranks, checked, threaded] = entry.first;
    const Config config{
        .timeout = std::chrono::seconds(60), .check_across_ranks = checked, .progress_thread = threaded};
    try {
      in_process(
          ranks,
          [&](Communicator& comm) {
            const Failures here = run_here(comm, entry.second, seed);
            const std::lock_guard lock(mutex);
            failures.insert(failures.end(), here.begin(), here.end());
          },
          config);
    } catch (const std::exception& error) {
      failures.push_back(error.what());
    }
  }
  if (failures.size() > enough_failures) failures.resize(enough_failures);
  return failures;
}

}  // namespace tutti::conformance
