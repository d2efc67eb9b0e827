/// @file  Schedules broken on purpose: each is caught, by the rule it breaks, with a counter-example that names the spot.
#include <functional>

#include "catch.hpp"
#include "tutti/plan/proof.hpp"

namespace tutti::plan {
namespace {

using Catch::Matchers::Contains;
using Change = std::function<void(Program&)>;

Schedule schedule(Collective collective, Algorithm algorithm, int size, int root = 0, bool window = false) {
  return {collective, algorithm, window, size, root};
}

Step& step_of(Program& program, int rank, int lane, int index) {
  return program.steps.at(static_cast<std::size_t>(rank))
      .at(static_cast<std::size_t>(lane))
      .at(static_cast<std::size_t>(index));
}

std::vector<Step>& lane_of(Program& program, int rank, int lane) {
  return program.steps.at(static_cast<std::size_t>(rank)).at(static_cast<std::size_t>(lane));
}

/// The failure of a schedule after a change; the schedule itself holds under the same conditions.
Proof broken(const Schedule& schedule, const Change& change, const Conditions& conditions = {}) {
  Program program = program_of(schedule);
  {
    const Proof sound = prove(program, conditions);
    INFO(to_string(sound));
    REQUIRE(sound);
  }
  change(program);
  return prove(program, conditions);
}

TEST_CASE("a message to the wrong peer leaves the right one waiting") {
  const Proof proof = broken(schedule(Collective::all_reduce, Algorithm::ring, 4),
                             [](Program& program) { step_of(program, 1, 0, 2).to = one(3); });
  CHECK_THAT(proof.failure, Contains("block"));
  CHECK_FALSE(proof);
  const Proof one_way = broken(schedule(Collective::broadcast, Algorithm::ring, 3),
                               [](Program& program) { step_of(program, 0, 0, 0).to = one(2); });
  CHECK_THAT(one_way.failure, Contains("rank 1 lane 0 step 0 chunk 0: waits for block 0 from rank 0 on wire 0") &&
                                  Contains("nobody is left who would end that"));
}

TEST_CASE("a block that is off by one is not what the message brings") {
  const Proof proof = broken(schedule(Collective::all_gather, Algorithm::ring, 4),
                             [](Program& program) { step_of(program, 2, 0, 1).blocks.first = 2; });
  CHECK(proof.failure ==
        "rank 2 lane 0 step 1 chunk 0 takes block 2 from rank 1, but the next message brings block 1 of chunk 0");
}

TEST_CASE("a part that is never combined is named") {
  const Proof proof = broken(schedule(Collective::all_reduce, Algorithm::ring, 3), [](Program& program) {
    step_of(program, 1, 0, 1).own = Place::none;
    step_of(program, 1, 0, 1).combine = false;
  });
  CHECK(proof.failure == "rank 0 output block 2 holds {0,2}, expected {0,1,2}: contribution of rank 1 never");
}

TEST_CASE("parts combined twice are named, with the steps that led there, for the fewest ranks") {
  // Dissemination adds up right for powers of two only.
  const Schedule family = schedule(Collective::all_reduce, Algorithm::halving_doubling, 1);
  const auto failed = counter_example(family, 1, 8, [](const Schedule& of) {
    Schedule barrier = of;
    barrier.collective = Collective::barrier;
    barrier.algorithm = Algorithm::bruck;
    Program program = program_of(of.size == 1 ? of : barrier);
    program.schedule = of;
    if (of.size == 1) return program;
    for (auto& lanes : program.steps) {
      lanes[0].back().finish = true;
    }
    return program;
  });
  REQUIRE(failed);
  CHECK(failed->schedule.size == 3);
  CHECK(failed->conditions.chunks == 1);
  CHECK(failed->conditions.slots == 1);
  CHECK(failed->failure == "rank 0 output block 0 holds {0,0,1,2}, expected {0,1,2}: contribution of rank 0 twice");
  CAPTURE(to_string(*failed));
  REQUIRE(failed->trace.size() == 5);
  CHECK_THAT(failed->trace.back(), Contains("rank 0 lane 0 step 2 chunk 0: block 0: combine own scratch + from 1"));
}

TEST_CASE("a result that nobody finished is found") {
  const Proof proof = broken(schedule(Collective::reduce, Algorithm::tree, 4, 2),
                             [](Program& program) { step_of(program, 2, 1, 0).finish = false; });
  CHECK(proof.failure == "rank 2 output block 1 was finished 0 times, expected 1");
}

TEST_CASE("a part that was finished before the others were in is found") {
  const Proof proof = broken(schedule(Collective::all_reduce, Algorithm::ring, 4),
                             [](Program& program) { step_of(program, 3, 0, 1).finish = true; });
  CHECK_THAT(proof.failure, Contains("combines a result that is finished already"));
  const Proof data_only = broken(schedule(Collective::broadcast, Algorithm::tree, 4),
                                 [](Program& program) { step_of(program, 3, 1, 0).finish = true; });
  CHECK_THAT(data_only.failure, Contains("finishes in a collective that reduces nothing"));
}

TEST_CASE("receiving before sending on both sides is told as a circle of waits") {
  const Proof proof = broken(schedule(Collective::all_reduce, Algorithm::halving_doubling, 2), [](Program& program) {
    for (int rank = 0; rank < 2; ++rank) std::swap(step_of(program, rank, 0, 0), step_of(program, rank, 0, 1));
  });
  CHECK(proof.failure == "no lane can go on: each waits for the next, the last for the first");
  REQUIRE(proof.trace.size() == 2);
  CHECK(proof.trace[0] == "rank 0 lane 0 step 0 chunk 0: waits for block 0 from rank 1 on wire 0, which is empty");
  CHECK(proof.trace[1] == "rank 1 lane 0 step 0 chunk 0: waits for block 1 from rank 0 on wire 0, which is empty");
}

TEST_CASE("a ring with one slot a wire is stuck, all around") {
  const Proof proof = prove(schedule(Collective::all_reduce, Algorithm::ring, 3), {.chunks = 1, .slots = 1});
  CHECK(proof.failure == "no lane can go on: each waits for the next, the last for the first");
  REQUIRE(proof.trace.size() == 3);
  CHECK(proof.trace[0] == "rank 0 lane 0 step 1 chunk 0: waits for room on wire 0 to rank 1, which is full");
}

TEST_CASE("a rank that waits for a rank that has ended is found") {
  const Proof proof = broken(schedule(Collective::all_gather, Algorithm::bruck, 3),
                             [](Program& program) { lane_of(program, 1, 0).resize(3); });
  CHECK_THAT(proof.failure, Contains("nobody is left who would end that"));
  CHECK(proof.trace.back() == "no lane has a step that does");
  const Proof ended = broken(schedule(Collective::all_gather, Algorithm::ring, 3),
                             [](Program& program) { lane_of(program, 1, 0).resize(1); });
  CHECK(ended.trace.back() == "rank 1 lane 0 has ended");
}

TEST_CASE("results stored where nobody has room, or where nobody looks, are found") {
  const Schedule reduce = schedule(Collective::reduce, Algorithm::ring, 3);
  const Proof elsewhere = broken(reduce, [](Program& program) { step_of(program, 2, 0, 0).store = Place::output; });
  CHECK(elsewhere.failure == "rank 2 lane 0 step 0 chunk 0 writes output block 0 of rank 2, which has no such block");
  const Proof lost = broken(reduce, [](Program& program) { step_of(program, 0, 0, 0).store = Place::scratch; });
  CHECK(lost.failure == "rank 0 output block 0 was never written");
  const Proof input = broken(reduce, [](Program& program) { step_of(program, 0, 0, 0).store = Place::input; });
  CHECK(input.failure == "rank 0 lane 0 step 0 chunk 0 writes to the input of rank 0");
  const Proof nowhere = broken(reduce, [](Program& program) { step_of(program, 0, 0, 0).store = Place::none; });
  CHECK(nowhere.failure == "rank 0 lane 0 step 0 chunk 0 puts its result nowhere");
}

TEST_CASE("partial results read from the input again are found, in place or not") {
  const auto again = [](Program& program) { step_of(program, 1, 0, 3).own = Place::input; };
  const Schedule halving = schedule(Collective::all_reduce, Algorithm::halving_doubling, 4);
  CHECK(broken(halving, again).failure ==
        "rank 0 output block 1 holds {0,1,2}, expected {0,1,2,3}: contribution of rank 3 never");
  CHECK(broken(halving, again, {.in_place = true}).failure ==
        "rank 1 lane 0 step 3 chunk 0 reads input block 1 of rank 1, which has been overwritten: it is in place");
}

TEST_CASE("an output block read before it is written is found") {
  const Proof proof = broken(schedule(Collective::all_gather, Algorithm::halving_doubling, 4),
                             [](Program& program) { lane_of(program, 2, 0).erase(lane_of(program, 2, 0).begin()); });
  CHECK(proof.failure == "rank 2 lane 0 step 0 chunk 0 reads output block 2 of rank 2, which has not been written yet");
}

TEST_CASE("sending and combining in two lanes is a hazard in place, and only there") {
  const Schedule one_shot = schedule(Collective::all_reduce, Algorithm::one_shot, 2);
  const auto split = [](Program& program) {
    for (auto& lanes : program.steps) {
      const Step combine = lanes[0].back();
      lanes[0].pop_back();
      lanes.push_back({combine});
    }
  };
  CHECK(broken(one_shot, split, {.in_place = false}));
  const Proof proof = broken(one_shot, split, {.in_place = true});
  CHECK_THAT(proof.failure, Contains("and nothing says which comes first"));
  CHECK_THAT(proof.failure, Contains("output block 0 of rank") || Contains("input block 0 of rank"));
}

TEST_CASE("an exchange that receives before it has sent is a hazard in place") {
  const Schedule exchange = schedule(Collective::all_to_all, Algorithm::one_shot, 3);
  const auto early = [](Program& program) {
    for (auto& lanes : program.steps) std::swap(lanes[0][2], lanes[0][3]);  // before the last send, the first receive
  };
  CHECK(broken(exchange, early));
  const Proof proof = broken(exchange, early, {.in_place = true});
  CHECK_THAT(proof.failure, Contains("which has been overwritten: it is in place"));
}

TEST_CASE("a window without its first barrier reaches into buffers that are not there yet") {
  const auto no_first = [](Program& program) {
    for (auto& lanes : program.steps) lanes[0].erase(lanes[0].begin());
  };
  const Proof proof = broken(schedule(Collective::all_gather, Algorithm::one_shot, 2, 0, true), no_first);
  CHECK_THAT(proof.failure, Contains("of rank") && Contains("which the caller of rank") &&
                                Contains("writes, and nothing says which comes first"));
}

TEST_CASE("a window without its last barrier gives buffers back too early") {
  const auto no_last = [](Program& program) {
    for (auto& lanes : program.steps) lanes[0].pop_back();
  };
  const Proof proof = broken(schedule(Collective::all_reduce, Algorithm::two_shot, 2, 0, true), no_last);
  CHECK_THAT(proof.failure,
             Contains("the caller of rank") && Contains("gets back") && Contains("and nothing says which comes first"));
}

TEST_CASE("a window that writes its output while peers read its input is a hazard in place") {
  const Schedule one_shot = schedule(Collective::all_reduce, Algorithm::one_shot, 2, 0, true);
  const auto straight = [](Program& program) {
    for (auto& lanes : program.steps) {
      lanes[0][1].store = Place::output;
      lanes[0].pop_back();
    }
  };
  CHECK(broken(one_shot, straight));
  CHECK_FALSE(broken(one_shot, straight, {.in_place = true}));
}

TEST_CASE("a barrier that one rank leaves out holds the others") {
  const Proof proof = broken(schedule(Collective::broadcast, Algorithm::one_shot, 3, 0, true),
                             [](Program& program) { lane_of(program, 1, 0).pop_back(); });
  CHECK_THAT(proof.failure, Contains("waits at a barrier") && Contains("nobody is left who would end that"));
}

TEST_CASE("a wire that two lanes read or write is found before anything runs") {
  const Proof proof = broken(schedule(Collective::all_reduce, Algorithm::two_shot, 3),
                             [](Program& program) { step_of(program, 0, 1, 0).to_wire = 0; });
  CHECK(proof.failure == "wire 0 from rank 0 to 1 is written by lane 0 and by lane 1");
  const Proof read = broken(schedule(Collective::all_reduce, Algorithm::two_shot, 3),
                            [](Program& program) { step_of(program, 0, 2, 0).from_wire = 0; });
  CHECK(read.failure == "wire 0 from rank 2 to 0 is read by lane 1 and by lane 2");
}

TEST_CASE("a message that nobody takes is found") {
  const Proof proof = broken(schedule(Collective::all_gather, Algorithm::one_shot, 3), [](Program& program) {
    Step& twice = step_of(program, 2, 0, 0);
    lane_of(program, 2, 0).push_back({.own = Place::input, .blocks = twice.blocks, .to = one(0)});
  });
  CHECK(proof.failure == "rank 0 never takes block 2 that rank 2 sent on wire 0");
}

TEST_CASE("the steps of another root are found") {
  const Proof proof = broken(schedule(Collective::broadcast, Algorithm::tree, 4), [](Program& program) {
    program.steps = program_of(schedule(Collective::broadcast, Algorithm::tree, 4, 1)).steps;
  });
  CHECK(proof.failure == "rank 1 lane 0 step 0 chunk 0 reads input block 0 of rank 1, which has no such block");
}

TEST_CASE("the data of another rank is found") {
  const Proof proof = broken(schedule(Collective::all_to_all, Algorithm::one_shot, 3), [](Program& program) {
    // Ranks 0 and 1 both take what the other one of rank 2's blocks is for.
    step_of(program, 2, 0, 1).to = one(1);
    step_of(program, 2, 0, 2).to = one(0);
  });
  CHECK_FALSE(proof);
  CHECK_THAT(proof.failure, Contains("takes block") && Contains("but the next message brings block"));
}

TEST_CASE("combining out of rank order is found where the schedule promises it") {
  const Proof proof = broken(schedule(Collective::all_reduce, Algorithm::one_shot, 4), [](Program& program) {
    program.blocks = 2;
    program.steps = program_of(schedule(Collective::all_reduce, Algorithm::tree, 4)).steps;
  });
  CHECK_THAT(proof.failure, Contains("was not combined in rank order, as its schedule promises"));
}

TEST_CASE("steps that make no sense are found before anything runs") {
  const Schedule ring = schedule(Collective::all_reduce, Algorithm::ring, 3);
  const auto failure = [&](const Change& change) { return broken(ring, change).failure; };
  CHECK(failure([](Program& program) { step_of(program, 1, 0, 0).to = one(1); }) ==
        "rank 1 lane 0 step 0 chunk 0 names its own rank as a peer");
  CHECK(failure([](Program& program) { step_of(program, 1, 0, 0).to = one(3); }) ==
        "rank 1 lane 0 step 0 chunk 0 names rank 3, which there is not");
  CHECK(failure([](Program& program) {
          step_of(program, 1, 0, 0).to = Peers{2, 2, 0, 3};
        }) == "rank 1 lane 0 step 0 chunk 0 names rank 2 twice");
  CHECK(failure([](Program& program) { step_of(program, 1, 0, 0).blocks.first = 3; }) ==
        "rank 1 lane 0 step 0 chunk 0 names block 3, of 3");
  CHECK(failure([](Program& program) { step_of(program, 1, 0, 0).own = Place::none; }) ==
        "rank 1 lane 0 step 0 chunk 0 takes nothing");
  CHECK(failure([](Program& program) { step_of(program, 1, 0, 1).combine = false; }) ==
        "rank 1 lane 0 step 1 chunk 0 copies 2 sources");
  CHECK_THAT(failure([](Program& program) { step_of(program, 1, 0, 0).to_wire = pairwise_wire + 1; }),
             Contains("too many"));
  const Proof combines = broken(schedule(Collective::broadcast, Algorithm::ring, 3),
                                [](Program& program) { step_of(program, 1, 0, 0).combine = true; });
  CHECK_THAT(combines.failure, Contains("combines in a collective that only moves data"));
}

TEST_CASE("a barrier that lets a rank pass early is found") {
  const Proof proof = broken(schedule(Collective::barrier, Algorithm::bruck, 4), [](Program& program) {
    for (int rank = 0; rank < 4; ++rank) {
      lane_of(program, rank, 0).pop_back();
      step_of(program, rank, 0, 1).store = Place::output;
      step_of(program, rank, 0, 1).to = {};
    }
  });
  CHECK(proof.failure ==
        "rank 0 output block 0 holds {0,3}, expected {0,1,2,3}: contribution of rank 1 never, of rank 2 never");
}

}  // namespace
}  // namespace tutti::plan
