/// @file  Every schedule that there is holds for 1 to 64 ranks and costs what its closed form says.
#include "catch.hpp"
#include "plan/families.hpp"
#include "tutti/base/error.hpp"
#include "tutti/plan/closed_form.hpp"
#include "tutti/plan/proof.hpp"

namespace tutti::plan {
namespace {

void all_hold(Collective collective) {
  const std::vector<Schedule> some = families(collective);
  REQUIRE_FALSE(some.empty());
  for (const Schedule& family : some) {
    const auto failed = counter_example(family, fewest_ranks(family), most_proven_ranks);
    INFO((failed ? to_string(*failed) : std::string{}));
    CHECK_FALSE(failed.has_value());
  }
}

TEST_CASE("every all_reduce schedule holds for 1 to 64 ranks") { all_hold(Collective::all_reduce); }
TEST_CASE("every reduce_scatter schedule holds for 1 to 64 ranks") { all_hold(Collective::reduce_scatter); }
TEST_CASE("every all_gather schedule holds for 1 to 64 ranks") { all_hold(Collective::all_gather); }
TEST_CASE("every reduce schedule holds for 1 to 64 ranks") { all_hold(Collective::reduce); }
TEST_CASE("every broadcast schedule holds for 1 to 64 ranks") { all_hold(Collective::broadcast); }
TEST_CASE("every all_to_all schedule holds for 1 to 64 ranks") { all_hold(Collective::all_to_all); }
TEST_CASE("every gather schedule holds for 1 to 64 ranks") { all_hold(Collective::gather); }
TEST_CASE("every scatter schedule holds for 1 to 64 ranks") { all_hold(Collective::scatter); }
TEST_CASE("every all_gather_v schedule holds for 1 to 64 ranks") { all_hold(Collective::all_gather_v); }
TEST_CASE("every reduce_scatter_v schedule holds for 1 to 64 ranks") { all_hold(Collective::reduce_scatter_v); }
TEST_CASE("every all_to_all_v schedule holds for 1 to 64 ranks") { all_hold(Collective::all_to_all_v); }
TEST_CASE("every barrier schedule holds for 1 to 64 ranks") { all_hold(Collective::barrier); }
TEST_CASE("send and recv hold for 2 to 64 ranks") {
  all_hold(Collective::send);
  all_hold(Collective::recv);
}

TEST_CASE("messages, blocks, hops and barriers are those of the closed forms") {
  for (Schedule schedule : families()) {
    for (schedule.size = fewest_ranks(schedule); schedule.size <= most_proven_ranks; ++schedule.size) {
      const Cost counted = prove(schedule, {.chunks = 1, .slots = least_slots(schedule)}).cost;
      const Cost formula = closed_form(schedule)->cost;
      INFO(described(schedule));
      CHECK(counted.hops == formula.hops);
      CHECK(counted.barriers == formula.barriers);
      CHECK(counted.most_messages == formula.most_messages);
      CHECK(counted.most_blocks == formula.most_blocks);
      CHECK(counted.all_blocks == formula.all_blocks);
    }
  }
}

TEST_CASE("closed forms hold for every root, save where the root may be one of a pair") {
  for (Schedule schedule : families()) {
    if (schedule.algorithm == Algorithm::halving_doubling) continue;
    for (schedule.size = fewest_ranks(schedule); schedule.size <= 17; ++schedule.size) {
      for (const int root : roots(schedule)) {
        schedule.root = root;
        INFO(described(schedule));
        CHECK((prove(schedule, {}).cost == closed_form(schedule)->cost));
      }
    }
  }
}

TEST_CASE("there is a closed form exactly where there is a schedule") {
  for (int c = 0; c < collective_count; ++c) {
    for (int a = 0; a < algorithm_count; ++a) {
      for (const bool window : {false, true}) {
        const Schedule schedule{static_cast<Collective>(c), static_cast<Algorithm>(a), window, 4, 0};
        INFO(described(schedule));
        CHECK(closed_form(schedule).has_value() == (unsupported(schedule) == nullptr));
      }
    }
  }
}

TEST_CASE("the fewest slots are enough, and one less is not") {
  for (Schedule schedule : families()) {
    schedule.size = 5;
    const int least = least_slots(schedule);
    INFO(described(schedule));
    CHECK(prove(schedule, {.chunks = 3, .slots = least}));
    if (least > 1) CHECK_FALSE(prove(schedule, {.chunks = 3, .slots = least - 1}));
  }
}

TEST_CASE("schedules that say they do not work in place do not") {
  for (Schedule schedule : families()) {
    schedule.size = 4;
    if (works_in_place(schedule) || schedule.collective == Collective::all_to_all_v) continue;
    INFO(described(schedule));
    CHECK_FALSE(prove(schedule, {.in_place = true}));
  }
}

TEST_CASE("a proof refuses more ranks than it can tell apart") {
  const Schedule schedule{Collective::all_reduce, Algorithm::ring, false, 65, 0};
  CHECK_THROWS_AS(prove(schedule, {}), Error);
}

}  // namespace
}  // namespace tutti::plan
