/// @file  StoreTuner: tries both kinds of stores at turns that all ranks know, and goes on with the quicker one.
#include "run/host/store_tuner.hpp"

#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "catch.hpp"

using namespace tutti::host;

namespace {

/// The kinds of `calls` calls. `slow` says of a call and its kind whether it takes much longer.
std::vector<SlotStores> kinds(StoreTuner tuner, std::size_t calls,
                              const std::function<bool(std::size_t, SlotStores)>& slow) {
  std::vector<SlotStores> result;
  for (std::size_t call = 0; call < calls; ++call) {
    result.push_back(tuner.next());
    if (slow(call, result.back())) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    tuner.done();
  }
  return result;
}

/// Calls that only one kind is slow at, as long as there is a contest going on at the beginning.
std::function<bool(std::size_t, SlotStores)> slow_kind(SlotStores slow, std::size_t until) {
  return [=](std::size_t call, SlotStores kind) { return kind == slow && call < until; };
}

}  // namespace

TEST_CASE(
    "both kinds of stores are tried at the same turns, whatever was found before, and the rest by the quicker one") {
  for (const int settling : {0, 4}) {
    const std::size_t entry = static_cast<std::size_t>(settling) + 2;
    const std::size_t warm_up = 2 * entry;
    const std::size_t first = warm_up + 3 * 2 * entry;  // contests are over
    const std::size_t again = first + 62 * entry;
    const StoreTuner tuner(settling, 2);
    const auto a = kinds(tuner, again + 2 * entry, slow_kind(SlotStores::cached, first));
    const auto b = kinds(tuner, again + 2 * entry, slow_kind(SlotStores::streaming, first));
    for (std::size_t call = warm_up; call < again + 2 * entry; ++call) {
      INFO(settling << " settling, call " << call);
      if (call >= first && call < again) {
        CHECK(a[call] == SlotStores::streaming);
        CHECK(b[call] == SlotStores::cached);
      } else {
        const std::size_t turn = call < first ? (call - warm_up) / entry : (call - again) / entry;
        CHECK(a[call] == (turn % 2 == 0 ? SlotStores::streaming : SlotStores::cached));
        CHECK(b[call] == a[call]);
      }
    }
  }
}

TEST_CASE("one contest that was disturbed does not decide which stores are used") {
  const std::size_t entry = 2, warm_up = 2 * entry, first = warm_up + 3 * 2 * entry;
  for (std::size_t disturbed = 0; disturbed < 3; ++disturbed) {
    const std::size_t begin = warm_up + disturbed * 2 * entry;
    const auto used = kinds(StoreTuner(1, 1), first + 1, [&](std::size_t call, SlotStores kind) {
      if (call >= first) return false;
      const bool in_it = call >= begin && call < begin + 2 * entry;
      return kind == (in_it ? SlotStores::cached : SlotStores::streaming);
    });
    CHECK(used.back() == SlotStores::cached);
  }
}

TEST_CASE("what a kind of stores costs before it has filled all slots does not count") {
  const std::size_t entry = 4, warm_up = 2 * entry, first = warm_up + 3 * 2 * entry;
  const auto used = kinds(StoreTuner(3, 1), first + 1, [&](std::size_t call, SlotStores kind) {
    if (call < warm_up || call >= first) return false;
    const bool settles = (call - warm_up) % entry < 3;
    return settles ? kind == SlotStores::cached : kind == SlotStores::streaming;
  });
  CHECK(used.back() == SlotStores::cached);
}
