/// @file  Worlds: ranks meet by what their launcher says, or every one of them learns why not.
#include "tutti/bootstrap/world.hpp"

#include <map>
#include <mutex>

#include "bootstrap/helpers.hpp"
#include "bootstrap/ranges.hpp"
#include "tutti/bootstrap/in_process.hpp"
#include "tutti/bootstrap/rendezvous.hpp"
#include "tutti/bootstrap/store_server.hpp"

using namespace helpers;
using tutti::Code;
using tutti::text_of;
using tutti::World;

namespace {

using Variables = std::map<std::string, std::string>;

Variables named_rank(int rank, int size, const std::string& store) {
  return {{"TUTTI_RANK", std::to_string(rank)},
          {"TUTTI_WORLD_SIZE", std::to_string(size)},
          {"TUTTI_STORE", store},
          {"TUTTI_JOB", store},
          {"TUTTI_TIMEOUT", "20s"}};
}

// What every one of the ranks throws.
std::vector<tutti::Error> errors_of(int ranks, const std::function<void(int)>& body) {
  std::mutex mutex;
  std::map<int, tutti::Error> errors;
  on_threads(ranks, [&](int number) {
    try {
      body(number);
    } catch (const tutti::Error& error) {
      const std::scoped_lock lock(mutex);
      errors.emplace(number, error);
    }
  });
  std::vector<tutti::Error> in_order;
  for (const auto& [number, error] : errors) in_order.push_back(error);
  REQUIRE(in_order.size() == static_cast<std::size_t>(ranks));
  return in_order;
}

int free_port() { return tutti::StoreServer(tutti::tcp_endpoint("127.0.0.1", 0), {}).endpoint().port; }

void talk(const World& world) {
  world.store->set("from " + std::to_string(world.rank), "hello");
  for (int rank = 0; rank < world.size; ++rank) {
    require(text_of(world.store->wait("from " + std::to_string(rank), world.deadline())) == "hello", "all speak");
  }
}

}  // namespace

TEST_CASE("alone there is one rank with a store and no socket") {
  const auto before = open_descriptors();
  const auto world = tutti::alone();
  CHECK(world.rank == 0);
  CHECK(world.size == 1);
  CHECK(world.one_process);
  CHECK_FALSE(world.host.empty());
  CHECK(world.host_id == tutti::this_host_id());
  talk(world);
  CHECK(open_descriptors() == before);
  CHECK(tutti::from_environment(tutti::environment_of({})).launcher == "alone");
}

TEST_CASE("one rank under a launcher touches no socket either") {
  const auto before = open_descriptors();
  const auto world = tutti::from_environment(tutti::environment_of(
      {{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "1"}, {"TUTTI_STORE", "tcp://nowhere:1"}}));
  CHECK(world.launcher == "Open MPI");
  CHECK(world.one_process);
  talk(world);
  CHECK(open_descriptors() == before);
}

TEST_CASE("256 ranks in one process share a store without a socket or a thread") {
  const auto before = open_descriptors();
  const auto worlds = tutti::worlds_in_process(256);
  REQUIRE(worlds.size() == 256);
  CHECK(worlds[255].rank == 255);
  on_threads(16, [&](int number) {
    for (std::size_t rank = static_cast<std::size_t>(number); rank < 256; rank += 16) {
      worlds[rank].store->add("count", 1);
    }
  });
  CHECK(worlds[7].store->add("count", 0) == 256);
  CHECK(open_descriptors() == before);
  CHECK(worlds[0].job != tutti::worlds_in_process(1)[0].job);
  CHECK(error_of([] { tutti::worlds_in_process(0); }).code() == Code::invalid_argument);
}

TEST_CASE("ranks meet by hand-set variables over a unix socket and over TCP, again and again") {
  const std::string store =
      GENERATE(std::string("unix:"), std::string("tcp://127.0.0.1:"), std::string("tcp://[::1]:"));
  const auto place = store + (store == "unix:" ? fresh_name("world") : std::to_string(free_port()));
  for (int turn = 0; turn < 3; ++turn) {
    on_threads(3, [&](int rank) {
      auto variables = named_rank(rank, 3, place);
      variables["TUTTI_SECRET"] = "a secret";
      const auto world = tutti::from_environment(tutti::environment_of(variables));
      require(world.rank == rank && world.size == 3, "rank and size");
      require(world.job == place && world.secret == "a secret", "job and secret");
      require(!world.one_process, "a real store");
      require(world.store->add("turn", 1) <= 3, "each World has keys of its own");
      talk(world);
    });
  }
}

