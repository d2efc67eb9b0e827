/// @file  A rank that never comes: the others' calls end in time and say who is missing, and so does what follows.
#include <future>
#include <string>
#include <vector>

#include "face/helpers.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

using Values = std::vector<int>;

struct Waiting {
  std::string name;  ///< how the error calls it
  std::function<Work(Communicator&, Values&, const Options&)> call;
  Protocol protocol = Protocol::automatic;
};

Work whole(Communicator& comm, Values& values, const Options& options) {
  return all_reduce(comm, on_host(values), sum, options);
}

const std::vector<Waiting> waitings = {
    {"all_reduce of 16 B int32",
     [](Communicator& c, Values& v, const Options& o) { return all_reduce(c, on_host(v.data(), 4), sum, o); }},
    {"all_reduce of 64 KiB int32", whole, Protocol::fifo},
    {"all_reduce of 64 KiB int32", whole, Protocol::window},
    {"broadcast of 64 KiB int32",
     [](Communicator& c, Values& v, const Options& o) { return broadcast(c, on_host(v), 0, o); }},
    {"barrier", [](Communicator& c, Values&, const Options& o) { return barrier(c, o); }},
    {"recv of 64 KiB int32 from rank 0",
     [](Communicator& c, Values& v, const Options& o) { return recv(c, on_host(v), 0, o); }},
};

}  // namespace

TEST_CASE("a call ends at its own timeout naming the missing rank, and every later call says what happened") {
  for (const Waiting& waiting : waitings) {
    INFO(waiting.name << " by " << name(waiting.protocol));
    std::promise<void> over;
    std::optional<Error> late, again, other;
    in_process(2, [&](Communicator& comm) {
      Values values(16384, 1);
      if (comm.rank() == 0) {  // comes only when the other has given up
        over.get_future().wait();
        other = error_of([&] { barrier(comm).wait(); });
        return;
      }
      late = error_of([&] { waiting.call(comm, values, {.protocol = waiting.protocol, .timeout = 30ms}).wait(); });
      again = error_of([&] { waiting.call(comm, values, {}).wait(); });
      over.set_value();
    });
    CHECK(says(late, Code::timeout,
               {"rank 1: " + waiting.name + " on host/", "peer 0: ", "did not come within 30 ms", "Options::timeout"}));
    CHECK(says(again, Code::aborted,
               {"rank 1: ", "an earlier call of this communicator failed", waiting.name, "did not come within 30 ms",
                "make a new communicator from a new World"}));
    CHECK(says(other, Code::aborted, {"rank 0: ", "rank 1 gave up this communicator", "that rank's own error"}));
  }
}

TEST_CASE("a send that finds no room ends at its timeout, too") {
  std::promise<void> over;
  std::optional<Error> late;
  in_process(2, [&](Communicator& comm) {
    if (comm.rank() == 0) return over.get_future().wait();
    const Values values(1 << 20);
    late = error_of([&] { send(comm, on_host(values), 0, {.timeout = 30ms}).wait(); });
    over.set_value();
  });
  CHECK(says(late, Code::timeout, {"rank 1: send of 4 MiB int32 to rank 0", "peer 0: room for a message"}));
}

TEST_CASE("a call that waits for earlier ones says so when its time is over first") {
  std::promise<void> over;
  std::optional<Error> early;
  in_process(2, [&](Communicator& comm) {
    if (comm.rank() == 0) return over.get_future().wait();
    Values a(4), b(4);
    Work first = all_reduce(comm, on_host(a), sum);
    early = error_of([&] { all_reduce(comm, on_host(b), sum, {.timeout = 20ms}).wait(); });
    require(error_of([&] { first.wait(); }).has_value(), "the earlier call fails, too");
    over.set_value();
  });
  CHECK(says(early, Code::timeout, {"its turn after earlier calls did not come within 20 ms"}));
}

TEST_CASE("without a timeout of its own a call has the communicator's, and a very long one is no overflow") {
  std::promise<void> over;
  std::optional<Error> late;
  in_process(2,
             [&](Communicator& comm) {
               Values values(4);
               all_reduce(comm, on_host(values), sum, {.timeout = std::chrono::milliseconds::max()}).wait();
               if (comm.rank() == 0) return over.get_future().wait();
               late = error_of([&] { barrier(comm).wait(); });
               over.set_value();
             },
             {.timeout = 25ms});
  CHECK(says(late, Code::timeout, {"did not come within 25 ms", "TUTTI_CALL_TIMEOUT"}));
}

TEST_CASE("a timeout with a progress thread is the same") {
  std::promise<void> over;
  std::optional<Error> late;
  in_process(2,
             [&](Communicator& comm) {
               if (comm.rank() == 0) return over.get_future().wait();
               late = error_of([&] { barrier(comm, {.timeout = 20ms}).wait(); });
               over.set_value();
             },
             {.progress_thread = true});
  CHECK(says(late, Code::timeout, {"rank 1: barrier", "peer 0: ", "did not come within 20 ms"}));
}
