/// @file  comm.allocate: whose the memory is, how long it lasts, and what calls do with it.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "face/helpers.hpp"
#include "processes.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

Request sum_request(const Buffer<float>& in, const Buffer<float>& out) {
  const Span<const float, Memory::host> from = on_host(in);
  return make_request(Collective::all_reduce, from, on_host(out), out.size(), sum, Options{});
}

/// Sums through windows, half of the buffers in place, some of them private on some ranks.
void sums_with_buffers(Communicator& comm) {
  constexpr std::size_t count = 20'000;
  const auto n = static_cast<float>(comm.size());
  Buffer<float> a = comm.allocate<float>(count);
  Buffer<float> b = comm.allocate<float>(count);
  std::vector<float> own(count);
  CHECK(std::all_of(a.begin(), a.end(), [](float x) { return x == 0; }));
  CHECK(comm.decide(sum_request(a, b)).protocol == Protocol::window);
  for (int turn = 0; turn < 3; ++turn) {
    std::fill(a.begin(), a.end(), static_cast<float>(comm.rank() + turn));
    all_reduce(comm, on_host(a), on_host(b), sum).wait();
    const float right = n * (n - 1) / 2 + n * static_cast<float>(turn);
    CHECK(std::all_of(b.begin(), b.end(), [&](float x) { return x == right; }));
    all_reduce(comm, on_host(b), average).wait();
    CHECK(b[count - 1] == right);
    // One rank has memory that the others cannot reach: all of them take the way by messages.
    std::fill(own.begin(), own.end(), 2.0F);
    std::fill(a.begin(), a.end(), 2.0F);
    all_reduce(comm, comm.rank() == 0 ? on_host(own) : on_host(a), sum).wait();
    CHECK((comm.rank() == 0 ? own[count / 2] : a[count / 2]) == 2 * n);
  }
  // Part of a buffer, and one that begins within it.
  std::fill(a.begin(), a.end(), 1.0F);
  all_reduce(comm, on_host(a.data() + 5, count - 5), sum).wait();
  CHECK((a[4] == 1 && a[5] == n && a[count - 1] == n));
}

}  // namespace

TEST_CASE("one process with memory of all", "[.][buffers]") {
  Communicator comm{from_environment(), config_from_environment()};
  sums_with_buffers(comm);
  {
    Buffer<float> first = comm.allocate<float>(5000);
    first[0] = 1;
  }  // given back: the next one does not see it
  Buffer<float> second = comm.allocate<float>(5000);
  CHECK(second[0] == 0);
  auto part = comm.split(comm.rank() % 2).value();
  std::fill(second.begin(), second.end(), 1.0F);
  all_reduce(part, on_host(second), sum).wait();  // not the part's own memory: by messages
  CHECK(second[4999] == static_cast<float>(part.size()));
}

TEST_CASE("processes sum straight through memory from allocate, mixed with private memory, and in parts") {
  for (const int ranks : {2, 3}) {
    const JobEnd end = run_job(ranks, "[buffers]", {}, 60);
    INFO(end.text());
    CHECK(end.all_passed());
  }
}

TEST_CASE("one process that insists on windows", "[.][insists]") {
  Communicator comm{from_environment(), config_from_environment()};
  std::vector<float> own(100'000);
  const auto before = error_of([&] { all_reduce(comm, on_host(own), sum, {.protocol = Protocol::window}).wait(); });
  CHECK(says(before, Code::unsupported, {"cannot be reached by other processes", "comm.allocate"}));
  expect_works(comm);
}

TEST_CASE("private memory of processes has no window, and the error says where to get some that has") {
  const JobEnd end = run_job(2, "[insists]", {}, 60);
  INFO(end.text());
  CHECK(end.all_passed());
}

TEST_CASE("threads sum in buffers as in any other memory") {
  in_process(3, [](Communicator& comm) {
    Buffer<double> buffer = comm.allocate<double>(3000);
    std::fill(buffer.begin(), buffer.end(), 1.0);
    all_reduce(comm, on_host(buffer), sum).wait();
    require(buffer[0] == 3 && buffer[2999] == 3, "summed");
    require(buffer.size() == 3000 && reinterpret_cast<std::uintptr_t>(buffer.data()) % 64 == 0, "aligned");
  });
}

TEST_CASE("a buffer outlives its communicator, and no elements are a buffer, too") {
  std::vector<Buffer<int>> kept(2);
  in_process(2, [&](Communicator& comm) {
    Buffer<int> buffer = comm.allocate<int>(1000);
    const Buffer<int> empty = comm.allocate<int>(0);
    require(empty.size() == 0 && empty.begin() == empty.end(), "empty");
    all_reduce(comm, on_host(empty), sum).wait();
    std::fill(buffer.begin(), buffer.end(), comm.rank());
    kept[static_cast<std::size_t>(comm.rank())] = buffer;  // both are the same memory
  });
  CHECK((kept[0][999] == 0 && kept[1][999] == 1));
  kept[1][5] = 77;
  CHECK(kept[1][5] == 77);
}

TEST_CASE("ranks that ask for different sizes, or for more than there is, all learn so at once, and go on") {
  const auto body = [](Communicator& comm) {
    const auto uneven = error_of([&] { comm.allocate<int>(comm.rank() == 1 ? 10 : 20); });
    require(uneven && uneven->code() == Code::mismatch, "a mismatch");
    require(says(uneven, Code::mismatch, {"rank 0 asks for 80 bytes and rank 1 for 40", "on all ranks"}), "both sizes");
    for (const std::size_t count : {std::size_t{1} << 60, std::size_t{1} << 63, ~std::size_t{0}}) {
      const auto large = error_of([&] { comm.allocate<int>(count); });
      require(large && large->code() == Code::invalid_argument, "too large");
    }
    Buffer<int> buffer = comm.allocate<int>(10);
    all_reduce(comm, on_host(buffer), sum).wait();
  };
  in_process(3, body, {.timeout = 60s});
  in_process(3, body, {.timeout = 60s, .progress_thread = true});
}
