#include "bootstrap/reception.hpp"

#include <fmt/format.h>

#include <charconv>
#include <thread>

#include "bootstrap/reporter.hpp"
#include "bootstrap/serving.hpp"
#include "bootstrap/variables.hpp"
#include "tutti/base/error.hpp"
#include "tutti/base/units.hpp"
#include "tutti/bootstrap/in_process.hpp"
#include "tutti/bootstrap/join.hpp"
#include "tutti/bootstrap/rendezvous.hpp"
#include "tutti/bootstrap/store_server.hpp"

namespace tutti {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr const char* came_key = "reception/came";          // a counter of newcomers
constexpr const char* expected_key = "reception/expected";  // text: how many of them
constexpr const char* ranks_key = "reception/ranks";        // text: with them
constexpr const char* host_key = "reception/host";          // World::host_id: who hears us is on this host

int number_at(Store& store, const char* key, Store::Deadline deadline) {
  const std::string text = text_of(store.wait(key, deadline));
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// A place among those that are expected; false when they have all come.
bool take_place(World& world, Store::Deadline deadline) {
  const int size = number_at(*world.store, ranks_key, deadline);
  const int expected = number_at(*world.store, expected_key, deadline);
  const auto number = static_cast<int>(world.store->add(came_key, 1));
  if (number > expected) return false;
  world.size = size;
  world.rank = size - expected + number - 1;
  world.host_id = text_of(world.store->wait(host_key, deadline));
  return true;
}

}  // namespace

Endpoint reception_place(const std::string& place) {
  Endpoint endpoint = endpoint_from(place, "place");
  if (endpoint.kind == Endpoint::Kind::unix_socket) return endpoint;
  throw Error(Code::invalid_argument, fmt::format("\"{}\" is no place on this host", place),
              {.remedy = "ranks of one host grow: use \"unix:NAME\""});
}

World larger(const World& world, int newcomers) {
  World grown = world;
  grown.size = world.size + newcomers;
  grown.one_process = false;
  grown.store = nullptr;
  grown.network = nullptr;
  grown.keep_alive = nullptr;
  return grown;
}

void open_reception(World& grown, int newcomers, const Endpoint& place) {
  allow_descriptors(grown.size);
  const auto server = serve_beyond(place, {grown.job, grown.secret}, Clock::now() + 1s);
  grown.store = server->store();
  grown.keep_alive = server;
  grown.store->set(host_key, grown.host_id);
  grown.store->set(expected_key, std::to_string(newcomers));
  grown.store->set(ranks_key, std::to_string(grown.size));
}

void enter_reception(World& grown, const Endpoint& place) {
  grown.store = connect_store(place, {grown.job, grown.secret}, grown.deadline());
}

World join(const std::string& place, const Environment& environment) {
  const Endpoint endpoint = reception_place(place);
  const Variables variables(environment);
  World world = alone();
  world.job = variables.text_or("TUTTI_JOB", "tutti");
  world.secret = variables.text_or("TUTTI_SECRET", "");
  if (const auto timeout = variables.text("TUTTI_TIMEOUT")) world.timeout = parse_duration(*timeout, "TUTTI_TIMEOUT");
  world.launcher = "join";
  world.one_process = false;
  const Store::Deadline deadline = world.deadline();
  Reporter reporter(world.progress);
  const auto say = [&] {
    reporter.maybe([&] {
      return fmt::format("tutti: waiting for {} s to join: nobody expects us at {}", reporter.waited().count(), place);
    });
  };
  for (;;) {
    world.store = connect_store(endpoint, {world.job, world.secret}, deadline, say);
    if (take_place(world, deadline)) break;
    if (Clock::now() >= deadline) {
      throw Error(Code::timeout,
                  fmt::format("after {} ms, the ranks at {} expect nobody more", world.timeout.count(), place),
                  {.operation = "join", .remedy = "start as many as Communicator::grow was told"});
    }
    say();
    std::this_thread::sleep_for(20ms);  // until the next time that they grow
  }
  gather_ranks(world, "growing", deadline);
  return world;
}

}  // namespace tutti
