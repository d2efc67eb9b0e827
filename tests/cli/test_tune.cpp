/// @file  From measured times to turns and coefficients: noise makes no turn, and made-up machines are found again.
#include <cmath>
#include <sstream>
#include <string>

#include "catch.hpp"
#include "cli/bench_statistics.hpp"
#include "cli/says.hpp"
#include "cli/schema.hpp"
#include "cli/tune_command.hpp"
#include "cli/tune_fit.hpp"
#include "tutti/base/error.hpp"

using namespace tutti;
using namespace tutti::tune;

namespace {

/// A way that takes latency + bytes/rate, both placements alike, each ± 1 %.
MeasuredWay line(Algorithm algorithm, const std::vector<std::size_t>& bytes, double latency, double gbs) {
  MeasuredWay way{.algorithm = algorithm, .protocol = Protocol::fifo};
  for (const std::size_t size : bytes) {
    const double us = latency + static_cast<double>(size) / gbs * 1e-3;
    way.us.push_back({Interval{us, 0.99 * us, 1.01 * us}, Interval{us, 0.99 * us, 1.01 * us}});
  }
  return way;
}

Measurements two_ways() {
  Measurements measured;
  for (std::size_t size = 8; size <= (1 << 20); size *= 2) measured.bytes.push_back(size);
  measured.ways = {line(Algorithm::one_shot, measured.bytes, 1, 1), line(Algorithm::two_shot, measured.bytes, 3, 4)};
  return measured;  // they meet where 2 us are 0.75 ns/B: at 2,667 bytes
}

}  // namespace

TEST_CASE("two lines turn where they meet, and their coefficients are found") {
  const TunedCall call = fit(two_ways(), 0.05);
  REQUIRE(call.turns.size() == 2);
  CHECK(call.turns[0].algorithm == Algorithm::one_shot);
  CHECK(call.turns[0].bytes == 0);
  CHECK(call.turns[1].algorithm == Algorithm::two_shot);
  CHECK(std::abs(static_cast<double>(call.turns[1].bytes) / 2667 - 1) < 0.1);
  CHECK(call.turns[1].low < call.turns[1].bytes);
  CHECK(call.turns[1].bytes < call.turns[1].high);
  REQUIRE(call.ways.size() == 2);
  CHECK(call.ways[1].latency_us.value == Approx(3));
  CHECK(call.ways[1].gbs.value == Approx(4));
  CHECK(call.ways[1].error < 1e-9);
}

TEST_CASE("a way is not left for what the hysteresis does not pay") {
  Measurements measured = two_ways();
  measured.ways[1] = line(Algorithm::two_shot, measured.bytes, 1, 1);
  for (auto& cell : measured.ways[1].us[9]) cell = {0.97 * cell.value, 0.96 * cell.value, 0.98 * cell.value};
  for (auto& cell : measured.ways[1].us[2]) cell = {1.02 * cell.value, cell.value, 1.03 * cell.value};
  CHECK(fit(measured, 0.05).turns.size() == 1);
  CHECK(fit(measured, 0.001).turns.size() >= 2);
}

TEST_CASE("a way that is bad in place is not taken for being good out of place") {
  Measurements measured = two_ways();
  measured.ways[1] = line(Algorithm::two_shot, measured.bytes, 1.1, 1);
  for (auto& cells : measured.ways[0].us) cells[1] = {5 * cells[1].value, 5 * cells[1].value, 5 * cells[1].value};
  const TunedCall call = fit(measured, 0.05);
  REQUIRE(call.turns.size() == 1);
  CHECK(call.turns[0].algorithm == Algorithm::two_shot);
}

TEST_CASE("a way that was given up is not taken where it was not measured") {
  Measurements measured = two_ways();
  for (std::size_t size = 6; size < measured.bytes.size(); ++size) measured.ways[0].us[size] = {};
  const TunedCall call = fit(measured, 0.05);
  REQUIRE(call.turns.size() == 2);
  CHECK(call.turns[1].bytes <= measured.bytes[6]);
  CHECK(call.ways[0].points.size() == 6);
}

TEST_CASE("the interval of a median takes in the middle of the samples and leaves out the ends of many") {
  std::vector<double> samples;
  for (int i = 1; i <= 20; ++i) samples.push_back(i);
  const auto [low, high] = bench::median_interval(samples);
  CHECK(low == 6);
  CHECK(high == 15);
  CHECK(bench::median_interval({7}) == std::pair<double, double>{7, 7});
  CHECK(bench::median_interval({3, 1, 2}) == std::pair<double, double>{1, 3});
}

TEST_CASE("tutti tune refuses what it cannot measure") {
  const auto refused = [](const cli::TuneOptions& options) {
    std::ostringstream out;
    try {
      cli::tune_command(options, out);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refused({.collectives = "all_guess"}).find("there is no collective 'all_guess'") != std::string::npos);
  CHECK(refused({.collectives = "barrier"}).find("there is no collective 'barrier'") != std::string::npos);
  CHECK(refused({.min = "2"}).find("sizes from 2 to 16M") != std::string::npos);
  CHECK(refused({.min = "1M", .max = "1K"}).find("sizes from 1M to 1K") != std::string::npos);
  CHECK(refused({.ranks = "0"}).find("\"0\" is no number of threads") != std::string::npos);
  CHECK(refused({.ranks = "2,-3"}).find("\"-3\" is no number of threads") != std::string::npos);
  CHECK(refused({.ranks = "1024"}).find("would take turns") != std::string::npos);
  CHECK(refused({.seconds = -1}).find("--seconds -1") != std::string::npos);
  CHECK(refused({.hysteresis = 1000}).find("--hysteresis 1000") != std::string::npos);
  CHECK(refused({.file = "-"}).find("written to a file") != std::string::npos);
  CHECK(refused({.show = "/nonexistent"}).find("/nonexistent") != std::string::npos);
}

TEST_CASE("what is fitted is written as the schema says, and prints") {
  Tuning tuning{.machine = fingerprint_of(this_host_facts())};
  tuning.calls.push_back(fit(two_ways(), 0.05));
  const nlohmann::json schema = test::schema_named("tuning");
  CHECK(test::schema_fault(nlohmann::json::parse(to_json(tuning)), schema, schema) == "");
  CHECK(tuning_from_text(to_json(tuning), "") == tuning);
  std::ostringstream out;
  cli::print_tuning(tuning, out);
  CHECK(says(out.str(),
             {"tuning " + digest(tuning), "for machines " + digest(tuning.machine), "all_reduce among 2 threads",
              "one_shot/fifo", "two_shot/fifo", "3.00 (3.00 to 3.00)", "measured up to"}));
}
