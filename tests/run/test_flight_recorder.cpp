/// @file  The flight recorder: what it notes of a call, how much it keeps, and where.
#include "run/flight_recorder.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "catch.hpp"
#include "run/flight_leftovers.hpp"
#include "tutti/bootstrap/in_process.hpp"

using namespace tutti;

namespace {

/// A folder that goes with the test.
struct Folder {
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "tutti-recorder-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
    path = name;
  }
  ~Folder() { std::filesystem::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::size_t files() const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
      if (entry.is_regular_file()) ++count;
    }
    return count;
  }
  std::string path;
};

/// Rank 3 of 4, told apart from other jobs; what it is warned of is kept.
World world_of(std::vector<std::string>& warnings) {
  World world = worlds_in_process(4).back();
  world.one_process = false;
  world.job = "some job/..";
  world.progress.say = [&warnings](const std::string& line) { warnings.push_back(line); };
  return world;
}

Request some_call(std::size_t count) {
  return {.collective = Collective::broadcast, .type = DataType::float32, .element_size = 4, .count = count, .root = 2};
}

constexpr Decision by_tree{Backend::host, Algorithm::tree, Protocol::fifo};

}  // namespace

TEST_CASE("a recorded call says what it was, where it stands and what it waits for") {
  std::vector<std::string> warnings;
  FlightRecorder recorder(world_of(warnings), 7, flight_memory_only);
  const std::uint16_t index = recorder.join(77, 7, 1, 3);
  auto entry = recorder.enter(some_call(10), by_tree, 5, index);
  CallRecord record = recorder.recent().at(0);
  CHECK(record.number == 1);
  CHECK(record.communicator == 77);
  CHECK(record.rank == 1);
  CHECK(record.size == 3);
  CHECK(record.turn == 5);
  CHECK(describe(record) == "broadcast of 40 B float32, root 2");
  CHECK(record.algorithm == Algorithm::tree);
  CHECK(record.protocol == Protocol::fifo);
  CHECK(record.state == CallState::running);
  CHECK(record.entered != 0);
  CHECK(record.ended == 0);
  CHECK(record.looked == 0);

  recorder.waits(entry, {.queued = true});
  CHECK(recorder.recent().at(0).state == CallState::queued);
  CHECK(recorder.recent().at(0).started == 0);
  recorder.start(entry);
  recorder.waits(entry,
                 {.awaited = 2, .step = 3, .steps = 8, .lane = 1, .chunk = 9, .chunks = 10, .flags = flight::for_room});
  record = recorder.recent().at(0);
  CHECK(record.state == CallState::running);
  CHECK(record.started >= record.entered);
  CHECK(record.looked >= record.started);
  CHECK(record.awaited == 2);
  CHECK(record.step == 3);
  CHECK(record.steps == 8);
  CHECK(record.lane == 1);
  CHECK(record.chunk == 9);
  CHECK(record.chunks == 10);
  CHECK(record.for_room);
  CHECK_FALSE(record.at_barrier);

  recorder.done(entry);
  record = recorder.recent().at(0);
  CHECK(record.state == CallState::done);
  CHECK(record.ended >= record.looked);
  CHECK(warnings.empty());
}

