/// @file  Errors: the message says what, where and what to do, and context joins on the way up.
#include "tutti/base/error.hpp"

#include <cerrno>
#include <string>

#include "catch.hpp"

using tutti::Code;
using tutti::Context;
using tutti::Error;
using tutti::Where;

TEST_CASE("an error names rank, operation, engine, peer, cause, remedy, code and place") {
  const Error error(Code::peer_lost, "it is gone",
                    Context{.rank = 3,
                            .operation = "all_reduce of 4 MiB float32",
                            .engine = "host/ring",
                            .peer = 5,
                            .remedy = "look at its log"},
                    Where{"/a/b/ring.cpp", 42});
  CHECK(std::string(error.what()) ==
        "rank 3: all_reduce of 4 MiB float32 on host/ring: peer 5: it is gone; look at its log "
        "[peer_lost, ring.cpp:42]");
  CHECK(error.code() == Code::peer_lost);
  CHECK(error.reason() == "it is gone");
}

TEST_CASE("an error without context says only cause, code and place") {
  const Error error(Code::internal, "odd", {}, Where{"x.cpp", 7});
  CHECK(std::string(error.what()) == "odd [internal, x.cpp:7]");
}

TEST_CASE("the place of an error is the caller's own line") {
  const int line = __LINE__ + 1;
  const Error error(Code::internal, "here");
  CHECK(error.where().line == line);
  CHECK(std::string(error.where().file).find("test_error.cpp") != std::string::npos);
}

TEST_CASE("context that joins later fills only the fields that are empty") {
  const Error below(Code::timeout, "no answer", Context{.engine = "host/tree", .peer = 2}, Where{"x.cpp", 7});
  const Error above =
      below.with(Context{.rank = 1, .operation = "broadcast", .engine = "other", .peer = 9, .remedy = "wait longer"});
  CHECK(std::string(above.what()) ==
        "rank 1: broadcast on host/tree: peer 2: no answer; wait longer [timeout, x.cpp:7]");
  CHECK(above.code() == Code::timeout);
  CHECK(above.reason() == "no answer");
}

TEST_CASE("expect throws only when its condition does not hold, with the remedy") {
  CHECK_NOTHROW(tutti::expect(true, Code::invalid_argument, "never"));
  try {
    tutti::expect(false, Code::invalid_argument, "count is negative", "pass 0 or more");
    FAIL("expect let a false condition pass");
  } catch (const Error& error) {
    CHECK(error.code() == Code::invalid_argument);
    CHECK(std::string(error.what()).find("count is negative; pass 0 or more [invalid_argument, ") == 0);
  }
}

TEST_CASE("throw_errno appends the system's words for errno") {
  try {
    errno = ENOMEM;
    tutti::throw_errno(Code::resource, "mmap of 4 MiB", "free some memory");
    FAIL("throw_errno returned");
  } catch (const Error& error) {
    CHECK(error.code() == Code::resource);
    CHECK(error.reason() == "mmap of 4 MiB: Cannot allocate memory");
    CHECK(error.context().remedy == "free some memory");
  }
}

TEST_CASE("codes keep their numbers and names") {
  CHECK(static_cast<int>(Code::invalid_argument) == 1);
  CHECK(static_cast<int>(Code::internal) == 10);
  CHECK(std::string(name(Code::peer_lost)) == "peer_lost");
  CHECK(std::string(name(Code::mismatch)) == "mismatch");
}
