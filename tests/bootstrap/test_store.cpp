/// @file  One suite for every kind of store: in memory, over TCP, over a unix socket by name and by path.
#include <atomic>
#include <cstring>
#include <filesystem>

#include "bootstrap/helpers.hpp"
#include "tutti/bootstrap/store.hpp"
#include "tutti/bootstrap/store_server.hpp"

using namespace helpers;
using tutti::Code;
using tutti::Store;
using tutti::text_of;

namespace {

// A store as two ranks see it: `first` serves it, `second` may reach it over a socket.
struct Shared {
  std::unique_ptr<tutti::StoreServer> server;
  std::shared_ptr<Store> first, second;
};

Shared served(const tutti::Endpoint& endpoint) {
  Shared shared;
  shared.server = std::make_unique<tutti::StoreServer>(endpoint, tutti::Admission{"suite", "a secret"});
  shared.first = shared.server->store();
  shared.second = tutti::connect_store(shared.server->endpoint(), {"suite", "a secret"}, in(10s));
  return shared;
}

Shared make(const std::string& kind) {
  if (kind == "memory") {
    auto store = tutti::memory_store();
    return {nullptr, store, store};
  }
  if (kind == "prefixed") {
    auto store = tutti::memory_store();
    return {nullptr, tutti::prefixed(store, "p/"), tutti::prefixed(store, "p/")};
  }
  if (kind == "tcp 4") return served(tutti::tcp_endpoint("127.0.0.1", 0));
  if (kind == "tcp 6") return served(tutti::tcp_endpoint("::1", 0));
  if (kind == "unix path") return served(tutti::unix_endpoint("/tmp/" + fresh_name("tutti-test-store")));
  return served(tutti::unix_endpoint(fresh_name("suite")));
}

std::string kinds() { return GENERATE("memory", "prefixed", "tcp 4", "tcp 6", "unix", "unix path"); }

}  // namespace

TEST_CASE("what one rank sets in a store, the other reads, byte by byte") {
  const auto kind = kinds();
  INFO(kind);
  const auto store = make(kind);
  CHECK_FALSE(store.first->get("key"));
  CHECK_FALSE(store.second->get("key"));
  store.second->set("key", std::string_view("a\0b", 3));
  CHECK(text_of(store.first->get("key").value()) == std::string("a\0b", 3));
  store.first->set("key", "");
  CHECK(store.second->get("key").value().empty());
  CHECK(store.second->wait("key", in(0s)).empty());
}

TEST_CASE("a store carries the largest value it promises, and refuses a larger one") {
  const auto kind = kinds();
  INFO(kind);
  const auto store = make(kind);
  Store::Value large(Store::max_value);
  for (std::size_t at = 0; at < large.size(); at += 997) large[at] = static_cast<std::byte>(at % 251);
  store.second->set("large", large);
  CHECK((store.second->get("large") == large));
  CHECK((store.first->wait("large", in(0s)) == large));
  large.push_back({});
  CHECK(error_of([&] { store.second->set("larger", large); }).code() == Code::invalid_argument);
  CHECK_FALSE(store.first->get("larger"));
}

TEST_CASE("a store refuses empty and overlong keys and goes on") {
  const auto kind = kinds();
  INFO(kind);
  const auto store = make(kind);
  const std::string longest(Store::max_key - 2, 'k');  // the prefixed one adds two bytes
  store.second->set(longest, "v");
  CHECK(store.first->get(longest));
  const std::string longer(Store::max_key + 1, 'k');
  CHECK(error_of([&] { store.second->set(longer, "v"); }).code() == Code::invalid_argument);
  CHECK(error_of([&] { store.second->get(""); }).code() == Code::invalid_argument);
  CHECK(error_of([&] { store.second->erase_prefix(""); }).code() == Code::invalid_argument);
  CHECK(store.second->add("n", 1) == 1);
}

