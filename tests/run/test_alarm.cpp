/// @file  The alarm between hosts: once per communicator, heard in its parts too.
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "run/two_level/alarm.hpp"

using namespace tutti;
using two_level::Alarm;

namespace {

/// What `alarm` hears in the end.
Alarm::Rung heard_by(Alarm& alarm) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  alarm.start_waiting();
  Alarm::Rung rung;
  while (rung.by < 0 && std::chrono::steady_clock::now() < end) {
    rung = alarm.rung();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return rung;
}

}  // namespace

TEST_CASE("an alarm between hosts rings once, however many calls fail") {
  const std::shared_ptr<Store> store = memory_store();
  Alarm alarm({store}, 3);
  alarm.ring();
  REQUIRE(store->erase_prefix("gave_up") == 1);
  alarm.ring();
  CHECK(store->erase_prefix("gave_up") == 0);
}

TEST_CASE("an alarm between hosts is heard by the others, and in parts as one from above") {
  const std::shared_ptr<Store> whole = memory_store();
  const std::shared_ptr<Store> part = prefixed(whole, "part/");
  Alarm in_whole({whole}, 3), other({whole}, 1), in_part({part, whole}, 0);
  in_whole.ring();
  const Alarm::Rung here = heard_by(other);
  CHECK(here.by == 3);
  CHECK_FALSE(here.above);
  const Alarm::Rung above = heard_by(in_part);
  CHECK(above.by == 3);
  CHECK(above.above);
}
