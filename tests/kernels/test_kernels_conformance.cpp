/// @file  The kernels' own sources, compiled for host threads, give what collectives are defined to give.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <map>
#include <vector>

#include "catch.hpp"
#include "conformance/suite.hpp"
#include "kernels/play_case.hpp"

using namespace tutti;
using namespace tutti::conformance;
using namespace tutti::kernels;
using namespace tutti::kernels::test;

namespace {

/// Slots and packets so small that most cases take several.
WireShape small_shape(int ranks) {
  return {.ranks = ranks, .channels = 2, .slots = 2, .slot_bytes = 1024, .packet_slots = 2, .packet_bytes = 512};
}

/// In place, a lane of packets may write what another lane of the same rank has read. What orders the two is that the
/// value read went to a peer and came back in what is written; packets are relaxed, and of such an order the language,
/// and so ThreadSanitizer, knows nothing (docs/kernels.md).
bool ordered_by_values_alone(const Case& c) {
  const plan::Schedule schedule{c.collective, c.algorithm, c.protocol == Protocol::window, c.ranks, 0};
  return c.protocol == Protocol::packet && c.in_place && plan::lanes(schedule) > 1;
}

/// Counts beyond this many bytes are for machines that have the time.
constexpr std::size_t enough_bytes = 100'000;

std::vector<std::string> play_all(const std::vector<Case>& cases, const PlayOptions& options, int& played) {
  std::map<int, VirtualDevices> devices;  // the same memory for all calls of so many ranks
  std::vector<std::string> failures;
  for (std::size_t i = 0; i < cases.size() && failures.size() < 10; ++i) {
    const Case& c = cases[i];
    if (instrumented() && ordered_by_values_alone(c)) continue;
    auto at = devices.try_emplace(c.ranks, small_shape(c.ranks)).first;
    const auto wrong = play_case(at->second, c, default_seed + i, options);
    ++played;
    if (wrong) {
      failures.push_back(describe(c) + ": " + *wrong);
      devices.erase(at);
    }
  }
  return failures;
}

std::size_t bytes_of(const Case& c) {
  return count_of(c) * arithmetic(c.type, c.op)->size() * static_cast<std::size_t>(c.ranks);
}

}  // namespace

TEST_CASE("kernels: every collective by every pattern and protocol, among 1 to 8 ranks, gives what is defined") {
  std::vector<Case> cases;
  for (const Case& c : exhaustive(1, 8)) {
    if (c.in_place != ((static_cast<int>(c.count) + c.ranks) % 2 == 0)) continue;  // in place and not, in turns
    if (not_played(c) == nullptr && bytes_of(c) <= enough_bytes) cases.push_back(c);
  }
  if (instrumented()) cases = affordable(cases, default_seed);
  int played = 0;
  const auto failures = play_all(cases, {.channels = 2, .threads = 1}, played);
  std::cout << "kernels: " << played << " cases of all patterns\n";
  INFO(fmt::format("{}", fmt::join(failures, "\n")));
  CHECK(failures.empty());
  CHECK(played > 100);
}

TEST_CASE("kernels: all types with all operators, counts and places give what is defined") {
  std::vector<Case> cases;
  const std::vector<Case> covered = covering(1, 8, default_seed).cases;
  for (Case c : covered) {
    // What the engine asks of choose, the kernels are told.
    if (c.protocol == Protocol::automatic) c.protocol = Protocol::fifo;
    if (c.algorithm == Algorithm::automatic || c.algorithm == Algorithm::direct) c.algorithm = Algorithm::one_shot;
    if (not_played(c) == nullptr && bytes_of(c) <= enough_bytes) cases.push_back(c);
  }
  if (instrumented()) cases = affordable(cases, default_seed);
  int played = 0;
  const auto failures = play_all(cases, {.channels = 2, .threads = 1}, played);
  std::cout << "kernels: " << played << " cases of a covering array\n";
  INFO(fmt::format("{}", fmt::join(failures, "\n")));
  CHECK(failures.empty());
  CHECK(played > 100);
}

TEST_CASE("kernels: several threads of a block share the work of a step, call after call on the same memory") {
  std::vector<Case> cases;
  for (const Collective collective : tried_collectives) {
    for (const Algorithm algorithm : plan::patterns) {
      for (const Protocol protocol : {Protocol::packet, Protocol::fifo, Protocol::window}) {
        const Case c{.collective = collective,
                     .algorithm = algorithm,
                     .protocol = protocol,
                     .type = static_cast<int>(DataType::bfloat16),
                     .op = reduces(collective) ? Operator::average : Operator::none,
                     .count = Count::thousand,
                     .ranks = 3};
        if (not_played(c) == nullptr) cases.push_back(c);
      }
    }
  }
  for (const std::uint32_t threads : {4U, 33U}) {
    if (threads > 4) {  // more than a warp: for a few
      if (instrumented()) break;
      std::erase_if(cases, [](const Case& c) { return c.collective != Collective::reduce_scatter; });
    }
    int played = 0;
    const auto failures = play_all(cases, {.channels = 1, .threads = threads, .repeats = 2}, played);
    INFO(threads << " threads: " << fmt::format("{}", fmt::join(failures, "\n")));
    CHECK(failures.empty());
    CHECK(played >= 5);
  }
}