TEST_CASE("a store's counters add up over ranks and threads, and start at 0") {
  const auto kind = kinds();
  INFO(kind);
  const auto store = make(kind);
  CHECK(store.second->add("negative", -3) == -3);
  on_threads(4, [&](int number) {
    for (int turn = 0; turn < 100; ++turn) (number % 2 == 0 ? store.first : store.second)->add("count", 2);
  });
  CHECK(store.first->add("count", 0) == 800);
  CHECK(store.second->get("count").value().size() == 8);
}

TEST_CASE("adding to what is no counter is an error that leaves it as it was") {
  const auto kind = kinds();
  INFO(kind);
  const auto store = make(kind);
  store.first->set("text", "hello");
  const auto error = error_of([&] { store.second->add("text", 1); });
  CHECK(error.code() == Code::mismatch);
  CHECK(says(error, "is not a counter"));
  CHECK(text_of(store.second->get("text").value()) == "hello");
}

TEST_CASE("a store forgets one key, or all keys with a prefix and no others") {
  const auto kind = kinds();
  INFO(kind);
  const auto store = make(kind);
  for (const char* key : {"a", "a/1", "a/2", "a0", "b"}) store.first->set(key, "v");
  CHECK(store.second->erase("b"));
  CHECK_FALSE(store.second->erase("b"));
  CHECK(store.second->erase_prefix("a/") == 2);
  CHECK(store.second->erase_prefix("a/") == 0);
  CHECK(store.second->get("a"));
  CHECK(store.second->get("a0"));
  CHECK_FALSE(store.first->get("a/1"));
}

TEST_CASE("waiting returns the value that another rank sets later") {
  const auto kind = kinds();
  INFO(kind);
  const auto store = make(kind);
  const bool upward = GENERATE(true, false);
  auto& waits = upward ? store.first : store.second;
  auto& sets = upward ? store.second : store.first;
  std::string got;
  std::thread waiter([&] { got = text_of(waits->wait("later", in(20s))); });
  std::this_thread::sleep_for(20ms);  // so that it really waits, most of the time
  sets->set("later", "now");
  waiter.join();
  CHECK(got == "now");
}

TEST_CASE("a value that is set and erased at once still reaches those who wait for it") {
  const auto kind = kinds();
  INFO(kind);
  const auto store = make(kind);
  std::atomic<int> reached{0}, over{0};
  on_threads(5, [&](int number) {
    if (number > 0) {
      if (store.second->try_wait("brief", in(10s))) ++reached;
      ++over;
    }
    while (number == 0 && over < 4) {  // whoever began to wait too late gets it the next time
      store.first->set("brief", "v");
      store.first->erase("brief");
      std::this_thread::sleep_for(1ms);
    }
  });
  CHECK(reached == 4);
}

TEST_CASE("waiting ends at its deadline with an error that names the key, and the store works on") {
  const auto kind = kinds();
  INFO(kind);
  const auto store = make(kind);
  const auto begun = std::chrono::steady_clock::now();
  const auto error = error_of([&] { store.second->wait("never", in(50ms)); });
  CHECK(error.code() == Code::timeout);
  CHECK(says(error, "never"));
  CHECK(std::chrono::steady_clock::now() - begun >= 50ms);  // and not before
  CHECK_FALSE(store.second->try_wait("never", in(-1s)));
  store.first->set("never", "but now");
  CHECK(text_of(store.second->wait("never", in(20s))) == "but now");
}

TEST_CASE("a waiting thread does not hold up another thread with the same store") {
  const auto kind = kinds();
  INFO(kind);
  const auto store = make(kind);
  std::vector<std::string> got(8);
  std::vector<std::thread> waiters;
  for (std::size_t number = 0; number < got.size(); ++number) {
    waiters.emplace_back(
        [&, number] { got[number] = text_of(store.second->wait("key " + std::to_string(number), in(30s))); });
  }
  // The last first: with one connection for all, the others would be in its way.
  for (std::size_t number = got.size(); number-- > 0;) {
    store.second->set("key " + std::to_string(number), std::to_string(number));
    waiters[number].join();
    CHECK(got[number] == std::to_string(number));
  }
}