TEST_CASE("real processes meet as torchrun's, over TCP beside its port and over a socket") {
  const bool one_host = GENERATE(true, false);
  // Its own store holds the port that the variables name, and a stranger the next one.
  tutti::StoreServer torchs(tutti::tcp_endpoint("127.0.0.1", 0), {"torch's own", ""});
  const int port = torchs.endpoint().port;
  std::unique_ptr<tutti::StoreServer> stranger;
  try {
    stranger = std::make_unique<tutti::StoreServer>(
        tutti::tcp_endpoint("127.0.0.1", static_cast<std::uint16_t>(port + 1)), tutti::Admission{"a stranger", ""});
  } catch (const tutti::Error&) {
    // somebody else holds it: as good
  }
  // Processes fork off only when its thread does nothing: a sanitizer's locks would stay as they are then.
  const auto quiet =
      tutti::connect_store(torchs.endpoint(), {"torch's own", ""}, std::chrono::steady_clock::now() + 20s);
  quiet->set("here", "1");
  std::this_thread::sleep_for(20ms);
  CHECK(in_processes(3, [&](int rank) {
          const auto world =
              tutti::from_environment(tutti::environment_of({{"RANK", std::to_string(rank)},
                                                             {"WORLD_SIZE", "3"},
                                                             {"LOCAL_RANK", one_host ? std::to_string(rank) : "0"},
                                                             {"LOCAL_WORLD_SIZE", one_host ? "3" : "1"},
                                                             {"MASTER_ADDR", "127.0.0.1"},
                                                             {"MASTER_PORT", std::to_string(port)},
                                                             {"TUTTI_TIMEOUT", "20s"}}));
          talk(world);
          world.store->add("finished", 1);
          while (rank == 0 && world.store->add("finished", 0) < 3) std::this_thread::sleep_for(1ms);
        }).empty());
}

TEST_CASE("missing ranks are listed, first in a line while waiting and then in everybody's error") {
  std::mutex mutex;
  std::vector<std::string> lines;
  auto worlds = tutti::worlds_in_process(9);
  for (auto& world : worlds) {
    world.progress = {.say =
                          [&](const std::string& line) {
                            const std::scoped_lock lock(mutex);
                            lines.push_back(line);
                          },
                      .first = 20ms,
                      .every = 30ms};
  }
  const std::vector<int> came = {0, 1, 2, 4, 8};
  const auto errors = errors_of(5, [&](int number) {
    gather_ranks(worlds[static_cast<std::size_t>(came[static_cast<std::size_t>(number)])], "all", in(200ms));
  });
  for (const auto& error : errors) {
    CHECK(error.code() == Code::timeout);
    CHECK(says(error, "ranks 3, 5-7 of 9 have not come"));
    CHECK(says(error, "TUTTI_TIMEOUT"));
  }
  REQUIRE_FALSE(lines.empty());
  CHECK(lines.back().find("rank 0: waiting for 0 s: ranks 3, 5-7 of 9 have not come") != std::string::npos);
}

TEST_CASE("without rank 0 the others say so, and whom they wait for") {
  std::vector<std::string> lines;
  auto world = tutti::worlds_in_process(3)[1];
  world.progress = {.say = [&](const std::string& line) { lines.push_back(line); }, .first = 10ms, .every = 10ms};
  const auto error = error_of([&] { gather_ranks(world, "all", in(100ms)); });
  CHECK(says(error, "rank 0 of 3 has not come"));
  REQUIRE_FALSE(lines.empty());
  CHECK(lines.front().find("rank 0 of 3 has not come") != std::string::npos);
  const auto unserved = error_of([&] {
    auto variables = named_rank(1, 2, "unix:" + fresh_name("nobody"));
    variables["TUTTI_TIMEOUT"] = "100ms";
    tutti::from_environment(tutti::environment_of(variables));
  });
  CHECK(unserved.code() == Code::timeout);
  CHECK(says(unserved, "rank 1: "));
  CHECK(says(unserved, "rank 0 does not serve the store"));
}

TEST_CASE("ranks that were started with different sizes all learn which") {
  auto worlds = tutti::worlds_in_process(4);
  worlds[2].size = 5;
  for (const auto& error :
       errors_of(4, [&](int rank) { gather_ranks(worlds[static_cast<std::size_t>(rank)], "all", in(10s)); })) {
    CHECK(error.code() == Code::mismatch);
    CHECK(says(error, "rank 2 "));
    CHECK(says(error, "was started as one of 5 ranks, rank 0 on"));
    CHECK(says(error, "as one of 4"));
  }
}

TEST_CASE("two processes with one rank all learn so") {
  auto worlds = tutti::worlds_in_process(4);
  worlds[3].rank = 2;
  for (const auto& error :
       errors_of(4, [&](int number) { gather_ranks(worlds[static_cast<std::size_t>(number)], "all", in(10s)); })) {
    CHECK(error.code() == Code::mismatch);
    CHECK(says(error, "two processes say that they are rank 2"));
  }
}

