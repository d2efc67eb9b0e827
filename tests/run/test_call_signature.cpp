/// @file  CallSignature: what must agree is in it, what may differ is not, and differences have words.
#include "run/host/call_signature.hpp"

#include <optional>
#include <string>
#include <vector>

#include "catch.hpp"
#include "tutti/base/error.hpp"

using namespace tutti;
using namespace tutti::host;

namespace {

Request one_call() {
  Request made{.collective = Collective::reduce, .type = DataType::float32, .element_size = 4, .count = 10, .root = 1};
  made.op.kind = Op::sum;
  return made;
}

std::string told(const std::vector<CallSignature>& signatures) {
  try {
    expect_equal(signatures);
  } catch (const Error& error) {
    CHECK(error.code() == Code::mismatch);
    return error.what();
  }
  return {};
}

bool says(const std::string& text, const std::string& words) {
  INFO(text);
  return text.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("what a signature is made of must agree, and the words say what does not") {
  const CallSignature first = signature_of(one_call(), 4);
  CHECK(told({first, first, first}).empty());
  const auto differs = [&](const auto& change, const std::string& words) {
    Request other = one_call();
    change(other);
    const std::string text = told({first, first, signature_of(other, 4)});
    CHECK(says(text, "as call 5 rank 0 made reduce of 40 B float32 (sum) and rank 2 made "));
    CHECK(says(text, "they differ in " + words));
  };
  differs([](Request& r) { r.collective = Collective::broadcast; }, "the collective");
  differs([](Request& r) { r.type = DataType::int32; }, "the element type");
  differs([](Request& r) { r.element_size = 8; }, "the element type");
  differs([](Request& r) { r.count = 11; }, "the count (10 and 11)");
  differs([](Request& r) { r.op.kind = Op::user; }, "the operator (sum and user)");
  differs([](Request& r) { r.root = 0; }, "the root (1 and 0)");
  differs([](Request& r) { r.options.algorithm = Algorithm::tree; }, "the algorithm (automatic and tree)");
  differs([](Request& r) { r.options.protocol = Protocol::fifo; }, "the protocol (automatic and fifo)");
  differs([](Request& r) { r.options.backend = Backend::host; }, "the backend (automatic and host)");
  differs([](Request& r) { r.options.deterministic = true; }, "the wish for determinism");
  CHECK(says(told({first, signature_of(one_call(), 5)}), "the number of calls before"));
  CallSignature chosen = first, other = first;
  chosen.way = way_of(Algorithm::ring, Protocol::fifo);
  other.way = way_of(Algorithm::mpi, Protocol::window);
  CHECK(says(told({chosen, other}), "the way it is run (ring/fifo and mpi/window)"));
  CHECK(hash(chosen) != hash(other));
}

TEST_CASE("what may differ from rank to rank is not in a signature") {
  const CallSignature first = signature_of(one_call(), 0);
  Request other = one_call();
  int somewhere = 0;
  other.in = other.out = &somewhere;
  other.in_count = other.out_count = 99;  // what a rank does not use may be anything
  other.options.timeout = std::chrono::seconds(1);
  CHECK(told({first, signature_of(other, 0)}).empty());
  const std::vector<std::size_t> one{1, 2}, two{2, 1};
  Request exchange = one_call();
  exchange.collective = Collective::all_to_all_v;
  exchange.counts = one;
  const CallSignature a = signature_of(exchange, 0);
  exchange.counts = two;
  CHECK(told({a, signature_of(exchange, 0)}).empty());
}

TEST_CASE("tables of counts must be the same, to the order") {
  const std::vector<std::size_t> one{1, 2}, two{2, 1};
  Request gather = one_call();
  gather.collective = Collective::all_gather_v;
  gather.counts = one;
  const CallSignature a = signature_of(gather, 0);
  gather.counts = two;
  CHECK(says(told({a, signature_of(gather, 0)}), "the table of counts"));
}

TEST_CASE("tables of an all_to_all_v agree when every rank is sent what it expects") {
  // [rank][to 0, to 1, from 0, from 1]
  expect_tables_agree(std::vector<std::uint64_t>{5, 6, 5, 7, /**/ 7, 8, 6, 8}, 2);
  try {
    expect_tables_agree(std::vector<std::uint64_t>{5, 6, 5, 9, /**/ 7, 8, 6, 8}, 2);
    FAIL("they agree");
  } catch (const Error& error) {
    CHECK(error.code() == Code::mismatch);
    CHECK(says(error.what(), "rank 1 sends 7 elements to rank 0, which expects 9"));
  }
}