TEST_CASE("a prefixed store sees its own keys only, and keeps the store alive") {
  auto store = tutti::memory_store();
  const auto left = tutti::prefixed(store, "left/");
  const auto right = tutti::prefixed(store, "right/");
  left->set("key", "1");
  CHECK_FALSE(right->get("key"));
  CHECK(text_of(store->get("left/key").value()) == "1");
  store.reset();
  CHECK(text_of(tutti::prefixed(left, "")->get("key").value()) == "1");
  CHECK(left->erase_prefix("k") == 1);
}

TEST_CASE("when the server goes, whoever waits at it learns that it is gone") {
  auto store = make(GENERATE("tcp 4", "unix"));
  std::optional<tutti::Error> error;
  std::thread waiter([&] {
    try {
      store.second->wait("never", in(60s));
    } catch (const tutti::Error& caught) {
      error = caught;
    }
  });
  while (store.server->members() == 0) std::this_thread::yield();
  std::this_thread::sleep_for(20ms);
  store.server.reset();
  waiter.join();
  REQUIRE(error);
  CHECK(error->code() == Code::peer_lost);
  CHECK(says(*error, "rank 0"));
  CHECK(error_of([&] { store.second->get("key"); }).code() == Code::peer_lost);
  store.first->set("key", "the table itself outlives its server");
}

TEST_CASE("a server that ends still delivers what it owes") {
  for (int turn = 0; turn < 20; ++turn) {
    auto store = make("unix");
    std::string got;
    std::atomic<bool> connected{false};
    std::thread waiter([&] {
      connected = store.second->try_wait("go", in(30s)).has_value();
      got = text_of(store.second->wait("last words", in(30s)));
    });
    store.first->set("go", "");
    while (!connected) std::this_thread::yield();
    std::this_thread::sleep_for(5ms);  // now it waits
    store.first->set("last words", std::string(1 << 20, 'x'));
    store.server.reset();
    waiter.join();
    CHECK(got.size() == 1 << 20);
  }
}

TEST_CASE("a full table refuses with an error, and erasing makes room again") {
  tutti::StoreServer server(tutti::unix_endpoint(fresh_name("full")), {"job", ""}, {.table_bytes = 10'000});
  const auto store = tutti::connect_store(server.endpoint(), {"job", ""}, in(10s));
  store->set("most", std::string(9'000, 'x'));
  CHECK(error_of([&] { store->set("more", std::string(2'000, 'x')); }).code() == Code::resource);
  CHECK(error_of([&] {
          for (int key = 0; key < 100; ++key) store->set("empty " + std::to_string(key), "");
        }).code() == Code::resource);
  store->set("most", std::string(9'000, 'y'));  // replacing takes no more
  CHECK(store->erase("most"));
  store->set("more", std::string(2'000, 'x'));
}

TEST_CASE("stores leave no descriptor and no file behind") {
  make("tcp 4");  // whatever the C library keeps open, it has opened now
  const auto before = open_descriptors();
  const auto path = "/tmp/" + fresh_name("tutti-test-file");
  for (int turn = 0; turn < 3; ++turn) {
    for (const char* kind : {"tcp 4", "tcp 6", "unix", "unix path"}) {
      const auto store = make(kind);
      on_threads(4, [&](int) { store.second->try_wait("never", in(20ms)); });
    }
    tutti::StoreServer server(tutti::unix_endpoint(path), {"job", ""});
    CHECK(std::filesystem::exists(path));
  }
  CHECK(open_descriptors() == before);
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("a socket file that a killed process left behind is taken over, a living one is not") {
  const auto endpoint = tutti::unix_endpoint("/tmp/" + fresh_name("tutti-test-stale"));
  CHECK(in_processes(1, [&](int) {
          auto* leaked = new tutti::StoreServer(endpoint, {"job", ""});
          require(leaked->members() == 0, "a new server has no members");
          ::_exit(0);
        }).empty());
  REQUIRE(std::filesystem::exists(endpoint.name));
  tutti::StoreServer server(endpoint, {"job", ""});
  CHECK(error_of([&] { tutti::StoreServer second(endpoint, {"job", ""}); }).code() == Code::resource);
  tutti::connect_store(endpoint, {"job", ""}, in(10s))->set("key", "value");
}
