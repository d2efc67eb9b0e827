/// @file  Communicators and their tuning: it decides, all ranks have the same, and it is this machine's.
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "face/helpers.hpp"
#include "run/tuning_agreement.hpp"
#include "topology/numa.hpp"
#include "tutti/bootstrap/in_process.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

Tuning of_machine(const HostFacts& facts, Algorithm algorithm = Algorithm::ring) {
  Tuning tuning{.machine = fingerprint_of(facts), .name = "here.json"};
  TunedCall call{.collective = Collective::all_reduce, .reach = Reach::threads, .ranks = 2};
  call.turns.push_back({.algorithm = algorithm, .protocol = Protocol::fifo});
  call.ways.push_back({.algorithm = algorithm, .protocol = Protocol::fifo, .points = {{4, {1.25, 1, 2}}}});
  tuning.calls.push_back(call);
  return tuning;
}

HostFacts another_machine() {
  HostFacts facts = this_host_facts();
  facts.cpus += 6;
  return facts;
}

Config with(Tuning tuning) { return {.tuning = std::make_shared<const Tuning>(std::move(tuning))}; }

/// What making a communicator throws on each rank, when rank r has configs[r].
Errors made_with(const std::vector<Config>& configs) {
  const std::vector<World> worlds = worlds_in_process(static_cast<int>(configs.size()));
  Errors errors(configs.size());
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < configs.size(); ++rank) {
    threads.emplace_back([&, rank] { errors[rank] = error_of([&] { Communicator{worlds[rank], configs[rank]}; }); });
  }
  for (std::thread& thread : threads) thread.join();
  return errors;
}

}  // namespace

TEST_CASE("a communicator goes by the tuning that it is given, and so do those split from it") {
  if (allowed_cpu_count() < 2) {
    WARN("skipped: with one processor the ranks take turns, and tunings are not for that");
    return;
  }
  in_process(
      2,
      [](Communicator& comm) {
        std::vector<float> x(1), y(1);
        const Communicator part = comm.split(0).value();
        if (comm.rank() != 0) return;
        for (const Communicator& each : {comm, part}) {
          const Explanation told = all_reduce(Explain{each}, on_host(x), on_host(y), sum);
          CHECK(describe(told.chosen) == "host/ring/fifo");
          CHECK(told.ways.front().us == 1.25);
        }
      },
      with(of_machine(this_host_facts())));
}

TEST_CASE("a tuning of another machine is refused on all ranks, with both fingerprints and what differs") {
  const Config config = with(of_machine(another_machine()));
  for (const auto& error : made_with({config, config})) {
    CHECK(says(
        error, Code::mismatch,
        {"on ranks 0, 1, here.json was measured on another machine", digest(fingerprint_of(another_machine())),
         digest(fingerprint_of(this_host_facts())), "cpus: " + std::to_string(another_machine().cpus) + " there"}));
  }
  CHECK(says(error_of([&] { Communicator{alone(), config}; }), Code::mismatch, {"was measured on another machine"}));
}

TEST_CASE("ranks with different tunings are refused, and which they are is told to all") {
  const Config ring = with(of_machine(this_host_facts()));
  const Config tree = with(of_machine(this_host_facts(), Algorithm::tree));
  for (const auto& error : made_with({ring, ring, tree, tree})) {
    CHECK(says(error, Code::mismatch, {"rank 0 is with tuning ", "ranks 2, 3 are with tuning ", digest(*tree.tuning)}));
  }
  for (const auto& error : made_with({{}, ring, {}})) {
    CHECK(says(error, Code::mismatch, {"rank 0 is without tuning, rank 1 is with tuning "}));
  }
  for (const auto& error : made_with({ring, {}})) {
    CHECK(says(error, Code::mismatch, {"rank 0 is with tuning", "rank 1 is without tuning"}));
  }
  for (const auto& error : made_with({ring, ring, ring})) CHECK_FALSE(error);
}

TEST_CASE("of many ranks that differ the first are named and the others counted") {
  std::vector<std::string> words(20, "0123456789abcdef");
  for (std::size_t rank = 3; rank < 20; ++rank) words[rank] = "";
  CHECK(discord_of(words) ==
        "rank 0 is with tuning 0123456789abcdef, ranks 3, 4, 5, 6, 7, 8, 9, 10 and 9 others are without tuning");
  CHECK(discord_of({}).empty());
}

TEST_CASE("TUTTI_TUNING names the file, and what is wrong with it is told") {
  const auto config_with = [](const std::string& path) {
    return config_from_environment(environment_of({{"TUTTI_TUNING", path}}), {"TUTTI_TUNING"});
  };
  const std::string path = "test_tuning_file.json";
  std::ofstream(path) << to_json(of_machine(this_host_facts()));
  const Config config = config_with(path);
  REQUIRE(config.tuning != nullptr);
  CHECK(digest(*config.tuning) == digest(of_machine(this_host_facts())));
  std::ofstream(path, std::ios::trunc) << "{\"format\": \"tutti-tuning\", \"version\": 9}";
  CHECK(says(error_of([&] { config_with(path); }), Code::invalid_argument, {path, "version", "found 9"}));
  std::remove(path.c_str());
  CHECK(says(error_of([&] { config_with(path); }), Code::invalid_argument, {path}));
  CHECK(says(error_of([&] { config_with(""); }), Code::invalid_argument, {"TUTTI_TUNING=\"\" names no file"}));
}
