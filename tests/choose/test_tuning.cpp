/// @file  Tunings: they come back from their files as they were, are refused with the place of what is wrong, and decide.
#include "tutti/choose/tuning.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "catch.hpp"
#include "choose/choose.hpp"
#include "tutti/base/error.hpp"

using namespace tutti;

namespace {

HostFacts small_machine() {
  HostFacts facts;
  facts.architecture = "x86_64";
  facts.cpu_model = "A processor";
  facts.packages = 1;
  facts.cores = facts.cpus = 2;
  facts.numa_nodes.push_back({.index = 0, .package = 0, .cpus = {0, 1}});
  return facts;
}

Tuning example() {
  Tuning tuning{.machine = fingerprint_of(small_machine()), .name = "x.json"};
  TunedCall call{.collective = Collective::all_reduce, .reach = Reach::threads, .ranks = 4};
  call.turns = {
      {.algorithm = Algorithm::one_shot, .protocol = Protocol::packet},
      {.bytes = 1000, .low = 900, .high = 1024, .algorithm = Algorithm::ring, .protocol = Protocol::fifo},
      {.bytes = 5000, .low = 5000, .high = 5000, .algorithm = Algorithm::one_shot, .protocol = Protocol::window}};
  call.ways = {{.algorithm = Algorithm::ring,
                .protocol = Protocol::fifo,
                .latency_us = {1, 0.9, 1.1},
                .gbs = {4, 3, 5},
                .error = 0.1,
                .points = {{8, {1, 0.9, 1.2}}, {1000, {2, 1.9, 2.1}}}}};
  tuning.calls = {call};
  return tuning;
}

/// The example with one value replaced, or taken away when it is null.
std::string with(const char* pointer, const nlohmann::json& value) {
  nlohmann::json json = nlohmann::json::parse(to_json(example()));
  const nlohmann::json::json_pointer at(pointer);
  if (value.is_null()) {
    json[at.parent_pointer()].erase(at.back());
  } else {
    json[at] = value;
  }
  return json.dump();
}

std::string refused(const std::string& text) {
  try {
    tuning_from_text(text, "x.json");
  } catch (const Error& error) {
    CHECK(error.code() == Code::invalid_argument);
    CHECK(error.context().remedy == "docs/schema/tuning.schema.json describes the form");
    return error.reason();
  }
  return "nothing";
}

bool has(const std::string& text, const std::string& words) {
  INFO(text << "\nshould say " << words);
  const bool found = text.find(words) != std::string::npos;
  CHECK(found);
  return found;
}

Decision decided(const Facts& facts, std::size_t bytes, const Options& options = {},
                 Collective collective = Collective::all_reduce) {
  Request request{.collective = collective, .type = DataType::uint8, .element_size = 1, .count = bytes};
  if (reduces(collective)) request.op.kind = Op::sum;
  request.options = options;
  return decide(request, facts);
}

Facts threads(int ranks, const Tuning* tuning) {
  return {.ranks = ranks, .one_process = true, .packet_bytes = 1016, .fifo_bytes = 131072, .tuning = tuning};
}

}  // namespace

TEST_CASE("a tuning comes back from its text as it was") {
  const Tuning tuning = example();
  CHECK(tuning_from_text(to_json(tuning), "x.json") == tuning);
  CHECK(tuning_from_text(to_json(tuning, -1), "x.json") == tuning);
  CHECK(digest(tuning_from_text(to_json(tuning), "y.json")) == digest(tuning));
  Tuning other = tuning;
  other.calls[0].turns[1].bytes = 1001;
  CHECK(digest(other) != digest(tuning));
}

TEST_CASE("what is wrong in a tuning is told by its place in the document") {
  CHECK(refused(to_json(example())) == "nothing");
  const std::string whole = to_json(example());
  has(refused(whole.substr(0, whole.size() / 2)), "this is no JSON");
  has(refused("{}"), "x.json: this is no tuning");
  has(refused("[1]"), "x.json: this is no tuning");
  has(refused(with("/version", 2)), "x.json.version: this build reads version 1, found 2");
  has(refused(with("/version", nullptr)), "x.json: \"version\" is missing");
  has(refused(with("/colour", "red")), "\"colour\" is not known here");
  has(refused(with("/machine/cpus", "64")), "x.json.fingerprint: it is ");
  has(refused(with("/machine/cpus", nullptr)), "x.json.machine: \"cpus\" is missing");
  has(refused(with("/machine/cpus", 2)), "x.json.machine.cpus: expected a text");
  has(refused(with("/hysteresis", -0.5)), "x.json.hysteresis: -0.5 is not between 0 and 1");
  has(refused(with("/calls", nullptr)), "\"calls\" is missing");
  has(refused(with("/calls/0/ranks", 0)), "x.json.calls[0].ranks: 0 ranks");
  has(refused(with("/calls/0/ranks", -4)), "x.json.calls[0].ranks: -4 ranks");
  has(refused(with("/calls/0/ranks", 4e18)), "x.json.calls[0].ranks: expected a whole number");
  has(refused(with("/calls/0/reach", "telepathy")), "x.json.calls[0].reach: \"telepathy\" is no way to reach memory");
  has(refused(with("/calls/0/collective", "all_guess")), "\"all_guess\" is no collective");
  has(refused(with("/calls/0/turns", nlohmann::json::array())), "x.json.calls[0].turns: no way is named");
  has(refused(with("/calls/0/turns/0/from_rank_bytes", 8)),
      "x.json.calls[0].turns[0]: the first way begins at 0 bytes");
  has(refused(with("/calls/0/turns/2/from_rank_bytes", 999)), "x.json.calls[0].turns[2]: sizes do not ascend");
  has(refused(with("/calls/0/turns/1/from_rank_bytes", -1)), "turns[1].from_rank_bytes: -1 is out of range");
  has(refused(with("/calls/0/turns/1/from_rank_bytes", 1ULL << 60)), "more bytes than any machine has");
  has(refused(with("/calls/0/turns/1/algorithm", "automatic")), "\"automatic\" is no answer");
  has(refused(with("/calls/0/turns/1/algorithm", "magic")), "turns[1].algorithm: \"magic\" is no algorithm");
  has(refused(with("/calls/0/turns/1/protocol", "automatic")), "\"automatic\" is no answer");
  has(refused(with("/calls/0/ways/0/latency_us", {1, 2})), "ways[0].latency_us: expected three numbers");
  has(refused(with("/calls/0/ways/0/latency_us", {1, 2, 3})), "the value lies outside its interval");
  has(refused(with("/calls/0/ways/0/rate_GBs", {1e9, 1e9, 1e9})), "rate_GBs[0]: 1000000000 is not between 0 and 1e+06");
  has(refused(with("/calls/0/ways/0/points/1/rank_bytes", 8)), "ways[0].points[1]: sizes do not ascend");
  nlohmann::json twice = nlohmann::json::parse(whole);
  twice["calls"].push_back(twice["calls"][0]);
  has(refused(twice.dump()), "x.json.calls[1]: all_reduce of 4 threads is there twice");
  has(refused(with("/calls/0/reach", "processes")), "processes have no window onto memory of their own");
}

