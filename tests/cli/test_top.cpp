/// @file  `tutti top`: pages read back, quantiles, and the table in windows of all sizes.
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "cli/says.hpp"
#include "cli/top_command.hpp"
#include "cli/top_view.hpp"
#include "run/metrics/page.hpp"
#include "topology/fixtures.hpp"
#include "tutti/base/error.hpp"

using namespace tutti;
using namespace tutti::cli;

namespace {

metrics::Snapshot some_job(std::uint64_t calls) {
  metrics::Snapshot snapshot;
  snapshot.ranks.resize(2);
  for (int rank = 0; rank < 2; ++rank) {
    metrics::RankMetrics& metrics = snapshot.ranks[static_cast<std::size_t>(rank)];
    metrics.facts = {.rank = rank, .ranks = 2, .host = "node\"7\\", .job = "j"};
    metrics.tally.calls = calls;
    for (std::uint64_t i = 0; i < calls; ++i) {
      CallRecord call;
      call.size = 2;
      call.collective = Collective::all_reduce;
      call.element_size = 4;
      call.count = 1000;
      call.state = CallState::done;
      call.started = call.entered = 1000;
      call.ended = 31'000;
      metrics.tally.add(call);
    }
  }
  snapshot.gpus.push_back(
      {.index = 0, .utilisation = 0.42, .memory_used = 3ULL << 30, .memory_total = 80ULL << 30, .power = 312.0});
  snapshot.ports.push_back({.link = "infiniband", .device = "mlx5_0:1", .sent = calls * 1'000'000, .received = 0});
  return snapshot;
}

Look look_of(const metrics::Snapshot& snapshot, metrics::Style style, double seconds) {
  return {.samples = parse_samples(metrics::page_of(snapshot, style), "test"), .seconds = seconds};
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace

TEST_CASE("a page is read back as it was written, in both formats") {
  for (const auto style : {metrics::Style::openmetrics, metrics::Style::prometheus}) {
    const auto samples = parse_samples(metrics::page_of(some_job(3), style), "test");
    const auto found = std::find_if(samples.begin(), samples.end(),
                                    [](const Sample& sample) { return sample.name == "tutti_rank_info"; });
    REQUIRE(found != samples.end());
    CHECK(found->label("host") == "node\"7\\");
    CHECK(found->label("nothing").empty());
  }
  const auto odd = parse_samples("a 1\nb{x=\"1\",} -Inf 17\nc NaN # {x=\"y\"} 1\n", "test");
  REQUIRE(odd.size() == 3);
  CHECK(odd[1].value == -std::numeric_limits<double>::infinity());
  CHECK(std::isnan(odd[2].value));
}

TEST_CASE("a page that is none is refused with its source and line") {
  for (const char* page : {"<html>", "a", "a{ 1", "a{x=\"1 1", "a{x=1} 1", "a one", "{} 1"}) {
    try {
      parse_samples(std::string("# fine\nx 1\n") + page, "n7:9400");
      FAIL(page);
    } catch (const Error& error) {
      CHECK(says(error.what(), {"n7:9400: line 3", "TUTTI_METRICS"}));
    }
  }
}

TEST_CASE("a quantile lies in its bucket, and is unknown without values") {
  Buckets buckets;
  CHECK_FALSE(buckets.quantile(0.5));
  buckets.below = {{1, 0}, {2, 10}, {5, 20}, {HUGE_VAL, 21}};
  CHECK(*buckets.quantile(0.5) == Approx(2.15));
  CHECK(*buckets.quantile(0.25) == Approx(1.525));
  CHECK(*buckets.quantile(1) == 5);  // above the last bound: no more is known
}

TEST_CASE("one look shows totals, two show rates of what is between") {
  const Look early = look_of(some_job(10), metrics::Style::prometheus, 100);
  const Look late = look_of(some_job(30), metrics::Style::openmetrics, 102);
  const std::string once = joined(top_lines(nullptr, early, 200, 0));
  CHECK(says(once, {"CALLS ", "node\"7\\", "all_reduce", "4KiB", "42%", "3.0 of 80.0 GiB", "312 of -", "mlx5_0:1"}));
  const std::string live = joined(top_lines(&early, late, 200, 0));
  CHECK(says(live, {"CALLS/s", "LAST IN/s"}));
  INFO(live);
  CHECK(live.find("    0 node\"7\\               10 ") != std::string::npos);  // 20 calls in 2 s
  CHECK(says(live, {"       10.00"}));                                         // MB/s
}

TEST_CASE("sources that come, begin anew or go give no rates that never were") {
  const Look early = look_of(some_job(10), metrics::Style::prometheus, 100);
  Look late = look_of(some_job(4), metrics::Style::prometheus, 102);  // both began anew
  const Look new_rank{.samples = parse_samples("tutti_calls_total{rank=\"7\"} 1000\n", "test"), .seconds = 0};
  late.samples.insert(late.samples.end(), new_rank.samples.begin(), new_rank.samples.end());
  const std::string live = joined(top_lines(&early, late, 200, 0));
  INFO(live);
  CHECK(live.find("    0 node\"7\\                2 ") != std::string::npos);  // 4 calls in 2 s
  CHECK(live.find("    7                        0 ") != std::string::npos);
  CHECK(live.find(" -1") == std::string::npos);
  CHECK(joined(top_lines(&late, early, 200, 0)).find("    7 ") == std::string::npos);
}

TEST_CASE("what a page says cannot move the cursor") {
  Look look = look_of(some_job(1), metrics::Style::prometheus, 0);
  for (Sample& sample : look.samples) {
    if (sample.name == "tutti_rank_info") sample.labels["host"] = "a\033[2Jb";
  }
  CHECK(joined(top_lines(nullptr, look, 200, 0)).find('\033') == std::string::npos);
}

TEST_CASE("files that nobody writes any more are left out while others are written") {
  const TemporaryFolder folder;
  folder.write("tutti-j-rank-0.prom", "tutti_calls_total{rank=\"0\"} 5\n");
  folder.write("tutti-j-rank-9.prom", "tutti_calls_total{rank=\"9\"} 5\n");
  const auto before = std::filesystem::file_time_type::clock::now() - std::chrono::minutes(5);
  const auto shown = [&] {
    std::ostringstream out;
    top_command({.sources = {folder.path().string()}, .seconds = 1, .once = true}, out);
    return out.str();
  };
  std::filesystem::last_write_time(folder.path() / "tutti-j-rank-9.prom", before);
  CHECK(shown().find("    9 ") == std::string::npos);
  std::filesystem::last_write_time(folder.path() / "tutti-j-rank-0.prom", before);
  CHECK(says(shown(), {"    0 ", "    9 "}));
}

TEST_CASE("no window is too small") {
  const Look look = look_of(some_job(3), metrics::Style::prometheus, 0);
  for (std::size_t width = 1; width < 120; width += 7) {
    for (std::size_t height = 1; height < 30; height += 3) {
      const auto lines = top_lines(nullptr, look, width, height);
      REQUIRE(lines.size() <= height);
      for (const std::string& line : lines) REQUIRE(line.size() <= width);
    }
  }
  CHECK(top_lines(nullptr, {}, 80, 24).size() == 1);
}

TEST_CASE("sources are ports, ranges, hosts and folders, others are refused") {
  const TemporaryFolder folder;
  CHECK(top_sources({"9400"}).at(0).name == "127.0.0.1:9400");
  CHECK(top_sources({"n7:9400-9402", folder.path().string()}).size() == 4);
  CHECK(top_sources({"[::1]:9400"}).at(0).name == "::1:9400");
  for (const char* text : {"", "70000", "5-3", "host", "1-5000", "n7:", "/no/such/folder"}) {
    CHECK_THROWS_AS(top_sources({text}), Error);
  }
}

TEST_CASE("files are shown in one table, a source that is silent is named, none at all is an error") {
  const TemporaryFolder folder;
  folder.write("tutti-j-rank-0.prom", metrics::page_of(some_job(3), metrics::Style::prometheus));
  folder.write("tutti-j-rank-9.prom", "tutti_calls_total{rank=\"9\"} 5\n");
  folder.write("other.prom", "not for us");
  std::ostringstream out;
  top_command({.sources = {folder.path().string(), "127.0.0.1:1"}, .seconds = 1, .once = true}, out);
  INFO(out.str());
  CHECK(says(out.str(), {"1 of 2 sources", "since the job began", "    9 ", "silent: 127.0.0.1:1"}));
  CHECK(out.str().find("\033") == std::string::npos);
  const TemporaryFolder empty;
  CHECK_THROWS_AS(top_command({.sources = {empty.path().string()}, .seconds = 1, .once = true}, out), Error);
}
