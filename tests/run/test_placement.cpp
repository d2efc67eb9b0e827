/// @file  Placement, and the roll call that finds it out.
#include <sched.h>

#include <thread>

#include "catch.hpp"
#include "run/on_hosts.hpp"
#include "run/placement.hpp"
#include "run/roll_call.hpp"
#include "topology/numa.hpp"
#include "tutti/base/error.hpp"
#include "tutti/bootstrap/in_process.hpp"

using namespace tutti;

namespace {

std::vector<int> on(const Placement& placement, int host) {
  const auto ranks = placement.on(host);
  return {ranks.begin(), ranks.end()};
}

/// What every rank hears at the roll call.
std::vector<RollCall> rolls_of(const std::vector<World>& worlds) {
  std::vector<RollCall> rolls(worlds.size());
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < worlds.size(); ++rank) {
    threads.emplace_back([&, rank] { rolls[rank] = call_roll(worlds[rank], nullptr, worlds[rank].deadline()); });
  }
  for (std::thread& thread : threads) thread.join();
  return rolls;
}

}  // namespace

TEST_CASE("hosts are numbered in the order of their first ranks, whatever they are called") {
  const Placement placement({7, 7, 3, 7, 3});
  CHECK(placement.ranks() == 5);
  CHECK(placement.hosts() == 2);
  CHECK(placement.host(0) == 0);
  CHECK(placement.host(2) == 1);
  CHECK(on(placement, 0) == std::vector<int>{0, 1, 3});
  CHECK(on(placement, 1) == std::vector<int>{2, 4});
  CHECK(placement.local_rank(3) == 2);
  CHECK(placement.local_rank(4) == 1);
  CHECK(placement.most_on_a_host() == 3);
}

TEST_CASE("a placement knows whether hosts are even and their ranks neighbours") {
  CHECK(Placement({0, 0, 1, 1}).even());
  CHECK(Placement({0, 0, 1, 1}).consecutive());
  CHECK(Placement({0, 1, 0, 1}).even());
  CHECK_FALSE(Placement({0, 1, 0, 1}).consecutive());
  CHECK_FALSE(Placement({0, 0, 1}).even());
  CHECK(Placement({0, 0, 1}).consecutive());
  CHECK_FALSE(Placement({0, 1, 1, 0}).consecutive());
}

TEST_CASE("every rank is in a column, and every column has a rank of each host") {
  const Placement placement({0, 1, 1, 1, 2, 2});
  CHECK(placement.column(0) == std::vector<int>{0, 1, 4});
  CHECK(placement.column(1) == std::vector<int>{0, 2, 5});
  CHECK(placement.column(2) == std::vector<int>{0, 3, 4});
}

TEST_CASE("part of the ranks keeps its hosts, numbered anew") {
  const Placement placement({0, 0, 1, 1, 2});
  const std::vector<int> members{4, 3, 2};
  const Placement part = placement.of(members);
  CHECK(part.ranks() == 3);
  CHECK(part.hosts() == 2);
  CHECK(on(part, 0) == std::vector<int>{0});
  CHECK(on(part, 1) == std::vector<int>{1, 2});
}

TEST_CASE("at the roll call every rank hears the same") {
  const std::vector<World> worlds = test::worlds_on_hosts({0, 1, 1, 0, 2});
  const std::vector<RollCall> rolls = rolls_of(worlds);
  for (std::size_t rank = 0; rank < rolls.size(); ++rank) {
    const RollCall& roll = rolls[rank];
    REQUIRE(roll.placement.hosts() == 3);
    CHECK(on(roll.placement, 0) == std::vector<int>{0, 3});
    CHECK(on(roll.placement, 1) == std::vector<int>{1, 2});
    CHECK(roll.host_names == std::vector<std::string>{"host-0", "host-1", "host-2"});
    CHECK(roll.one_process);  // the ranks of each host are threads
    CHECK(roll.oversubscribed == rolls[0].oversubscribed);
    const World local = local_world(worlds[rank], roll);
    CHECK(local.rank == roll.placement.local_rank(static_cast<int>(rank)));
    CHECK(local.size == (rank == 4 ? 1 : 2));
    CHECK(local.network == nullptr);
  }
  CHECK(worlds[0].store->get("roll").has_value());
  CHECK_FALSE(worlds[0].store->get("roll/1").has_value());
}

TEST_CASE("ranks that are bound to a processor each have as many as they have together") {
  const std::vector<int> cpus = allowed_cpus();
  if (cpus.size() < 2) {
    WARN("this machine has one processor: nothing is tested");
    return;
  }
  const auto bind_each = [&](bool apart) {
    const std::vector<World> worlds = test::worlds_on_hosts({0, 0});
    std::vector<RollCall> rolls(worlds.size());
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < worlds.size(); ++rank) {
      threads.emplace_back([&, rank] {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(static_cast<std::size_t>(cpus[apart ? rank : 0]), &one);
        ::sched_setaffinity(0, sizeof one, &one);
        rolls[rank] = call_roll(worlds[rank], nullptr, worlds[rank].deadline());
      });
    }
    for (std::thread& thread : threads) thread.join();
    return rolls;
  };
  for (const RollCall& roll : bind_each(true)) {
    CHECK(roll.cpus == 2);
    CHECK(roll.apart);
    CHECK_FALSE(roll.oversubscribed);
  }
  for (const RollCall& roll : bind_each(false)) {
    CHECK(roll.cpus == 1);
    CHECK_FALSE(roll.apart);
    CHECK(roll.oversubscribed);
  }
}

TEST_CASE("threads of one process are on one host, and there is nothing to compare but their tuning") {
  const std::vector<World> worlds = worlds_in_process(3);
  std::vector<RollCall> rolls(3);
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < 3; ++rank) {
    threads.emplace_back([&, rank] { rolls[rank] = call_roll(worlds[rank], nullptr, worlds[rank].deadline()); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const RollCall& roll : rolls) {
    CHECK(roll.placement.hosts() == 1);
    CHECK(roll.placement.ranks() == 3);
    CHECK(roll.one_process);
  }
}

TEST_CASE("ranks on several hosts without a network are refused, with the hosts and what to do") {
  std::vector<World> worlds = test::worlds_on_hosts({0, 1});
  for (World& world : worlds) {
    world.network = nullptr;
    world.one_process = false;  // as processes would be
  }
  std::vector<std::string> texts(2);
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < 2; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        const Communicator comm(worlds[rank]);
      } catch (const Error& error) {
        texts[rank] = error.what();
        if (error.code() != Code::unsupported) texts[rank] = "another code: " + texts[rank];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : texts) {
    INFO(text);
    CHECK(text.find("host-0, host-1") != std::string::npos);
    CHECK(text.find("from_mpi") != std::string::npos);
    CHECK(text.find("another code") == std::string::npos);
  }
}
