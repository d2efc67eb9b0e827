/// @file  StoreTuner: tries both kinds of stores at turns that all ranks know, and goes on with the quicker one.
#include "run/host/store_tuner.hpp"

#include <chrono>
#include <thread>
#include <vector>

#include "catch.hpp"

using namespace tutti::host;

namespace {

/// The kinds of `calls` calls, where one kind takes much longer.
std::vector<SlotStores> kinds(StoreTuner tuner, SlotStores slow, int calls) {
  std::vector<SlotStores> result;
  for (int call = 0; call < calls; ++call) {
    result.push_back(tuner.next());
    if (result.back() == slow && call < 40) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    tuner.done();
  }
  return result;
}

}  // namespace

TEST_CASE("both kinds of stores are tried at the same turns, whatever was found before") {
  for (const int untimed : {0, 4}) {
    const std::vector<SlotStores> a = kinds(StoreTuner(untimed), SlotStores::cached, 300);
    const std::vector<SlotStores> b = kinds(StoreTuner(untimed), SlotStores::streaming, 300);
    const std::size_t first = 8, trials = static_cast<std::size_t>(untimed) + 3;
    for (const std::size_t begin : {first, first + 256}) {
      for (std::size_t turn = begin; turn < begin + 2 * trials; ++turn) {
        const SlotStores tried = turn < begin + trials ? SlotStores::streaming : SlotStores::cached;
        CHECK(a[turn] == tried);
        CHECK(b[turn] == tried);
      }
    }
    for (std::size_t turn = first + 2 * trials; turn < first + 256; ++turn) {
      CHECK(a[turn] == SlotStores::streaming);
      CHECK(b[turn] == SlotStores::cached);
    }
  }
}
