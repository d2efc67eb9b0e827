/// @file  Work: begun, asked, waited for, dropped, moved.
#include <optional>
#include <thread>
#include <vector>

#include "face/helpers.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

using Values = std::vector<int>;

}  // namespace

TEST_CASE("a call is done at last without a wait, by asking") {
  in_process(2, [](Communicator& comm) {
    Values values(100'000, 1);
    Work work = all_reduce(comm, on_host(values), sum);
    while (!work.done()) std::this_thread::yield();
    require(work.done() && values == Values(100'000, 2), "done, and stays so");
    work.wait();
    require(work.done(), "and after the wait");
  });
}

TEST_CASE("with a progress thread a call is done although nobody asks") {
  in_process(2,
             [](Communicator& comm) {
               Values a(50'000, 1), b{comm.rank()};
               Work slow = all_reduce(comm, on_host(a), sum);
               // The other rank can end this only when ours moves on by itself.
               all_reduce(comm, on_host(b), sum).wait();
               require(b[0] == 1, "the second");
               slow.wait();
               require(a == Values(50'000, 2), "the first");
             },
             {.progress_thread = true});
}

TEST_CASE("waiting twice is waiting once, and a Work of nothing is done") {
  in_process(2, [](Communicator& comm) {
    Values values{1};
    Work work = all_reduce(comm, on_host(values), sum);
    work.wait();
    work.wait();
    require(values[0] == 2 && work.done(), "once");
    Work nothing;
    nothing.wait();
    require(nothing.done(), "nothing");
  });
}

TEST_CASE("a failure is thrown by the first wait, and only by that") {
  const Errors errors = errors_of(2, [](Communicator& comm) {
    if (comm.rank() == 0) return;
    Values values{1};
    Work work = all_reduce(comm, on_host(values), sum, {.timeout = 10s});
    require(error_of([&] { work.wait(); }).has_value(), "thrown");
    require(!error_of([&] { work.wait(); }) && work.done(), "and told only once");
  });
  CHECK_FALSE(errors[1]);
}

TEST_CASE("many calls are on their way at once and may be waited for in any order") {
  in_process(3, [](Communicator& comm) {
    std::vector<Values> all(40, Values(777, 1));
    std::vector<Work> works;
    for (Values& values : all) works.push_back(all_reduce(comm, on_host(values), sum));
    for (std::size_t i = works.size(); i-- > 0;) works[comm.rank() == 1 ? i : works.size() - 1 - i].wait();
    for (const Values& values : all) require(values == Values(777, 3), "each");
  });
}

TEST_CASE("dropping a Work waits for its call, and assigning over one, too") {
  in_process(2, [](Communicator& comm) {
    Values a(3000, 1), b(3000, 1);
    { const Work dropped = all_reduce(comm, on_host(a), sum); }
    require(a == Values(3000, 2), "dropped");
    Work work = all_reduce(comm, on_host(a), sum);
    work = all_reduce(comm, on_host(b), sum);
    require(a == Values(3000, 4), "assigned over");
    Work moved = std::move(work);
    work.wait();  // nothing any more
    moved.wait();
    require(b == Values(3000, 2), "moved");
  });
}

TEST_CASE("a Work outlives the last handle of its communicator") {
  in_process(2, [](Communicator& comm) {
    Values values(20'000, 1);
    Work work;
    {
      Communicator part = comm.split(0).value();
      work = all_reduce(part, on_host(values), sum);
    }
    work.wait();
    require(values == Values(20'000, 2), "done");
  });
}

TEST_CASE("Works of several calls are one Work") {
  in_process(2, [](Communicator& comm) {
    Values a{1}, b{2};
    std::vector<Work> parts;
    parts.push_back(all_reduce(comm, on_host(a), sum));
    parts.push_back(all_reduce(comm, on_host(b), sum));
    Work all(std::move(parts));
    all.wait();
    require(a[0] == 2 && b[0] == 4 && all.done(), "both");
  });
}
