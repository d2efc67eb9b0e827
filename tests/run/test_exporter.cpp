/// @file  The exporter: its file, what it does with those of others, forks of its process, and one after the other.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "run/flight_recorder.hpp"
#include "run/metrics/exporter.hpp"
#include "topology/fixtures.hpp"
#include "tutti/bootstrap/in_process.hpp"
#include "tutti/bootstrap/world.hpp"

using namespace tutti;
using namespace tutti::metrics;

namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// A rank that is alone, with a recorder in memory.
struct Rank {
  World world = alone();
  FlightRecorder recorder{world, 1, flight_memory_only};

  Watched watched(bool first_of_host = false) const {
    return {.facts = {.rank = 0, .ranks = 1, .host = "n", .job = "j 1"},
            .recorder = &recorder,
            .first_of_host = first_of_host,
            .neighbours = {}};
  }
  void call() {
    Request request;
    request.collective = Collective::barrier;
    recorder.done(recorder.enter(request, {}, 0, recorder.join(1, 0, 0, 1)));
  }
};

}  // namespace

TEST_CASE("the file has what was counted, and the name of the run with it") {
  const TemporaryFolder folder;
  Rank rank;
  {
    const Watching watching(Exporter::shared("file:" + folder.path().string(), 0), rank.watched(true));
    rank.call();
  }
  const std::string page = text_of(folder.path() / "tutti-j_1-rank-0.prom");
  INFO(page);
  CHECK(page.find("tutti_calls_total{rank=\"0\",run=\"j 1\"} 1\n") != std::string::npos);
  CHECK(page.find("run=\"j 1\",run=") == std::string::npos);
}

TEST_CASE("files of jobs that ended long ago go, others stay") {
  const TemporaryFolder folder;
  const auto hours_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(2);
  for (const char* name : {"tutti-old-rank-0.prom", "node.prom", "tutti-new-rank-0.prom"}) folder.write(name, "x 1\n");
  for (const char* name : {"tutti-old-rank-0.prom", "node.prom"}) {
    std::filesystem::last_write_time(folder.path() / name, hours_ago);
  }
  Rank rank;
  { const Watching watching(Exporter::shared("file:" + folder.path().string(), 0), rank.watched()); }
  CHECK_FALSE(std::filesystem::exists(folder.path() / "tutti-old-rank-0.prom"));
  CHECK(std::filesystem::exists(folder.path() / "node.prom"));
  CHECK(std::filesystem::exists(folder.path() / "tutti-new-rank-0.prom"));
}

TEST_CASE("a forked process leaves its parent's metrics alone") {
  const TemporaryFolder folder;
  Rank rank;
  auto exporter = Exporter::shared("file:" + folder.path().string(), 0);
  auto watching = std::make_unique<Watching>(exporter, rank.watched());
  const pid_t child = fork();
  if (child == 0) {
    watching.reset();
    exporter.reset();
    const auto own = Exporter::shared("file:" + folder.path().string(), 0);  // does not wait for the parent's
    _exit(0);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  rank.call();
  watching.reset();
  exporter.reset();
  CHECK(text_of(folder.path() / "tutti-j_1-rank-0.prom").find("tutti_calls_total{rank=\"0\",run=\"j 1\"} 1\n") !=
        std::string::npos);
}

TEST_CASE("one exporter after the other has the same port, however they follow each other") {
  if (!HttpServer::available()) {
    WARN("there is no libmicrohttpd");
    return;
  }
  const std::string destination = std::to_string(Exporter::shared("0", 0)->port());  // one that was free just now
  Rank ranks[2];
  std::vector<std::thread> threads;
  std::atomic<int> refused{0};
  for (Rank& rank : ranks) {
    threads.emplace_back([&] {
      for (int turn = 0; turn < 20; ++turn) {
        try {
          const Watching watching(Exporter::shared(destination, 0), rank.watched());
        } catch (const Error&) {
          ++refused;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(refused == 0);
}