TEST_CASE("a meeting leaves no keys behind and meetings of different names do not disturb one another") {
  auto worlds = tutti::worlds_in_process(4);
  on_threads(4, [&](int rank) {
    const auto& world = worlds[static_cast<std::size_t>(rank)];
    for (int turn = 0; turn < 50; ++turn) gather_ranks(world, "turn " + std::to_string(turn), in(10s));
  });
  CHECK(worlds[0].store->erase_prefix("t") == 0);
}

TEST_CASE("a rank with the wrong job or secret is told which, and the others still meet") {
  const auto place = "unix:" + fresh_name("strict");
  std::vector<std::string> told;
  const auto odd = [&](const Variables& changes) {
    auto variables = named_rank(1, 2, place);
    variables["TUTTI_SECRET"] = "right";
    for (const auto& [name, value] : changes) variables[name] = value;
    if (changes.count("TUTTI_SECRET") != 0 && changes.at("TUTTI_SECRET").empty()) variables.erase("TUTTI_SECRET");
    try {
      tutti::from_environment(tutti::environment_of(variables));
    } catch (const tutti::Error& error) {
      require(error.code() == Code::bootstrap, "the code");
      told.emplace_back(error.what());
    }
  };
  on_threads(2, [&](int number) {
    if (number == 1) {
      odd({{"TUTTI_SECRET", "wrong"}});
      odd({{"TUTTI_SECRET", ""}});
      odd({{"TUTTI_JOB", "another"}});
    }
    auto variables = named_rank(number, 2, place);
    variables["TUTTI_SECRET"] = "right";
    talk(tutti::from_environment(tutti::environment_of(variables)));
  });
  REQUIRE(told.size() == 3);
  CHECK(told[0].find("wrong secret: this process and the server hold different ones") != std::string::npos);
  CHECK(told[1].find("wrong secret: the job has a secret and this process was given none") != std::string::npos);
  CHECK(told[2].find("wrong job: it does not serve job \"another\"") != std::string::npos);
}

TEST_CASE("rank 0 that cannot listen says where and what to do") {
  const auto error = error_of([] {
    auto variables = named_rank(0, 2, "tcp://203.0.113.7:4000");  // an address for documentation, of no machine
    tutti::from_environment(tutti::environment_of(variables));
  });
  CHECK(error.code() == Code::bootstrap);
  CHECK(says(error, "tcp://203.0.113.7:4000"));
  CHECK(says(error, "TUTTI_LISTEN"));
  const auto unknown = error_of([] {
    auto variables = named_rank(0, 2, "tcp://127.0.0.1:4000");
    variables["TUTTI_LISTEN"] = "no-such-interface0";
    tutti::from_environment(tutti::environment_of(variables));
  });
  CHECK(says(unknown, "no-such-interface0"));
}

TEST_CASE("rank 0 listens on the interface that TUTTI_LISTEN names") {
  const auto place = "tcp://localhost:" + std::to_string(free_port());
  on_threads(2, [&](int rank) {
    auto variables = named_rank(rank, 2, place);
    if (rank == 0) variables["TUTTI_LISTEN"] = "lo";
    talk(tutti::from_environment(tutti::environment_of(variables)));
  });
}

TEST_CASE("a host id says which ranks share memory, and TUTTI_HOST_ID parts them") {
  CHECK(tutti::this_host_id() == tutti::this_host_id());
  const auto place = "unix:" + fresh_name("hosts");
  std::vector<std::string> ids(3);
  on_threads(3, [&](int rank) {
    auto variables = named_rank(rank, 3, place);
    if (rank == 2) variables["TUTTI_HOST_ID"] = "elsewhere";
    ids[static_cast<std::size_t>(rank)] = tutti::from_environment(tutti::environment_of(variables)).host_id;
  });
  CHECK(ids[0] == ids[1]);
  CHECK(ids[0] != ids[2]);
}

TEST_CASE("lists of ranks are short") {
  using tutti::name_ranks;
  CHECK(name_ranks({3}) == "rank 3");
  CHECK(name_ranks({3, 4}) == "ranks 3, 4");
  CHECK(name_ranks({3, 5, 6, 7}) == "ranks 3, 5-7");
  CHECK(name_ranks({0, 1, 2, 4, 5, 9}) == "ranks 0-2, 4, 5, 9");
  std::vector<int> even;
  for (int rank = 0; rank < 100; rank += 2) even.push_back(rank);
  CHECK(name_ranks(even) ==
        "ranks 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, and 30 more");
}
