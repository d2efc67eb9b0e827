/// @file  What a communicator takes, and that calls leave nothing behind.
#include <unistd.h>

#include <cstddef>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "catch.hpp"
#include "run/host/arena.hpp"
#include "tutti/collectives.hpp"
#include "tutti/in_process.hpp"

using namespace tutti;

namespace {

/// Of this process, in bytes.
[[maybe_unused]] std::size_t resident() {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0;
  file >> pages >> pages;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

constexpr std::size_t mebibyte = std::size_t{1} << 20;

/// Calls of several collectives and sizes, through packets, slots and a window; some of them dropped before their end.
[[maybe_unused]] void many_calls(Communicator& communicator, int calls) {
  std::vector<float> in(2048, 1);
  std::vector<float> out(2048);
  const auto ranks = static_cast<std::size_t>(communicator.size());
  for (int call = 0; call < calls; ++call) {
    const auto count = static_cast<std::size_t>(call % 5 == 0 ? 2048 : 1 + call % 7);
    const Span<const float, Memory::host> from{in.data(), count};
    const Span<float, Memory::host> to{out.data(), count};
    switch (call % 4) {
      case 0:
        all_reduce(communicator, from, to, sum).wait();
        break;
      case 1:
        all_reduce(communicator, from, to, [](float a, float b) { return a < b ? a : b; }).wait();
        break;
      case 2:
        broadcast(communicator, to, call % communicator.size());
        break;
      default:
        all_gather(communicator, Span<const float, Memory::host>{in.data(), count / ranks + 1},
                   Span<float, Memory::host>{out.data(), (count / ranks + 1) * ranks})
            .wait();
        barrier(communicator);
    }
  }
}

}  // namespace

TEST_CASE("the arena of up to eight ranks stays under 16 MiB") {
  for (int ranks = 1; ranks <= 8; ++ranks) {
    INFO(ranks << " ranks");
    CHECK(host::ArenaShape::for_ranks(ranks).total_bytes() < 16 * mebibyte);
  }
}

TEST_CASE("an idle communicator of eight ranks keeps little of its arena in memory") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  WARN("not looked at: a sanitizer's own memory would count");
#else
  in_process(1, [](Communicator&) {});  // what is read once
  const std::size_t before = resident();
  std::size_t with = 0;
  in_process(8, [&](Communicator& communicator) {
    barrier(communicator).wait();
    if (communicator.rank() == 0) with = resident();
    barrier(communicator).wait();
  });
  CHECK(with < before + 16 * mebibyte);
#endif
}

TEST_CASE("nothing grows over 100,000 calls") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  WARN("not looked at: a sanitizer's own memory would count");
#else
  std::size_t before = 0;
  std::size_t after = 0;
  in_process(2, [&](Communicator& communicator) {
    many_calls(communicator, 10'000);
    if (communicator.rank() == 0) before = resident();
    many_calls(communicator, 100'000);
    barrier(communicator).wait();
    if (communicator.rank() == 0) after = resident();
    barrier(communicator).wait();
  });
  // A word forgotten at each call would be 800 KiB a rank.
  CHECK(after < before + mebibyte / 2);
#endif
}

TEST_CASE("two operators of a user's own are not taken for one another") {
  in_process(2, [](Communicator& communicator) {
    const float mine = communicator.rank() == 0 ? 3.0F : 5.0F;
    for (int again = 0; again < 3; ++again) {
      std::vector<float> in{mine};
      std::vector<float> out(1);
      all_reduce(communicator, on_host(in), on_host(out), [](float a, float b) { return a + b; }).wait();
      if (out[0] != 8.0F) throw std::runtime_error("the first operator was not applied");
      all_reduce(communicator, on_host(in), on_host(out), [](float a, float b) { return a * b; }).wait();
      if (out[0] != 15.0F) throw std::runtime_error("the second operator was not applied");
      const float times = again + 2.0F;
      all_reduce(communicator, on_host(in), on_host(out), [times](float a, float b) { return times * (a + b); }).wait();
      if (out[0] != times * 8.0F) throw std::runtime_error("an operator's state is an earlier call's");
    }
  });
}
