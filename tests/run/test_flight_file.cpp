/// @file  A flight recorder's file is read as it was written; what is not one, or not whole, is refused.
#include "run/flight_file.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "run/flight_recorder.hpp"
#include "tutti/base/error.hpp"
#include "tutti/bootstrap/in_process.hpp"

using namespace tutti;

namespace {

/// The file of rank 2 of 3, with one call that is done and one that waits.
std::vector<std::byte> some_file() {
  World world = worlds_in_process(3).back();
  world.job = "job 1";
  const std::string folder = (std::filesystem::temp_directory_path() / "tutti-flight-file").string();
  std::string path;
  {
    FlightRecorder recorder(world, 99, folder);
    path = recorder.file();
    const std::uint16_t index = recorder.join(99, 0, 2, 3);
    recorder.join(100, 99, 0, 1);
    const Request request{
        .collective = Collective::all_gather, .type = DataType::int16, .element_size = 2, .count = 5'000};
    recorder.done(recorder.enter(request, {}, 0, index));
    auto entry = recorder.enter(request, {}, 1, index);
    recorder.waits(entry, {.awaited = 1, .step = 1, .steps = 2});
  }
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::filesystem::remove_all(folder);
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

std::string refusal(const std::vector<std::byte>& bytes) {
  try {
    read_flight_file(bytes, "input");
  } catch (const Error& error) {
    CHECK(error.code() == Code::invalid_argument);
    CHECK(error.reason().starts_with("input: "));
    return error.reason();
  }
  return "not refused";
}

}  // namespace

TEST_CASE("a flight recorder's file is read as it was written") {
  const FlightFile file = read_flight_file(some_file(), "input");
  CHECK(file.family == 99);
  CHECK(file.rank == 2);
  CHECK(file.size == 3);
  CHECK(file.job == "job 1");
  CHECK(file.finished);
  CHECK(file.communicators == std::vector<FlightFile::Member>{{99, 0, 2, 3, false}, {100, 99, 0, 1, false}});
  REQUIRE(file.calls.size() == 2);
  CHECK(file.calls[0].state == CallState::done);
  CHECK(file.calls[0].ended != 0);
  CHECK(file.calls[1].turn == 1);
  CHECK(file.calls[1].state == CallState::running);
  CHECK(file.calls[1].awaited == 1);
  CHECK(file.calls[1].steps == 2);
  CHECK(file.seen >= file.calls[1].looked);
}

TEST_CASE("what is no flight recorder's file, not whole, or of another version is refused by name") {
  const std::vector<std::byte> whole = some_file();
  CHECK(refusal({}) == "input: this is no file of a flight recorder");
  CHECK(refusal(std::vector<std::byte>(200'000)) == "input: this is no file of a flight recorder");
  std::vector<std::byte> part(whole.begin(), whole.begin() + 100);
  CHECK(refusal(part) == "input: it ends within its header");
  part.assign(whole.begin(), whole.end() - 1);
  CHECK(refusal(part).find("bytes, not") != std::string::npos);
  std::vector<std::byte> other = whole;
  other[8] = std::byte{9};
  CHECK(refusal(other) == "input: it has version 9 of the format, not 1");
  other = whole;
  std::memset(other.data() + offsetof(flight::Header, rank), 0x7f, 4);
  CHECK(refusal(other).find("damaged") != std::string::npos);
  other = whole;
  std::memset(other.data() + flight::memberships_offset + offsetof(flight::Membership, size), 0, 4);
  CHECK(refusal(other).find("damaged: a communicator has rank 2 of 0") != std::string::npos);
}

TEST_CASE("whatever is in the calls of a flight recorder's file, it is read without harm") {
  std::vector<std::byte> bytes = some_file();
  for (int fill = 0; fill < 256; fill += 5) {
    std::memset(bytes.data() + flight::slots_offset, fill, recorded_calls * sizeof(flight::Slot));
    std::memset(bytes.data() + offsetof(flight::Header, first_ticks), fill, 32);
    for (const CallRecord& call : read_flight_file(bytes, "input").calls) CHECK_FALSE(describe(call).empty());
  }
}
