/// @file  SharedMemory: one mapping for threads, one memory for processes, nothing left when it is given back.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "run/host/segments.hpp"
#include "run/host/shared_memory.hpp"
#include "tutti/base/error.hpp"
#include "tutti/bootstrap/in_process.hpp"

using namespace tutti;
using namespace tutti::host;

namespace {

/// What each rank of a process gets when it asks for so many bytes; the error's text where it gets none.
struct Got {
  std::shared_ptr<SharedMemory> memory;
  std::string error;
};
std::vector<Got> opened(const std::vector<std::size_t>& bytes, int owner) {
  const std::vector<World> worlds = worlds_in_process(static_cast<int>(bytes.size()));
  std::vector<Got> got(bytes.size());
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < bytes.size(); ++rank) {
    threads.emplace_back([&, rank] {
      try {
        got[rank].memory = SharedMemory::open(worlds[rank], owner, "x", bytes[rank],
                                              std::chrono::steady_clock::now() + std::chrono::seconds(10));
      } catch (const Error& error) {
        got[rank].error = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return got;
}

}  // namespace

TEST_CASE("threads of one process share one mapping of zeroed memory, whoever owns it") {
  for (int owner = 0; owner < 3; ++owner) {
    const auto got = opened({100'000, 100'000, 100'000}, owner);
    for (const Got& each : got) {
      REQUIRE(each.memory);
      CHECK(each.memory->data() == got[0].memory->data());
      CHECK(each.memory->size() == 100'000);
    }
    CHECK(std::all_of(got[0].memory->data(), got[0].memory->data() + 100'000,
                      [](std::byte byte) { return byte == std::byte{0}; }));
  }
}

TEST_CASE("threads that ask for another size than the owner are told so, and the owner is not kept waiting") {
  const auto got = opened({8192, 4096, 8192}, 0);
  CHECK((got[0].memory && got[2].memory));
  INFO(got[1].error);
  CHECK(got[1].error.find("4096 bytes here and 8192 on rank 0") != std::string::npos);
}

TEST_CASE("a thread that comes later than its owner waits gets an error, not memory that is gone") {
  const std::vector<World> worlds = worlds_in_process(2);
  const auto open = [&](std::size_t rank, std::chrono::milliseconds time) {
    return SharedMemory::open(worlds[rank], 0, "x", 4096, std::chrono::steady_clock::now() + time);
  };
  try {
    open(0, std::chrono::milliseconds(1));
    FAIL("nobody came, and it went on");
  } catch (const Error& error) {
    CHECK(error.code() == Code::timeout);
  }
  try {
    open(1, std::chrono::seconds(10));
    FAIL("it was given what its owner has no more");
  } catch (const Error& error) {
    CHECK(error.code() == Code::peer_lost);
    CHECK(std::string(error.what()).find("its owner waited no longer") != std::string::npos);
  }
}

TEST_CASE("what a forked process writes is seen here, and its end takes nothing away") {
  const World world = alone();
  const auto memory = SharedMemory::open(world, 0, "x", 4096, world.deadline());
  const pid_t child = fork();
  if (child == 0) {
    memory->data()[7] = std::byte{42};
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  CHECK(memory->data()[7] == std::byte{42});
}

TEST_CASE("discarded memory reads as zeros and takes none") {
  const World world = alone();
  const auto memory = SharedMemory::open(world, 0, "x", 8 << 20, world.deadline());
  std::fill(memory->data(), memory->data() + memory->size(), std::byte{1});
  CHECK(memory->resident() == memory->size());
  memory->discard();
  CHECK(memory->resident() == 0);
  CHECK(memory->data()[5000] == std::byte{0});
}

TEST_CASE("more memory than can be had is an error that says how much") {
  const World world = alone();
  try {
    SharedMemory::open(world, 0, "x", std::size_t{1} << 62, world.deadline());
    FAIL("it was given");
  } catch (const Error& error) {
    CHECK(error.code() == Code::resource);
    CHECK(std::string(error.what()).find("4096 PiB") != std::string::npos);
  }
}

TEST_CASE("segments know their buffers, and forget those that were given back") {
  const World world = alone();
  Segments segments(0);
  CHECK_FALSE(segments.any());
  std::byte* const first = segments.allocate(world, 10'000, world.deadline());
  std::byte* const second = segments.allocate(world, 10'000, world.deadline());
  CHECK(segments.any());
  const auto found = segments.find(second + 100, 50);
  REQUIRE(found);
  CHECK((found->segment == 1 && found->offset == 100));
  CHECK(segments.address(0, *found) == second + 100);
  CHECK(segments.find(first, 12'288));        // whole pages are given
  CHECK_FALSE(segments.find(first, 12'289));  // one byte beyond
  CHECK_FALSE(segments.find(first + 12'288, 1));
  CHECK_FALSE(segments.find(&world, 1));
  segments.release(second);
  segments.release(second);  // again: nothing happens
  CHECK_FALSE(segments.find(second, 1));
  CHECK(segments.find(first, 1));
  CHECK(segments.any());
}