TEST_CASE("times of the recorder are those of the monotonic clock") {
  std::vector<std::string> warnings;
  FlightRecorder recorder(world_of(warnings), 7, flight_memory_only);
  const auto before = static_cast<std::int64_t>(Ticks::monotonic());
  auto entry = recorder.enter(some_call(10'000), by_tree, 0, recorder.join(7, 0, 0, 1));
  recorder.done(entry);
  const auto after = static_cast<std::int64_t>(Ticks::monotonic());
  const CallRecord record = recorder.recent().at(0);
  const std::int64_t rounding = (after - before) / 100 + 20'000;
  CHECK(record.entered >= before - rounding);
  CHECK(record.ended >= record.entered);
  CHECK(record.ended <= after + rounding);
}

TEST_CASE("the recorder keeps the last calls, and a call that was overwritten does not end another") {
  std::vector<std::string> warnings;
  FlightRecorder recorder(world_of(warnings), 7, flight_memory_only);
  const std::uint16_t index = recorder.join(7, 0, 0, 1);
  const auto first = recorder.enter(some_call(1), by_tree, 0, index);
  for (std::uint64_t turn = 1; turn <= recorded_calls; ++turn) recorder.enter(some_call(1), by_tree, turn, index);
  recorder.done(first);
  const auto records = recorder.recent();
  REQUIRE(records.size() == recorded_calls);
  CHECK(records.front().number == 2);
  CHECK(records.back().number == recorded_calls + 1);
  for (const CallRecord& record : records) CHECK(record.state == CallState::running);
  CHECK(recorder.recent(recorded_calls).size() == 1);
}

TEST_CASE("ends of small calls are noted for every eighth, of long and large ones and for observers always") {
  std::vector<std::string> warnings;
  FlightRecorder recorder(world_of(warnings), 7, flight_memory_only);
  const std::uint16_t index = recorder.join(7, 0, 0, 1);
  const auto noted = [&](const Request& request) {
    int count = 0;
    for (std::uint64_t turn = 0; turn < 64; ++turn) {
      recorder.done(recorder.enter(request, by_tree, turn, index));
      if (recorder.recent().back().end_is_noted()) ++count;
    }
    return count;
  };
  CHECK(noted(some_call(10)) == 8);
  CHECK(noted(some_call(10'000)) == 64);

  struct Listener final : CallObserver {
    std::vector<CallRecord> seen;
    void ended(const CallRecord& record) noexcept override { seen.push_back(record); }
  } listener;
  recorder.observe(&listener);
  CHECK(noted(some_call(10)) == 64);
  const auto failing = recorder.enter(some_call(10), by_tree, 64, index);
  recorder.failed(failing, Code::timeout);
  REQUIRE(listener.seen.size() == 65);
  CHECK(listener.seen.back().state == CallState::failed);
  CHECK(listener.seen.back().code == Code::timeout);
  recorder.observe(nullptr);
  recorder.done(recorder.enter(some_call(10), by_tree, 65, index));
  CHECK(listener.seen.size() == 65);
}

TEST_CASE("calls of more communicators than there is room for are those of the right one, or of none") {
  std::vector<std::string> warnings;
  FlightRecorder recorder(world_of(warnings), 7, flight_memory_only);
  const std::uint16_t first = recorder.join(1, 0, 0, 1);
  for (std::uint64_t id = 2; id <= flight::most_communicators; ++id) recorder.join(id, 1, 0, 1);
  recorder.done(recorder.enter(some_call(1), by_tree, 0, first));
  recorder.done(recorder.enter(some_call(1), by_tree, 0, recorder.join(1000, 1, 0, 1)));
  recorder.leave(first);
  recorder.done(recorder.enter(some_call(1), by_tree, 0, recorder.join(1001, 1, 0, 1)));
  const auto records = recorder.recent();
  CHECK(records.at(0).communicator == 0);  // its place was given on
  CHECK(records.at(1).communicator == 0);  // there was no room
  CHECK(records.at(2).communicator == 1001);
}

TEST_CASE("the recorder's file is the user's alone, and stays exactly where somebody may want it") {
  const Folder folder;
  std::vector<std::string> warnings;
  const auto run = [&](const std::string& directory, bool fails) {
    std::string file;
    {
      FlightRecorder recorder(world_of(warnings), 7, directory);
      file = recorder.file();
      REQUIRE_FALSE(file.empty());
      struct stat status {};
      REQUIRE(stat(file.c_str(), &status) == 0);
      CHECK((status.st_mode & 0777) == 0600);
      CHECK(status.st_size == static_cast<off_t>(flight::total_bytes));
      CHECK(status.st_blocks * 512 >= status.st_size);
      const auto entry = recorder.enter(some_call(1), by_tree, 0, recorder.join(7, 0, 0, 1));
      if (fails) recorder.failed(entry, Code::peer_lost);
    }
    const bool there = std::filesystem::exists(file);
    if (there) std::filesystem::remove(file);
    std::filesystem::remove(std::filesystem::path(file).parent_path());
    return there;
  };
  CHECK_FALSE(run("", false));
  CHECK(run("", true));
  CHECK(run(folder.path + "/new/one", false));
  CHECK(warnings.empty());
}

TEST_CASE("where the recorder can have no file it says so once and keeps the calls in memory") {
  const Folder folder;
  std::vector<std::string> warnings;
  const auto fails_in = [&](const std::string& directory, const std::string& why) {
    warnings.clear();
    FlightRecorder recorder(world_of(warnings), 7, directory);
    recorder.done(recorder.enter(some_call(1), by_tree, 0, recorder.join(7, 0, 0, 1)));
    INFO((warnings.empty() ? "no warning" : warnings[0]));
    return recorder.file().empty() && recorder.recent().size() == 1 && warnings.size() == 1 &&
           warnings[0].find(why) != std::string::npos && warnings[0].find("TUTTI_FLIGHT_RECORDER") != std::string::npos;
  };
  const std::string job = folder.path + "/some_job_..";
  {
    const int fd = open((folder.path + "/file").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    close(fd);
  }
  CHECK(fails_in(folder.path + "/file/x", "Not a directory"));
  CHECK(fails_in("/proc/nothing", "No such file"));
  mkdir(job.c_str(), 0777);
  chmod(job.c_str(), 0777);
  CHECK(fails_in(folder.path, "may be written to by others"));
  rmdir(job.c_str());
  CHECK(symlink("/tmp", job.c_str()) == 0);
  CHECK(fails_in(folder.path, "is no folder"));
  unlink(job.c_str());

  const auto limited = [&](int resource, rlim_t most, const std::string& why) {
    const pid_t child = fork();
    if (child == 0) {
      std::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{most, most};
      setrlimit(static_cast<__rlimit_resource_t>(resource), &limit);
      _exit(fails_in(folder.path, why) ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status == 0;
  };
  CHECK(limited(RLIMIT_FSIZE, 4096, "File too large"));
  CHECK(limited(RLIMIT_NOFILE, 0, "Too many open files"));
  CHECK(folder.files() == 1);  // the one that was put there
}

TEST_CASE("a rank that ends by an exception leaves its file") {
  const Folder folder;
  std::vector<std::string> warnings;
  std::string file;
  try {
    FlightRecorder recorder(world_of(warnings), 7, "");
    file = recorder.file();
    recorder.done(recorder.enter(some_call(1), by_tree, 0, recorder.join(7, 0, 0, 1)));
    throw std::runtime_error("the user's own");
  } catch (const std::runtime_error&) {
  }
  CHECK(std::filesystem::exists(file));
  std::filesystem::remove(file);
  std::filesystem::remove(std::filesystem::path(file).parent_path());
}

TEST_CASE("of jobs that are gone the last few recordings stay, and whatever lives or is no recording") {
  const Folder folder;
  std::vector<std::string> warnings;
  const auto job = [&](int number) { return folder.path + "/job-" + std::to_string(number); };
  for (int number = 0; number < 6; ++number) {
    const pid_t child = fork();
    if (child == 0) {
      World world = world_of(warnings);
      world.job = "job-" + std::to_string(number);
      new FlightRecorder(world, 1, folder.path);  // stays, as after a crash
      _exit(0);
    }
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(status == 0);
    const auto then = std::filesystem::file_time_type::clock::now() - std::chrono::hours(20 - number);
    std::filesystem::last_write_time(job(number), then);
  }
  World world = world_of(warnings);
  world.job = "alive";
  const FlightRecorder alive(world, 1, folder.path);
  const auto before_all = std::filesystem::file_time_type::clock::now() - std::chrono::hours(30);
  std::filesystem::last_write_time(folder.path + "/alive", before_all);
  std::filesystem::create_directory(folder.path + "/job-1/notes");  // not ours
  std::filesystem::last_write_time(job(1), before_all);

  remove_old_recordings(folder.path, 7);
  CHECK(folder.files() == 7);
  remove_old_recordings(folder.path, 4);  // the three oldest: alive, job 1 and job 0
  CHECK(std::filesystem::exists(alive.file()));
  CHECK(std::filesystem::exists(job(1)));
  CHECK_FALSE(std::filesystem::exists(job(0)));
  CHECK(std::filesystem::exists(job(2)));
  remove_old_recordings(folder.path, 0);
  CHECK(folder.files() == 2);
  remove_old_recordings(folder.path + "/nowhere", 0);
}
