/// @file  The autopsy names who has not come, who came with another call, who is gone, and circles of waiting.
#include "cli/autopsy.hpp"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "cli/autopsy_command.hpp"
#include "cli/says.hpp"
#include "run/flight_recorder.hpp"
#include "topology/contains.hpp"
#include "topology/fixtures.hpp"
#include "tutti/base/error.hpp"
#include "tutti/bootstrap/in_process.hpp"

using namespace tutti;
using namespace tutti::cli;

namespace {

constexpr std::uint64_t everybody = 0xaaaa'0000'0000'0001;
constexpr std::uint64_t other = 0xbbbb'0000'0000'0002;

/// A job of so many ranks in two communicators, the second one of the ranks in reverse order.
std::vector<Remains> job_of(int ranks) {
  std::vector<Remains> remains;
  for (int rank = 0; rank < ranks; ++rank) {
    FlightFile file{.name = "rank-" + std::to_string(rank), .family = everybody, .rank = rank, .size = ranks};
    file.process = 100 + rank;
    file.host = "n1";
    file.job = "job";
    file.communicators = {{everybody, 0, rank, ranks, false}, {other, everybody, ranks - 1 - rank, ranks, false}};
    file.seen = 10'000'000'000;
    remains.push_back({std::move(file), Process::running});
  }
  return remains;
}

/// The rank makes a call, as its next in that communicator.
CallRecord& call(std::vector<Remains>& job, int rank, CallState state, std::uint64_t communicator = everybody,
                 Collective collective = Collective::all_reduce, std::uint64_t count = 4) {
  FlightFile& file = job[static_cast<std::size_t>(rank)].file;
  CallRecord record;
  record.number = file.calls.size() + 1;
  record.communicator = communicator;
  record.size = file.size;
  record.rank = communicator == everybody ? rank : file.size - 1 - rank;
  for (const CallRecord& before : file.calls) {
    if (before.communicator == communicator && !is_pairwise(before.collective)) ++record.turn;
  }
  record.collective = collective;
  record.type = DataType::float32;
  record.op = reduces(collective) ? Op::sum : Op::none;
  record.element_size = 4;
  record.count = count;
  record.state = state;
  record.entered = 8'000'000'000;
  if (state == CallState::done) record.ended = 9'000'000'000;
  if (state == CallState::running) record.looked = 9'500'000'000;
  file.calls.push_back(record);
  return file.calls.back();
}

const Finding* find(const Autopsy& autopsy, const std::string& id, const std::string& subject = {}) {
  for (const Finding& finding : autopsy.findings) {
    if (finding.id == id && (subject.empty() || finding.subject == subject)) return &finding;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("a job whose calls are over has no findings") {
  auto job = job_of(3);
  for (int rank = 0; rank < 3; ++rank) call(job, rank, CallState::done);
  const Autopsy autopsy = autopsy_of(job);
  CHECK(autopsy.findings.empty());
  CHECK(autopsy.ranks.at(1).state.find("is in no call; its last, call 1 of communicator #aaaa") == 0);
}

TEST_CASE("the autopsy names the rank that has not entered a call, and who waits in which step for whom") {
  auto job = job_of(3);
  for (int rank = 0; rank < 3; ++rank) call(job, rank, CallState::done);
  for (const int rank : {0, 2}) {
    CallRecord& waits = call(job, rank, CallState::running);
    waits.awaited = 1;
    waits.step = 2;
    waits.steps = 4;
  }
  job[1].process = Process::gone;
  const Autopsy autopsy = autopsy_of(job);
  REQUIRE(autopsy.findings.size() == 1);
  const Finding& finding = autopsy.findings[0];
  CHECK(finding.id == "not-entered");
  CHECK(finding.subject == "rank 1");
  CHECK(says(finding.what, {"has not entered call 2 of communicator #aaaa (all_reduce of 16 B float32 (sum))",
                            "where ranks 0 and 2 wait for it"}));
  CHECK(says(finding.evidence, {"its process 101 on n1 is gone", "its last there was all_reduce", "done"}));
  CHECK(says(autopsy.ranks[0].state, {"for 2.0 s", "step 2 of 4", "waiting for a message from rank 1"}));
}

TEST_CASE("a rank that made another call is named beside what the others made") {
  for (const bool count_only : {true, false}) {
    auto job = job_of(4);
    for (int rank = 0; rank < 4; ++rank) {
      call(job, rank, CallState::running, everybody,
           rank == 2 && !count_only ? Collective::broadcast : Collective::all_reduce, rank == 2 ? 8 : 4);
    }
    const Autopsy autopsy = autopsy_of(job);
    REQUIRE(autopsy.findings.size() == 1);
    CHECK(autopsy.findings[0].id == "other-call");
    CHECK(autopsy.findings[0].subject == "rank 2");
    CHECK(
        says(autopsy.findings[0].what, {count_only ? "made all_reduce of 32 B" : "made broadcast of 32 B", "call 1 of",
                                        "where ranks 0, 1 and 3 made all_reduce of 16 B float32 (sum)"}));
  }
}

TEST_CASE("a deadlock over two communicators is shown as the circle it is") {
  auto job = job_of(2);
  call(job, 0, CallState::running, everybody);
  call(job, 1, CallState::running, other, Collective::barrier);
  const Autopsy autopsy = autopsy_of(job);
  const Finding* circle = find(autopsy, "deadlock");
  REQUIRE(circle != nullptr);
  CHECK(circle == autopsy.findings.data());
  CHECK(says(circle->what, {"rank 0 is in call 1 of communicator #aaaa and waits for rank 1",
                            "rank 1 is in call 1 of communicator #bbbb and waits for rank 0"}));
  CHECK(find(autopsy, "not-entered", "rank 1") != nullptr);
}

TEST_CASE("ranks that are slower, or that did their part and went on, are no deadlock") {
  auto job = job_of(3);
  for (const int rank : {0, 1, 2}) {
    call(job, rank, rank == 0 ? CallState::done : CallState::running, everybody, Collective::broadcast);
  }
  call(job, 0, CallState::running, other, Collective::barrier);
  const Autopsy autopsy = autopsy_of(job);
  CHECK(find(autopsy, "deadlock") == nullptr);
  CHECK(find(autopsy, "not-entered", "rank 1") != nullptr);
  CHECK(find(autopsy, "not-entered", "rank 0") == nullptr);
}

TEST_CASE("a message that nobody receives is told, in its direction") {
  auto job = job_of(3);
  CallRecord& send = call(job, 0, CallState::running, everybody, Collective::send);
  send.root = 2;
  send.turn = 0;
  CallRecord& recv = call(job, 2, CallState::done, everybody, Collective::recv);
  recv.root = 1;
  recv.turn = 0;
  const Autopsy autopsy = autopsy_of(job);
  REQUIRE(autopsy.findings.size() == 1);
  CHECK(autopsy.findings[0].subject == "rank 2");
  CHECK(says(autopsy.findings[0].what, {"has not entered message 1 from rank 0 to rank 2", "rank 0 waits for it"}));
}

TEST_CASE("ranks that left no file, are stopped or gone are told") {
  auto job = job_of(4);
  for (int rank = 0; rank < 4; ++rank) call(job, rank, CallState::done);
  job[1].process = Process::stopped;
  job[2].process = Process::gone;
  job.pop_back();
  const Autopsy autopsy = autopsy_of(job);
  CHECK(find(autopsy, "stopped", "rank 1") != nullptr);
  CHECK(find(autopsy, "gone", "rank 2") != nullptr);
  CHECK(find(autopsy, "no-file", "rank 3") != nullptr);
  CHECK(autopsy.findings.size() == 3);
}

TEST_CASE("tutti autopsy reads the newest job of a folder, as text and JSON, and refuses what is none") {
  const TemporaryFolder folder;
  const std::string path = folder.path().string();
  std::ostringstream out;
  CHECK_THROWS_WITH(autopsy_command({.folder = path}, out), contains("has no files of a flight recorder"));
  CHECK_THROWS_WITH(autopsy_command({.folder = path + "/nothing"}, out), contains("No such file"));

  const auto worlds = worlds_in_process(2);
  for (const std::uint64_t family : {std::uint64_t{1} << 48, std::uint64_t{2} << 48}) {
    for (World world : worlds) {
      world.job = "job-" + std::to_string(family >> 48);
      FlightRecorder recorder(world, family, path);
      const auto index = recorder.join(family, 0, world.rank, 2);
      auto entry = recorder.enter({.collective = Collective::barrier}, {}, 0, index);
      if (world.rank == 0) recorder.done(entry);
      recorder.waits(entry, {.awaited = 1, .step = 1, .steps = 1});
    }
  }
  CHECK(autopsy_command({.folder = path}, out) == 0);  // both have entered
  CHECK(says(out.str(), {"job job-2: 2 of 2 ranks left a file", "rank 1", "Nobody is waited for.",
                         "(2 files of other jobs or starts were left out.)"}));
  std::ostringstream text;
  CHECK(autopsy_command({.folder = path + "/job-1", .json = true}, text) == 0);
  const auto json = nlohmann::json::parse(text.str());
  CHECK(json["job"] == "job-1");
  CHECK(json["ranks"][1]["call"]["collective"] == "barrier");
  CHECK(json["ranks"][1]["call"]["waiting"]["for"] == 1);

  std::ofstream(path + "/job-1/rank-7") << "not one";
  CHECK_THROWS_WITH(autopsy_command({.folder = path}, out), contains("rank-7: this is no file of a flight recorder"));
}
