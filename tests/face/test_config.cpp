/// @file  Config: every variable, what it may say, and that a misspelt one is not passed over in silence.
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "face/helpers.hpp"
#include "tutti/bootstrap/in_process.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

Config config(const std::map<std::string, std::string>& variables) {
  std::vector<std::string> names;
  for (const auto& [name, value] : variables) names.push_back(name);
  return config_from_environment(environment_of(variables), names);
}

}  // namespace

TEST_CASE("without variables everything is as it is by default") {
  CHECK(config({}) == Config{});
  CHECK(config({{"PATH", "/bin"}, {"TUTTIFRUTTI", "1"}, {"MY_TUTTI_X", "1"}}) == Config{});
}

TEST_CASE("every variable says what it is there for") {
  CHECK(config({{"TUTTI_CALL_TIMEOUT", "90s"}}).timeout == 90s);
  CHECK(config({{"TUTTI_CALL_TIMEOUT", "500ms"}}).timeout == 500ms);
  CHECK(config({{"TUTTI_CALL_TIMEOUT", "5min"}}).timeout == 5min);
  CHECK(config({{"TUTTI_METRICS", "9400,file:/m"}}).metrics == "9400,file:/m");
  CHECK(config({{"TUTTI_TRACE", "/t"}}).trace == "/t");
  for (const char* yes : {"1", "true", "on"}) {
    CHECK(config({{"TUTTI_CHECK_ACROSS_RANKS", yes}}).check_across_ranks);
    CHECK(config({{"TUTTI_PROGRESS_THREAD", yes}}).progress_thread);
  }
  for (const char* no : {"0", "false", "off"}) {
    CHECK_FALSE(config({{"TUTTI_CHECK_ACROSS_RANKS", no}}).check_across_ranks);
    CHECK_FALSE(config({{"TUTTI_PROGRESS_THREAD", no}}).progress_thread);
  }
}

TEST_CASE("a value that makes no sense is named with what would") {
  for (const char* time : {"", "0s", "-5s", "soon", "10", "1e99h", "nan s"}) {
    const auto error = error_of([&] { config({{"TUTTI_CALL_TIMEOUT", time}}); });
    CHECK(says(error, Code::invalid_argument, {"TUTTI_CALL_TIMEOUT \"" + std::string(time) + '"', "90s"}));
  }
  CHECK(says(error_of([&] {
               config({{"TUTTI_METRICS", "host"}});
             }),
             Code::invalid_argument, {"TUTTI_METRICS \"host\"", "use a port"}));
  for (const char* variable : {"TUTTI_CHECK_ACROSS_RANKS", "TUTTI_PROGRESS_THREAD"}) {
    const auto error = error_of([&] { config({{variable, "maybe"}}); });
    CHECK(says(error, Code::invalid_argument, {variable, "\"maybe\"", "use 0 or 1"}));
  }
}

TEST_CASE("a variable that there is not is refused with the nearest one that there is") {
  const auto told = [](const std::string& name) { return error_of([&] { config({{name, "1"}}); }); };
  CHECK(says(told("TUTTI_CALL_TIMOUT"), Code::invalid_argument,
             {"there is no variable TUTTI_CALL_TIMOUT", "did you mean TUTTI_CALL_TIMEOUT?"}));
  CHECK(says(told("TUTTI_PROGRES_THREAD"), Code::invalid_argument, {"did you mean TUTTI_PROGRESS_THREAD?"}));
  CHECK(says(told("TUTTI_CHECK_ACROSS_RANK"), Code::invalid_argument, {"did you mean TUTTI_CHECK_ACROSS_RANKS?"}));
  CHECK(says(told("TUTTI_WORLD_SIZ"), Code::invalid_argument, {"did you mean TUTTI_WORLD_SIZE?"}));
  CHECK(says(told("TUTTI_"), Code::invalid_argument, {"there is no variable TUTTI_", "did you mean"}));
}

TEST_CASE("the variables of the World are no mistakes") {
  std::map<std::string, std::string> variables;
  for (const std::string_view name : world_variables) variables[std::string(name)] = "anything";
  CHECK(config(variables) == Config{});
}

TEST_CASE("a communicator refuses settings and Worlds that make no sense") {
  const auto told = [](World world, const Config& settings) {
    return error_of([&] { Communicator{std::move(world), settings}; });
  };
  CHECK(says(told(alone(), {.timeout = 0ms}), Code::invalid_argument, {"a timeout of 0 ms", "positive"}));
  CHECK(says(told(alone(), {.timeout = -3s}), Code::invalid_argument, {"a timeout of -3000 ms", "positive"}));
  CHECK(says(told(World{}, {}), Code::invalid_argument, {"no store", "from_environment"}));
  World odd = alone();
  odd.rank = 1;
  CHECK(says(told(odd, {}), Code::invalid_argument, {"rank 1 of 1 ranks", "from 0 to size - 1"}));
  CHECK(says(error_of([] { in_process(0, [](Communicator&) {}); }), Code::invalid_argument, {"0 ranks"}));
}

TEST_CASE("a World of several ranks serves one communicator, and a second one is told what to do") {
  const std::vector<World> worlds = worlds_in_process(2);
  std::vector<std::optional<Error>> second(2);
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < 2; ++rank) {
    threads.emplace_back([&, rank] {
      const Communicator first{worlds[rank]};
      second[rank] = error_of([&] { Communicator{worlds[rank]}; });
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& error : second) {
    CHECK(says(error, Code::invalid_argument, {"from this World before", "make a new World", "split"}));
  }
  const World one = alone();
  CHECK(Communicator{one}.size() == Communicator{one}.size());
}

TEST_CASE("a communicator of one rank does everything by itself") {
  Communicator comm{alone()};
  std::vector<int> a{3}, b{0};
  all_reduce(comm, on_host(a), sum).wait();
  all_gather(comm, on_host(a), on_host(b)).wait();
  barrier(comm).wait();
  CHECK((a[0] == 3 && b[0] == 3));
  CHECK(comm.split(5).value().size() == 1);
  CHECK(says(error_of([&] { send(comm, on_host(a), 0); }), Code::invalid_argument, {"the peer is the rank itself"}));
  CHECK(comm.allocate<int>(7).size() == 7);
  CHECK(comm.world().launcher == "alone");
}
