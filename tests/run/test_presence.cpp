/// @file  Presence: who is there, who has left, and whose process has died; in doubt a rank is there.
#include "run/host/presence.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "catch.hpp"
#include "run/teams.hpp"

using namespace tutti;
using namespace tutti::host;

TEST_CASE("a rank is there from before it came until it leaves") {
  const Arena arena = test::arena_of(2);
  const Presence mine(arena, 0);
  CHECK(mine.of(1, true) == Presence::Of::here);  // it has not come yet
  {
    const Presence other(arena, 1);
    CHECK(mine.of(1, true) == Presence::Of::here);
    CHECK(mine.process(1) == getpid());
  }
  CHECK(mine.of(1, false) == Presence::Of::left);
}

TEST_CASE(
    "a process that was killed is dead, before and after somebody has waited for it, and one that is asleep is not") {
  const Arena arena = test::arena_of(2);
  const Presence mine(arena, 0);
  const pid_t child = fork();
  if (child == 0) {
    new Presence(arena, 1);  // never taken back
    for (;;) pause();
  }
  while (mine.process(1) != child) usleep(100);
  CHECK(mine.of(1, true) == Presence::Of::here);
  kill(child, SIGKILL);
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);  // dead, and still in the table of processes
  CHECK(mine.of(1, false) == Presence::Of::here);                     // the kernel was not asked
  CHECK(mine.of(1, true) == Presence::Of::dead);
  waitpid(child, nullptr, 0);
  CHECK(mine.of(1, true) == Presence::Of::dead);
}

TEST_CASE("a process of another namespace is not looked up here, where its number is another's") {
  const Arena arena = test::arena_of(2);
  const Presence mine(arena, 0);
  arena.arrival(1).pid_namespace = arena.arrival(0).pid_namespace + 1;
  arena.arrival(1).process = 4'000'000;  // beyond what the kernel gives out here
  CHECK(mine.of(1, true) == Presence::Of::here);
  arena.arrival(1).pid_namespace = arena.arrival(0).pid_namespace.load();
  CHECK(mine.of(1, true) == Presence::Of::dead);
}

TEST_CASE("a child that forks off does not leave for its parent") {
  const Arena arena = test::arena_of(1);
  auto mine = std::make_optional<Presence>(arena, 0);
  const pid_t child = fork();
  if (child == 0) {
    mine.reset();
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  CHECK(mine->of(0, true) == Presence::Of::here);
}
