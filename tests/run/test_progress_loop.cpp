/// @file  ProgressLoop: moves everything on, ends what takes too long, and tells each error to whom it belongs.
#include "run/progress_loop.hpp"

#include <atomic>
#include <stdexcept>
#include <string>

#include "catch.hpp"

using namespace tutti;

namespace {

using namespace std::chrono_literals;

/// Finishes at its `needs`-th turn.
class Fake final : public Operation {
 public:
  Fake(ProgressLoop& loop, int needs, std::chrono::milliseconds timeout = 10s) : needs_(needs) { start(loop, timeout); }

  bool advance() override {
    if (fails && turns >= 2) throw std::runtime_error("broken");
    return ++turns >= needs_;
  }
  void check_peers() override {
    if (peer_gone) throw std::runtime_error("a peer is gone");
  }
  std::exception_ptr timed_out() override { return std::make_exception_ptr(std::runtime_error("too late")); }
  void failed(const std::exception_ptr& error) noexcept override {
    ++failures;
    said = text(error);
  }
  void released(const std::exception_ptr& unseen) noexcept override {
    ++releases;
    if (unseen != nullptr) unseen_said = text(unseen);
  }

  static std::string text(const std::exception_ptr& error) {
    try {
      if (error != nullptr) std::rethrow_exception(error);
    } catch (const std::exception& known) {
      return known.what();
    }
    return {};
  }

  std::atomic<int> turns{0};
  std::atomic<bool> fails{false}, peer_gone{false};
  int failures = 0, releases = 0;
  std::string said, unseen_said;

 private:
  int needs_;
};

constexpr WaitPolicy policy = WaitPolicy{32};

}  // namespace

TEST_CASE("what is waited for moves on, and everything else with it") {
  for (const bool threaded : {false, true}) {
    ProgressLoop loop(policy, threaded);
    Fake at_once(loop, 1), slow(loop, 50), other(loop, 20);
    {
      const auto lock = loop.guard();
      for (Fake* each : {&at_once, &slow, &other}) loop.add(*each);
    }
    CHECK(at_once.finished());
    CHECK(loop.finish(slow, ProgressLoop::Ending::seen) == nullptr);
    CHECK(slow.turns == 50);
    CHECK(other.turns == 20);  // it was at the other's side all the way, and was not asked again after its end
    CHECK(loop.finish(other, ProgressLoop::Ending::seen) == nullptr);
    CHECK(loop.finish(at_once, ProgressLoop::Ending::seen) == nullptr);
    for (const Fake* each : {&at_once, &slow, &other}) CHECK((each->releases == 1 && each->failures == 0));
  }
}

TEST_CASE("polling takes one turn each and does not wait") {
  ProgressLoop loop(policy, false);
  Fake a(loop, 5), b(loop, 3);
  loop.add(a);
  loop.add(b);
  CHECK((a.turns == 1 && b.turns == 1));
  CHECK_FALSE(loop.poll(b));
  CHECK(loop.poll(b));
  CHECK((a.turns == 3 && b.turns == 3 && b.finished() && !a.finished()));
  loop.finish(b, ProgressLoop::Ending::seen);
  loop.finish(a, ProgressLoop::Ending::seen);
}

TEST_CASE("a call that fails ends with its error, and the others go on") {
  for (const bool threaded : {false, true}) {
    ProgressLoop loop(policy, threaded);
    Fake bad(loop, 1000), good(loop, 30);
    bad.fails = true;
    {
      const auto lock = loop.guard();
      loop.add(bad);
      loop.add(good);
    }
    CHECK(Fake::text(loop.finish(bad, ProgressLoop::Ending::seen)) == "broken");
    CHECK(loop.finish(good, ProgressLoop::Ending::seen) == nullptr);
    CHECK((bad.failures == 1 && bad.said == "broken" && bad.releases == 1));
    CHECK(bad.unseen_said.empty());
  }
}

TEST_CASE("the error of a call that was dropped is handed on as unseen, and only that") {
  ProgressLoop loop(policy, false);
  Fake bad(loop, 1000), good(loop, 3);
  bad.fails = true;
  loop.add(bad);
  loop.add(good);
  loop.finish(bad, ProgressLoop::Ending::dropped);
  loop.finish(good, ProgressLoop::Ending::dropped);
  CHECK(bad.unseen_said == "broken");
  CHECK((good.unseen_said.empty() && good.releases == 1));
}

TEST_CASE("time that is over, and peers that are gone, end a call that never would") {
  for (const bool threaded : {false, true}) {
    ProgressLoop loop(policy, threaded);
    Fake late(loop, 1'000'000'000, 5ms), lonely(loop, 1'000'000'000);
    lonely.peer_gone = true;
    {
      const auto lock = loop.guard();
      loop.add(late);
      loop.add(lonely);
    }
    CHECK(Fake::text(loop.finish(late, ProgressLoop::Ending::seen)) == "too late");
    CHECK(Fake::text(loop.finish(lonely, ProgressLoop::Ending::seen)) == "a peer is gone");
    CHECK((late.failures == 1 && lonely.failures == 1));
  }
}

TEST_CASE("a loop with a thread moves calls on while nobody waits") {
  ProgressLoop loop(policy, true);
  Fake call(loop, 1000);
  {
    const auto lock = loop.guard();
    loop.add(call);
  }
  while (call.turns < 1000) std::this_thread::yield();
  CHECK(loop.finish(call, ProgressLoop::Ending::seen) == nullptr);
}

TEST_CASE("ranks that have a processor each spin, others give theirs away") {
  CHECK(WaitPolicy::for_host(2, 2, false).spins_before_yield > WaitPolicy::for_host(3, 2, false).spins_before_yield);
  CHECK(WaitPolicy::for_host(2, 2, true).spins_before_yield > WaitPolicy::for_host(2, 2, false).spins_before_yield);
}