TEST_CASE("a file that is not there, or is another thing, is named") {
  for (const char* path : {"/nonexistent/tuning.json", "/dev", "/dev/null"}) {
    try {
      tuning_from_file(path);
      FAIL("it was read: " << path);
    } catch (const Error& error) {
      has(error.what(), path);
    }
  }
}

TEST_CASE("a fingerprint has no names, and a difference names the facts that differ") {
  HostFacts here = small_machine();
  here.host = "another-name";
  here.id = "another-boot";
  here.memory_bytes = 12345;
  CHECK(not_for(example(), here).empty());
  here.cpus = here.cores = 8;
  const std::string why = not_for(example(), here);
  has(why, "x.json was measured on another machine, " + digest(example().machine));
  has(why, "this is " + digest(fingerprint_of(here)));
  has(why, "cores: 2 there, 8 here; cpus: 2 there, 8 here");
}

TEST_CASE("what was measured is taken, from the size on that the table says") {
  const Tuning tuning = example();
  const Facts facts = threads(4, &tuning);
  CHECK(describe(decided(facts, 999)) == "host/one_shot/packet");
  CHECK(describe(decided(facts, 1000)) == "host/ring/fifo");
  CHECK(describe(decided(facts, 4999)) == "host/ring/fifo");
  CHECK(describe(decided(facts, 5000)) == "host/one_shot/window");
  CHECK(describe(decided(facts, 1 << 30)) == "host/one_shot/window");
  CHECK(describe(decided(threads(7, &tuning), 1000)) == "host/ring/fifo");  // of the nearest smaller number of ranks
}

TEST_CASE("where nothing was measured, or something was named, the tuning has no say") {
  const Tuning tuning = example();
  const auto same_as_untuned = [&](Facts facts, const Options& options = {},
                                   Collective collective = Collective::all_reduce) {
    for (const std::size_t bytes : {8, 1000, 5000, 1 << 20}) {
      facts.tuning = &tuning;
      const Decision with = decided(facts, bytes, options, collective);
      facts.tuning = nullptr;
      CHECK(describe(with) == describe(decided(facts, bytes, options, collective)));
    }
  };
  same_as_untuned(threads(3, nullptr));
  same_as_untuned(threads(9, nullptr));
  same_as_untuned(threads(4, nullptr), {}, Collective::all_gather);
  same_as_untuned(threads(4, nullptr), {.algorithm = Algorithm::two_shot});
  same_as_untuned(threads(4, nullptr), {.protocol = Protocol::fifo});
  Facts processes = threads(4, nullptr);
  processes.one_process = false;
  same_as_untuned(processes);
  Facts taking_turns = threads(4, nullptr);
  taking_turns.oversubscribed = true;
  same_as_untuned(taking_turns);
}

TEST_CASE("a measured way that cannot run a call is not taken for it") {
  const Tuning tuning = example();
  const Facts facts = threads(4, &tuning);
  CHECK(describe(decided(facts, 1000, {.deterministic = true})) != "host/ring/fifo");  // ring has no rank order
  Request scaled{.collective = Collective::all_reduce, .type = DataType::float32, .element_size = 4, .count = 5000};
  scaled.op.kind = Op::premultiplied_sum;
  CHECK(decide(scaled, facts).protocol != Protocol::window);
  scaled.op.kind = Op::sum;
  CHECK(decide_without_window(scaled, facts).protocol != Protocol::window);
}

TEST_CASE("times between two measurements are on the line between them, and beyond them there are none") {
  const Tuning tuning = example();
  const TunedCall& call = tuning.calls[0];
  CHECK(tuned_us(call, Algorithm::ring, Protocol::fifo, 8) == 1.0);
  CHECK(tuned_us(call, Algorithm::ring, Protocol::fifo, 504) == 1.5);
  CHECK_FALSE(tuned_us(call, Algorithm::ring, Protocol::fifo, 4));
  CHECK_FALSE(tuned_us(call, Algorithm::ring, Protocol::fifo, 1001));
  CHECK_FALSE(tuned_us(call, Algorithm::tree, Protocol::fifo, 8));
}
