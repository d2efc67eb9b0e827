/// @file  Wires: messages arrive whole and in order, a full wire takes no more, and credits come back in time.
#include <cstring>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "run/teams.hpp"

using namespace tutti;
using namespace tutti::host;

namespace {

void put(Wires& wires, std::uint32_t end, std::uint64_t value) {
  std::memcpy(wires.outgoing(end), &value, sizeof value);
  wires.post(end);
}

std::uint64_t take(Wires& wires, std::uint32_t end) {
  std::uint64_t value = 0;
  std::memcpy(&value, wires.incoming(end), sizeof value);
  wires.take(end);
  return value;
}

}  // namespace

TEST_CASE("a wire holds as many messages as it has slots, then waits for credits") {
  const Arena arena = test::arena_of(3);
  Wires a(arena, 0), b(arena, 2);
  for (const Protocol protocol : {Protocol::packet, Protocol::fifo}) {
    const std::size_t slots = arena.shape().slots(protocol).slots;
    const std::uint32_t to = Wires::end(protocol, 2, 0), from = Wires::end(protocol, 0, 0);
    CHECK_FALSE(b.can_receive(from));
    for (std::uint64_t k = 0; k < slots; ++k) {
      REQUIRE(a.can_send(to));
      put(a, to, k);
    }
    CHECK_FALSE(a.can_send(to));
    for (std::uint64_t k = 0; k < slots / 2; ++k) {
      REQUIRE(b.can_receive(from));
      CHECK(take(b, from) == k);
      CHECK(a.can_send(to) == (k + 1 == slots / 2));  // credits come back by halves
    }
    for (std::uint64_t k = slots / 2; k < slots; ++k) CHECK(take(b, from) == k);
    CHECK_FALSE(b.can_receive(from));
  }
}

TEST_CASE("wires between two ranks are apart from one another: by number, direction and protocol") {
  const Arena arena = test::arena_of(2);
  Wires a(arena, 0), b(arena, 1);
  for (int wire = 0; wire < wires_per_pair; ++wire) {
    for (const Protocol protocol : {Protocol::packet, Protocol::fifo}) {
      put(a, Wires::end(protocol, 1, wire), static_cast<std::uint64_t>(100 + 2 * wire));
      put(b, Wires::end(protocol, 0, wire), static_cast<std::uint64_t>(200 + 2 * wire));
    }
  }
  for (int wire = wires_per_pair - 1; wire >= 0; --wire) {
    for (const Protocol protocol : {Protocol::fifo, Protocol::packet}) {
      CHECK(take(b, Wires::end(protocol, 0, wire)) == static_cast<std::uint64_t>(100 + 2 * wire));
      CHECK(take(a, Wires::end(protocol, 1, wire)) == static_cast<std::uint64_t>(200 + 2 * wire));
    }
  }
}

TEST_CASE("the word that announces a message changes when it comes") {
  const Arena arena = test::arena_of(2);
  Wires a(arena, 0), b(arena, 1);
  const std::uint32_t to = Wires::end(Protocol::packet, 1, 0), from = Wires::end(Protocol::packet, 0, 0);
  for (std::uint64_t k = 0; k < 100; ++k) {
    const Operation::Watch watch = b.arrival(from);
    REQUIRE(watch.word->load() != watch.until);
    put(a, to, k);
    CHECK(watch.word->load() == watch.until);
    CHECK(take(b, from) == k);
  }
}

TEST_CASE("two threads pass many messages through few slots, whole and in order") {
  const Arena arena = test::arena_of(2);
  constexpr std::uint64_t messages = 1500;
  for (const Protocol protocol : {Protocol::packet, Protocol::fifo}) {
    Wires a(arena, 0), b(arena, 1);
    const std::uint32_t to = Wires::end(protocol, 1, 1), from = Wires::end(protocol, 0, 1);
    const std::size_t words = 40;
    std::thread sender([&] {
      for (std::uint64_t k = 0; k < messages; ++k) {
        while (!a.can_send(to)) std::this_thread::yield();
        const std::vector<std::uint64_t> payload(words, k);
        std::memcpy(a.outgoing(to), payload.data(), words * sizeof(std::uint64_t));
        a.post(to);
      }
    });
    std::uint64_t wrong = 0;
    for (std::uint64_t k = 0; k < messages; ++k) {
      while (!b.can_receive(from)) std::this_thread::yield();
      const std::vector<std::uint64_t> right(words, k);
      wrong += std::memcmp(b.incoming(from), right.data(), words * sizeof(std::uint64_t)) == 0 ? 0U : 1U;
      b.take(from);
    }
    sender.join();
    CHECK(wrong == 0);
  }
}
