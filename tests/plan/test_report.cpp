/// @file  The report of `tutti plan prove`: a line for each pair, and a verdict.
#include <sstream>

#include "catch.hpp"
#include "plan/report.hpp"
#include "tutti/base/error.hpp"

namespace tutti::plan {
namespace {

using Catch::Matchers::Contains;

TEST_CASE("a report has a line for each pair: what was proven, its cost, or why there is none") {
  const Collective collectives[] = {Collective::all_reduce, Collective::all_to_all};
  const Algorithm algorithms[] = {Algorithm::ring, Algorithm::two_shot};
  std::ostringstream out;
  CHECK(report_proofs(collectives, algorithms, 1, 8, out));
  CHECK_THAT(out.str(), Contains("all_reduce        ring                1..8    2(n-1) = 14"));
  CHECK_THAT(out.str(), Contains("2(n-1) of n = 1.75 m"));
  CHECK_THAT(out.str(), Contains("all_reduce        two_shot (window)   1..8    2 barriers"));
  CHECK_THAT(out.str(), Contains("all_to_all        ring                -       none"));
  CHECK_THAT(out.str(), Contains("every block has its own way"));
  CHECK_THAT(out.str(), Contains("3 schedules proven, 2 pairs without one, 0 wrong"));
}

TEST_CASE("a report of send begins with two ranks") {
  const Collective send[] = {Collective::send};
  const Algorithm one_shot[] = {Algorithm::one_shot};
  std::ostringstream out;
  CHECK(report_proofs(send, one_shot, 1, 4, out));
  CHECK_THAT(out.str(), Contains("2..4"));
  std::ostringstream alone;
  CHECK(report_proofs(send, one_shot, 1, 1, alone));
  CHECK_THAT(alone.str(), Contains("a rank alone has nobody to send to"));
}

TEST_CASE("a report of a wrong schedule has the smallest counter-example, and says no") {
  const Collective collectives[] = {Collective::reduce};
  const Algorithm algorithms[] = {Algorithm::ring};
  const auto forgetful = [](const Schedule& schedule) {
    Program program = program_of(schedule);
    if (schedule.size >= 3) program.steps[0][0][0].finish = false;
    return program;
  };
  std::ostringstream out;
  CHECK_FALSE(report_proofs(collectives, algorithms, 1, 8, out, forgetful));
  CHECK_THAT(out.str(), Contains("WRONG: reduce by ring, 3 ranks, root 0, 1 chunk, 1 slot: rank 0 output block 0 was "
                                 "finished 0 times, expected 1"));
  CHECK_THAT(out.str(), Contains("1 wrong"));
}

TEST_CASE("a report of a schedule that holds, but at another cost, says no") {
  const Collective collectives[] = {Collective::broadcast};
  const Algorithm algorithms[] = {Algorithm::one_shot};
  const auto roundabout = [](const Schedule& schedule) {
    Schedule chain = schedule;
    chain.algorithm = Algorithm::ring;
    Program program = program_of(schedule.window ? schedule : chain);
    program.schedule = schedule;
    return program;
  };
  std::ostringstream out;
  CHECK_FALSE(report_proofs(collectives, algorithms, 1, 4, out, roundabout));
  CHECK_THAT(out.str(), Contains("broadcast by one_shot, 3 ranks: 2 hops") && Contains("the closed form says 1 hops"));
}

TEST_CASE("a range of ranks that is none is refused") {
  const Collective collectives[] = {Collective::all_reduce};
  const Algorithm algorithms[] = {Algorithm::ring};
  std::ostringstream out;
  CHECK_THROWS_AS(report_proofs(collectives, algorithms, 0, 4, out), Error);
  CHECK_THROWS_AS(report_proofs(collectives, algorithms, 5, 4, out), Error);
  CHECK_THROWS_AS(report_proofs(collectives, algorithms, 1, 65, out), Error);
}

}  // namespace
}  // namespace tutti::plan
