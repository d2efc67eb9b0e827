/// @file  Metrics and traces of communicators: every call is in them, of every rank, and nothing when they are off.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "clock_offset.hpp"
#include "face/helpers.hpp"
#include "run/trace/rank_trace.hpp"
#include "topology/fixtures.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

std::vector<std::string> contents_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> texts;
  for (const auto& file : files) {
    std::ifstream in(file);
    std::ostringstream text;
    text << in.rdbuf();
    texts.push_back(text.str());
  }
  return texts;
}

void some_calls(Communicator& comm) {
  std::vector<float> values(5000, 1.0F);
  for (int i = 0; i < 20; ++i) all_reduce(comm, on_host(values), sum).wait();
  auto part = comm.split(comm.rank() % 2);
  if (part) barrier(*part).wait();
  std::vector<int> word{comm.rank()};
  if (comm.rank() == 0) send(comm, on_host(word), 1).wait();
  if (comm.rank() == 1) recv(comm, on_host(word), 0).wait();
}

}  // namespace

TEST_CASE("a trace holds every call of every rank, of parts too, and calls that belong together can be told") {
  const TemporaryFolder folder;
  Config config;
  config.trace = folder.path().string();
  in_process(3, some_calls, config);
  const auto texts = contents_of(folder.path());
  REQUIRE(texts.size() == 3);
  std::set<std::uint64_t> families;
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    const trace::RankTrace trace = trace::parse_rank_trace(texts[rank], "a trace");
    families.insert(trace.head.family);
    CHECK(trace.head.rank == static_cast<int>(rank));
    CHECK_FALSE(trace.cut_short);
    CHECK(trace.lost == 0);
    const auto calls = [&](Collective collective) {
      return std::count_if(trace.calls.begin(), trace.calls.end(),
                           [&](const CallRecord& call) { return call.collective == collective; });
    };
    CHECK(calls(Collective::all_reduce) == 20);
    CHECK(calls(Collective::barrier) == 1);
    CHECK(calls(Collective::send) == (rank == 0 ? 1 : 0));
    CHECK(calls(Collective::recv) == (rank == 1 ? 1 : 0));
    for (const CallRecord& call : trace.calls) {
      CHECK(call.entered > 0);
      CHECK(call.ended >= call.entered);
    }
  }
  CHECK(families.size() == 1);
}

namespace {

/// A page of a file without the label that names the job.
std::string without_run(const std::string& page) {
  return std::regex_replace(page, std::regex(",run=\"[^\"]*\"}"), "}");
}

}  // namespace

TEST_CASE("metrics in a file count every call, tell the ranks of a process apart, and who was late") {
  const TemporaryFolder folder;
  Config config;
  config.metrics = "file:" + folder.path().string();
  in_process(
      2,
      [](Communicator& comm) {
        some_calls(comm);
        for (int i = 0; i < 3; ++i) {
          if (comm.rank() == 1) std::this_thread::sleep_for(5ms);
          barrier(comm).wait();
        }
      },
      config);
  const auto texts = contents_of(folder.path());
  REQUIRE(texts.size() == 1);  // one process
  const std::string page = without_run(texts[0]);
  INFO(texts[0]);
  for (const char* rank : {"0", "1"}) {
    const std::string label = std::string("rank=\"") + rank + "\"";
    // 20 all_reduces, the split's all_gather, a barrier of the part, a message, 3 barriers
    CHECK(page.find("tutti_calls_total{" + label + "} 26\n") != std::string::npos);
    CHECK(page.find("tutti_calls_in_flight{" + label + "} 0\n") != std::string::npos);
    CHECK(page.find("tutti_call_latency_seconds_count{" + label + ",collective=\"all_reduce\",size=\"64KiB\"} 20\n") !=
          std::string::npos);
  }
  CHECK(page.find("tutti_arrival_skew_seconds_count{rank=\"0\",collective=\"barrier\",size=\"0\"} 3\n") !=
        std::string::npos);
  const std::string late = "tutti_late_arrivals_total{rank=\"1\"} ";
  REQUIRE(page.find(late) != std::string::npos);
  CHECK(std::stoi(page.substr(page.find(late) + late.size())) >= 3);
}

TEST_CASE("a failure is counted by its code") {
  const TemporaryFolder folder;
  Config config;
  config.metrics = "file:" + folder.path().string();
  errors_of(
      2,
      [](Communicator& comm) {
        if (comm.rank() == 0) barrier(comm, {.timeout = 50ms}).wait();
        if (comm.rank() == 1) std::this_thread::sleep_for(200ms);
      },
      config);
  const auto texts = contents_of(folder.path());
  REQUIRE(texts.size() == 1);
  INFO(texts[0]);
  CHECK(without_run(texts[0]).find("tutti_call_failures_total{rank=\"0\",code=\"timeout\"} 1\n") != std::string::npos);
}

TEST_CASE("settings that make no sense, and folders that cannot be written, are refused by name") {
  const auto told = [](const Config& config) { return error_of([&] { Communicator{alone(), config}; }); };
  Config config;
  config.metrics = "nowhere";
  CHECK(says(told(config), Code::invalid_argument, {"nowhere", "use a port"}));
  config.metrics = "file:/proc/there";
  CHECK(says(told(config), Code::resource, {"/proc/there", "TUTTI_METRICS"}));
  config = {};
  config.trace = "/proc/there";
  CHECK(says(told(config), Code::resource, {"/proc/there", "TUTTI_TRACE"}));
}

TEST_CASE("the quickest round trip tells a clock's offset, within half of what it took") {
  const std::vector<RoundTrip> trips = {{.asked = 0, .told = 5000, .answered = 400},
                                        {.asked = 1000, .told = 6040, .answered = 1100},
                                        {.asked = 2000, .told = 7500, .answered = 2900}};
  const ClockOffset offset = offset_from(trips);
  CHECK(offset.offset == 4990);
  CHECK(offset.error == 50);
  CHECK(offset_from({}).error == 0);
}
