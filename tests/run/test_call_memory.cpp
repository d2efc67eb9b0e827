/// @file  CallMemory: calls that differ in anything but their buffers are different calls.
#include "run/call_memory.hpp"

#include <functional>
#include <string>
#include <vector>

#include "catch.hpp"

using namespace tutti;

namespace {

Request request() {
  Request made{.collective = Collective::reduce,
               .type = DataType::float32,
               .element_size = 4,
               .in_count = 10,
               .out_count = 10,
               .count = 10,
               .root = 1};
  made.op.kind = Op::sum;
  return made;
}

struct Used final : Preparation {};

}  // namespace

TEST_CASE("every field that a decision or a schedule depends on is part of the key") {
  using Change = std::function<void(Request&)>;
  const std::vector<Change> changes = {
      [](Request& r) { r.collective = Collective::broadcast; },
      [](Request& r) { r.type = DataType::int32; },
      [](Request& r) { r.memory = Memory::device; },
      [](Request& r) { r.element_size = 8; },
      [](Request& r) { r.in_count = 11; },
      [](Request& r) { r.out_count = 11; },
      [](Request& r) { r.count = 11; },
      [](Request& r) { r.root = 0; },
      [](Request& r) { r.root = -1; },
      [](Request& r) { r.op.kind = Op::maximum; },
      [](Request& r) { r.op.commutative = false; },
      [](Request& r) { r.options.algorithm = Algorithm::tree; },
      [](Request& r) { r.options.protocol = Protocol::fifo; },
      [](Request& r) { r.options.backend = Backend::host; },
      [](Request& r) { r.options.deterministic = true; },
  };
  std::vector<Request> requests{request()};
  for (const Change& change : changes) {
    requests.push_back(request());
    change(requests.back());
  }
  for (std::size_t a = 0; a < requests.size(); ++a) {
    const CallKey is_like_a(requests[a]);
    for (std::size_t b = 0; b < requests.size(); ++b) {
      INFO(a << " and " << b);
      CHECK(is_like_a(requests[b]) == (a == b));
    }
  }
}

TEST_CASE("buffers, timeouts and an operator's code and state are no part of it") {
  Request other = request();
  int somewhere = 0;
  other.in = other.out = &somewhere;
  other.options.timeout = std::chrono::seconds(3);
  other.op.state[0] = 7;
  other.op.loop = [](const ReduceCall&, const void*) {};
  CHECK(CallKey(request())(other));
  CHECK(CallKey::hash(other) == CallKey::hash(request()));
}

TEST_CASE("what is remembered is found until it is forgotten, and a call in progress keeps what it uses") {
  CallMemory memory;
  const Request key = request();
  CHECK(memory.find(key) == nullptr);
  Remembered* entry = memory.remember(key, {10, 10}, {});
  REQUIRE(entry != nullptr);
  CHECK(memory.find(key) == entry);
  entry->preparation = std::make_unique<Used>();
  Preparation* const preparation = entry->preparation.get();
  preparation->users = 1;
  CHECK(memory.remember(key, {1, 1}, {}) == nullptr);  // its place is taken as long as it is used
  memory.clear();
  CHECK(memory.find(key) == nullptr);
  CHECK(preparation->users == 1);  // still there, aside
  preparation->users = 0;
  memory.clear();
  CHECK(memory.remember(key, {1, 1}, {}) != nullptr);
}
