/// @file  Traces: written and read back, put on one clock, and who was late in them.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "run/some_calls.hpp"
#include "run/trace/calls_together.hpp"
#include "run/trace/merge.hpp"
#include "run/trace/trace_writer.hpp"
#include "topology/fixtures.hpp"
#include "tutti/base/error.hpp"

using namespace tutti;
using namespace tutti::trace;
using tutti::test::some_call;

namespace {

std::string text_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Two ranks: rank 1 enters both calls 40 µs after rank 0; its clock shows 7 ms more.
std::vector<RankTrace> two_ranks() {
  constexpr std::int64_t ahead = 7'000'000;
  RankTrace zero{.head = {.rank = 0, .ranks = 2, .host = "n0", .job = "j", .family = 0xc0ffee}};
  RankTrace one{
      .head = {
          .rank = 1, .ranks = 2, .host = "n1", .job = "j", .family = 0xc0ffee, .offset_ns = -ahead, .error_ns = 2000}};
  for (std::uint64_t number = 1; number <= 2; ++number) {
    const auto at = static_cast<std::int64_t>(number) * 10'000'000;
    zero.calls.push_back(some_call(number, at));
    one.calls.push_back(some_call(number, at + 40'000 + ahead, 1));
  }
  return {zero, one};
}

/// Events of a timeline by "ph:cat" or "ph:name" for those without.
std::map<std::string, std::vector<nlohmann::json>> events_of(const Timeline& timeline) {
  std::map<std::string, std::vector<nlohmann::json>> events;
  const nlohmann::json json = nlohmann::json::parse(timeline.json);
  for (const auto& event : json.at("traceEvents")) {
    const std::string kind = event.at("ph").get<std::string>();
    events[kind + ":" + event.value("cat", event.at("name").get<std::string>())].push_back(event);
  }
  return events;
}

}  // namespace

TEST_CASE("what a trace file says is what was written to it") {
  const TemporaryFolder folder;
  const TraceHead head{.rank = 3,
                       .ranks = 8,
                       .host = "n\"0\\1",
                       .job = "job\n7",
                       .family = 0xfedcba9876543210,
                       .process = 42,
                       .began = 1'700'000'000,
                       .offset_ns = -123,
                       .error_ns = 45};
  CallRecord failed = some_call(2, 2000);
  failed.collective = Collective::send;
  failed.root = 1;
  failed.type = DataType::user;
  failed.op = Op::none;
  failed.state = CallState::failed;
  failed.code = Code::timeout;
  std::string file;
  {
    TraceWriter writer((folder.path() / "a/b").string(), head);
    writer.ended(some_call(1, 1000));
    writer.ended(failed);
    file = writer.file();
  }
  const RankTrace trace = parse_rank_trace(text_of(file), file);
  CHECK(trace.head.rank == 3);
  CHECK(trace.head.ranks == 8);
  CHECK(trace.head.host == head.host);
  CHECK(trace.head.job == head.job);
  CHECK(trace.head.family == head.family);
  CHECK(trace.head.process == 42);
  CHECK(trace.head.began == head.began);
  CHECK(trace.head.offset_ns == -123);
  CHECK(trace.head.error_ns == 45);
  CHECK_FALSE(trace.cut_short);
  CHECK(trace.lost == 0);
  REQUIRE(trace.calls.size() == 2);
  CHECK(trace.calls[0].communicator == 0xc0ffee);
  CHECK(trace.calls[0].op == Op::sum);
  CHECK(trace.calls[0].count == 1 << 18);
  CHECK(trace.calls[0].ended == 1'001'000);
  CHECK(trace.calls[1].code == Code::timeout);
  CHECK(trace.calls[1].type == DataType::user);
  CHECK(trace.calls[1].root == 1);
}

TEST_CASE("the trace of a killed process is read up to its last whole line") {
  const std::string whole = head_line(TraceHead{}) + call_line(some_call(1, 10)) + call_line(some_call(2, 20));
  for (std::size_t size = head_line(TraceHead{}).size(); size <= whole.size(); ++size) {
    const RankTrace trace = parse_rank_trace(std::string_view(whole).substr(0, size), "f");
    REQUIRE(trace.cut_short);
    REQUIRE(trace.calls.size() <= 2);
    REQUIRE(trace.lost == 0);
  }
  CHECK(parse_rank_trace(whole, "f").calls.size() == 2);
}

TEST_CASE("what is no trace is refused with its file and line, whatever byte of it is wrong") {
  const auto refusal = [](const std::string& text) -> std::string {
    try {
      parse_rank_trace(text, "some.trace");
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  };
  const std::string head = head_line(TraceHead{}), call = call_line(some_call(1, 10));
  CHECK(refusal("").find("some.trace is empty") != std::string::npos);
  CHECK(refusal("hello\n").find("some.trace: line 1") != std::string::npos);
  CHECK(refusal("[]\n").find("line 1") != std::string::npos);
  CHECK(refusal(head + call + "{\"number\":1}\n").find("line 3") != std::string::npos);
  CHECK(refusal(head + "7\n").find("line 2") != std::string::npos);
  CHECK(refusal(head_line({.rank = 5, .ranks = 2})).find("no such rank") != std::string::npos);
  const std::string text = head + call + end_line(0);
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const char c : {'"', '-', '\n', '9', '{'}) {
      std::string broken = text;
      broken[at] = c;
      static_cast<void>(refusal(broken));  // an Error, or a trace: nothing else
    }
  }
}

TEST_CASE("a call of one communicator too many to remember is read, and belongs to nobody's") {
  CallRecord nobody = some_call(1, 10);
  nobody.communicator = 0;
  nobody.rank = -1;
  nobody.size = 0;
  const RankTrace trace = parse_rank_trace(head_line(TraceHead{}) + call_line(nobody), "f");
  REQUIRE(trace.calls.size() == 1);
  CHECK(trace.calls[0].rank == -1);
  CHECK(merge({trace, trace}, {}).calls == 2);
}

TEST_CASE("calls whose record was overwritten before they ended are counted as missing") {
  const TemporaryFolder folder;
  std::string file;
  {
    TraceWriter writer(folder.path().string(), {});
    file = writer.file();
    writer.ended(some_call(1, 10));
    writer.missed(2);
  }
  CHECK(parse_rank_trace(text_of(file), file).lost == 1);
}

TEST_CASE("a forked process leaves the trace of its parent alone") {
  const TemporaryFolder folder;
  std::string file;
  {
    std::unique_ptr<TraceWriter, InOwnProcess> writer(new TraceWriter(folder.path().string(), {}), {});
    file = writer->file();
    const pid_t child = fork();
    if (child == 0) {
      writer->ended(some_call(1, 10));
      writer.reset();
      _exit(0);
    }
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    writer->ended(some_call(2, 20));
  }
  const RankTrace trace = parse_rank_trace(text_of(file), file);
  CHECK_FALSE(trace.cut_short);
  REQUIRE(trace.calls.size() == 1);
  CHECK(trace.calls[0].number == 2);
}

TEST_CASE("a disk without room for the head is an error when the trace begins") {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("/dev/full", folder.path() / "rank-00000-0000000000000000.trace");
  CHECK_THROWS_AS(TraceWriter(folder.path().string(), {}), Error);
}

TEST_CASE("a folder that cannot be written is named") {
  try {
    const TraceWriter writer("/proc/no-such-folder", {});
    FAIL("written");
  } catch (const Error& error) {
    CHECK(error.code() == Code::resource);
    CHECK(std::string(error.what()).find("/proc/no-such-folder/rank-00000") != std::string::npos);
    CHECK(std::string(error.what()).find("TUTTI_TRACE") != std::string::npos);
  }
}

TEST_CASE("ranks with clocks apart lie on one clock, and the late one is marked, awaited, and pointed from") {
  const Timeline timeline = merge(two_ranks());
  auto events = events_of(timeline);
  REQUIRE(events["X:call"].size() == 4);
  REQUIRE(events["X:wait"].size() == 2);
  REQUIRE(events["i:late"].size() == 2);
  const auto& first = events["X:call"][0];
  CHECK(first.at("name") == "all_reduce 1 MiB");
  CHECK(first.at("ts") == 0.0);
  CHECK(first.at("dur") == 1000.0);
  CHECK(first.at("args").at("bytes") == 1 << 20);
  const auto& wait = events["X:wait"][0];
  CHECK(wait.at("name") == "waits for rank 1");
  CHECK(wait.at("pid") == 0);
  CHECK(wait.at("dur").get<double>() == Approx(40.0));
  CHECK(wait.at("tid") == first.at("tid"));
  CHECK(events["i:late"][0].at("pid") == 1);
  CHECK(events["i:late"][0].at("name") == "late by 40.0 us");
  REQUIRE(events["s:late"].size() == 2);
  REQUIRE(events["f:late"].size() == 2);
  CHECK(events["s:late"][0].at("pid") == 1);
  CHECK(events["f:late"][0].at("pid") == 0);
  CHECK(events["s:late"][0].at("id") == events["f:late"][0].at("id"));
  CHECK(events["M:process_name"][1].at("args").at("name") == "rank 1 on n1");
  REQUIRE(timeline.ranks.size() == 2);
  CHECK(timeline.ranks[1].last == 2);
  CHECK(timeline.ranks[1].median_ns == 40'000);
  CHECK(timeline.ranks[0].last == 0);
  CHECK(timeline.ranks[0].waited_ns == 80'000);
  CHECK(timeline.error_ns == 2000);
}

TEST_CASE("nobody is late by less than is asked for, or than the clocks can tell") {
  CHECK(events_of(merge(two_ranks(), {.late_ns = 40'001})).count("i:late") == 0);
  auto traces = two_ranks();
  traces[0].head.error_ns = traces[1].head.error_ns = 25'000;
  CHECK(events_of(merge(traces)).count("i:late") == 0);
}

TEST_CASE("who waits for whom depends on the collective") {
  const auto waiting = [](Collective collective, int root) {
    auto traces = two_ranks();
    for (RankTrace& trace : traces) {
      trace.calls.resize(1);
      trace.calls[0].collective = collective;
      trace.calls[0].root = root;
    }
    return calls_together(traces).at(0).waiting.size();
  };
  CHECK(waiting(Collective::broadcast, 1) == 1);  // rank 0 waits for the root
  CHECK(waiting(Collective::broadcast, 0) == 0);  // the root waits for nobody
  CHECK(waiting(Collective::reduce, 0) == 1);
  CHECK(waiting(Collective::reduce, 1) == 0);
  CHECK(waiting(Collective::barrier, -1) == 1);
}

TEST_CASE("a send and its recv belong together, by direction and turn") {
  auto traces = two_ranks();
  for (RankTrace& trace : traces) {
    for (CallRecord& call : trace.calls) {
      call.collective = trace.head.rank == 1 ? Collective::send : Collective::recv;
      call.root = 1 - trace.head.rank;
    }
  }
  const auto calls = calls_together(traces);
  REQUIRE(calls.size() == 2);
  CHECK(calls[0].waiting.size() == 1);  // the recv, for the send that came later
  traces[0].calls[0].collective = Collective::send;
  traces[0].calls[1].collective = Collective::send;
  CHECK(calls_together(traces).empty());
}

TEST_CASE("calls that overlap lie side by side, those that do not in one line") {
  auto traces = two_ranks();
  traces.resize(1);
  traces[0].calls = {some_call(1, 1000), some_call(2, 2000), some_call(3, 2'000'000)};
  auto events = events_of(merge(traces));
  const auto& calls = events["X:call"];
  CHECK(calls[0].at("tid") != calls[1].at("tid"));
  CHECK(calls[0].at("tid") == calls[2].at("tid"));
  CHECK(events["M:thread_name"].size() == 2);
}

TEST_CASE("names that nobody expects do not break the timeline") {
  auto traces = two_ranks();
  traces[0].head.host = "a\"b\\c\n\xff";
  traces[0].head.job = "</script>\x01";
  CHECK_NOTHROW(events_of(merge(traces)));
  CHECK_NOTHROW(events_of(merge(std::vector<RankTrace>{})));
}
