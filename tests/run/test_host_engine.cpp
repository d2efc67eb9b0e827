/// @file  HostEngine: what only it can get wrong, as the public face never asks for it.
#include "run/host/host_engine.hpp"

#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "run/flight_recorder.hpp"
#include "run/teams.hpp"
#include "tutti/base/error.hpp"
#include "tutti/collectives.hpp"

using namespace tutti;
using namespace tutti::host;

namespace {

struct AsIs {
  int size() const { return 2; }
  Request submit(const Request& request) const { return request; }
};

/// What a rank is told of an all_reduce that is run by this way, whatever was asked for.
std::string told_of(Team& team, Algorithm way) {
  FlightRecorder recorder(team.local(), 1, "memory");
  ProgressLoop loop({}, false);
  Facts facts;
  facts.ranks = team.size();
  facts.packet_bytes = team.arena().shape().packet.capacity;
  facts.fifo_bytes = team.arena().shape().fifo.capacity;
  HostEngine engine(team, loop, facts,
                    {.timeout = std::chrono::seconds(20),
                     .recorder = &recorder,
                     .recorded_as = recorder.join(1, 0, team.rank(), team.size())});
  std::vector<int> values(5000, 1);
  Request request = all_reduce(AsIs{}, on_host(values), sum);
  request.options.algorithm = way;
  const Decision decision = decide(request, facts);
  request.options.algorithm = Algorithm::automatic;
  Operation& call = engine.run(decision, request, nullptr);
  try {
    if (const std::exception_ptr error = loop.finish(call, ProgressLoop::Ending::seen)) std::rethrow_exception(error);
  } catch (const Error& error) {
    return error.what();
  }
  return values == std::vector<int>(5000, team.size()) ? "" : "a wrong sum";
}

std::vector<std::string> told_of(Algorithm first, Algorithm second) {
  const auto teams = test::teams_of(2);
  std::vector<std::string> told(2);
  std::thread other([&] { told[1] = told_of(*teams[1], second); });
  told[0] = told_of(*teams[0], first);
  other.join();
  return told;
}

}  // namespace

TEST_CASE("ranks that have chosen different ways say so instead of waiting for one another") {
  CHECK(told_of(Algorithm::ring, Algorithm::ring) == std::vector<std::string>(2));
  const std::vector<std::string> told = told_of(Algorithm::ring, Algorithm::tree);
  const bool said =
      (told[0] + told[1]).find("differ in the way it is run (ring/fifo and tree/fifo)") != std::string::npos;
  INFO(told[0] << '\n' << told[1]);
  CHECK(said);
}
