#include <map>
#include <vector>

#include "catch.hpp"
#include "run/simulated/flows.hpp"

using namespace tutti;  // simulated::Hop is named in full: files compiled together know another one
using namespace tutti::simulated;

namespace {

/// When flows end that all begin at 0, by their owners, in picoseconds.
std::map<int, Time> play(Flows& flows) {
  struct End {
    int flow;
    std::uint32_t version;
    Time time;
  };
  std::map<int, Time> ends;
  std::vector<End> due;
  Time now = 0;
  while (true) {
    flows.settle(now, [&](int flow, std::uint32_t version, Time time) { due.push_back({flow, version, time}); });
    Time next = never;
    for (const End& end : due) {
      if (flows.version(end.flow) == end.version) next = std::min(next, end.time);
    }
    if (next == never) return ends;
    now = next;
    for (const End& end : due) {
      if (flows.version(end.flow) != end.version || end.time != now) continue;
      ends[flows.owner(end.flow)] = now;
      flows.end(end.flow);
    }
  }
}

constexpr Rate gigabyte = 1'000'000'000;
constexpr Time microsecond = 1'000'000;

}  // namespace

TEST_CASE("flows share a link, and the one that stays gets what the other leaves") {
  Flows flows;
  const int link = flows.add_link(gigabyte);
  const std::vector<simulated::Hop> way{{link, 1}};
  flows.begin(way, 1000, 0, 0);  // a microsecond alone
  flows.begin(way, 3000, 1, 0);
  const auto ends = play(flows);
  CHECK(ends.at(0) == 2 * microsecond);
  CHECK(ends.at(1) == 4 * microsecond);
  CHECK(flows.carried(link) == 4000);
}

TEST_CASE("shares are max-min fair: who is held back elsewhere leaves its part to the others") {
  Flows flows;
  const int narrow = flows.add_link(gigabyte);
  const int wide = flows.add_link(4 * gigabyte);
  flows.begin(std::vector<simulated::Hop>{{narrow, 1}, {wide, 1}}, 500, 0, 0);
  flows.begin(std::vector<simulated::Hop>{{narrow, 1}}, 500, 1, 0);
  flows.begin(std::vector<simulated::Hop>{{wide, 1}}, 3500, 2, 0);
  const auto ends = play(flows);
  CHECK(ends.at(0) == microsecond);  // half of the narrow one
  CHECK(ends.at(1) == microsecond);
  CHECK(ends.at(2) == microsecond);  // 3.5 GB/s of the wide one
}

TEST_CASE("a flow that stands for many takes as much as they would") {
  Flows one_by_one;
  const int link = one_by_one.add_link(7 * gigabyte + 3);
  for (int i = 0; i < 5; ++i) one_by_one.begin(std::vector<simulated::Hop>{{link, 1}}, 12345, i, 0);
  Flows together;
  const int same = together.add_link(7 * gigabyte + 3);
  together.begin(std::vector<simulated::Hop>{{same, 5}}, 12345, 0, 0);
  CHECK(play(one_by_one).at(3) == play(together).at(0));
  CHECK(one_by_one.carried(link) == together.carried(same));
}

TEST_CASE("a link that fails stops its flows, and they go on when it is back") {
  Flows flows;
  const int link = flows.add_link(gigabyte);
  flows.begin(std::vector<simulated::Hop>{{link, 1}}, 2000, 0, 0);
  Time end = 0;
  const auto told = [&](int, std::uint32_t, Time time) { end = time; };
  flows.settle(0, told);
  CHECK(end == 2 * microsecond);
  flows.set_capacity(link, 0);
  end = never;
  flows.settle(microsecond, told);
  CHECK(end == never);
  flows.set_capacity(link, gigabyte);
  flows.settle(10 * microsecond, told);
  CHECK(end == 11 * microsecond);
}
