/// @file  Communicator::shrink: the ranks that are left agree who they are, and go on without the others.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bootstrap/secret.hpp"
#include "bootstrap/serving.hpp"
#include "communicator_state.hpp"
#include "run/host/agreement.hpp"
#include "tutti/base/error.hpp"
#include "tutti/bootstrap/store_server.hpp"
#include "tutti/communicator.hpp"

namespace tutti {

namespace {

using Clock = std::chrono::steady_clock;
using host::Agreement;

/// How long a rank may take to make the new communicator, at first: many times of what it needs. Twice as long in each
/// further round.
constexpr std::chrono::milliseconds first_patience{1000};

class Recovery {
 public:
  explicit Recovery(CommunicatorState& state)
      : state_(state), agreement_(state.team.arena().board(), state.team.rank()) {}

  std::shared_ptr<CommunicatorState> run() {
    Clock::time_point joining_ends = Clock::now() + state_.world.timeout;
    std::chrono::milliseconds patience = first_patience;
    while (agreement_.join()) {
      agree_by(joining_ends);
      const Clock::time_point building_ends = Clock::now() + patience;
      std::shared_ptr<CommunicatorState> made = build(building_ends);
      agreement_.set_built(made != nullptr);
      if (all_built_by(building_ends + patience)) {
        made->world.timeout = state_.world.timeout;
        return made;
      }
      patience *= 2;
      joining_ends = std::max(joining_ends, Clock::now() + patience);  // all come back from the same round
    }
    fail(last_trouble_ == Code::resource ? Code::resource : Code::peer_lost,
         "those that were left could not make a communicator" + last_reason_,
         "make a new communicator from a new World");
  }

 private:
  [[noreturn]] void fail(Code code, const std::string& what, const std::string& remedy) const {
    throw Error(code, what, {.rank = state_.world.rank, .operation = "shrink", .remedy = remedy});
  }

  bool gone(int rank) const { return state_.team.presence().of(rank, true) != host::Presence::Of::here; }

  /// Asks again and again until there is an answer. `ask(late)`.
  static Agreement::Answer answer(Clock::time_point end, const std::function<Agreement::Answer(bool late)>& ask) {
    for (int turn = 0;; ++turn) {
      const Agreement::Answer answer = ask(Clock::now() >= end);
      if (answer != Agreement::Answer::none) return answer;
      if (turn < 100) {
        std::this_thread::yield();
      } else {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
    }
  }

  void agree_by(Clock::time_point end) {
    const auto ask = [&](bool late) { return agreement_.decided([&](int rank) { return gone(rank); }, late); };
    if (answer(end, ask) == Agreement::Answer::yes) return;
    fail(Code::aborted,
         fmt::format("the others have gone on without this rank, which had not come within {} ms",
                     state_.world.timeout.count()),
         "call shrink on all ranks soon after the failure, or allow more time (World::timeout, TUTTI_TIMEOUT)");
  }

  bool all_built_by(Clock::time_point end) {
    const auto ask = [&](bool late) { return agreement_.built([&](int rank) { return late || gone(rank); }); };
    return answer(end, ask) == Agreement::Answer::yes;
  }

  /// Null when it did not succeed: somebody else may be gone.
  std::shared_ptr<CommunicatorState> build(Clock::time_point end) {
    try {
      const std::vector<int>& members = agreement_.members();
      const std::string name = fmt::format("shrink/{}/", agreement_.round());
      World smaller = state_.world;
      meet(smaller, name, end);
      smaller.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
      return state_.among(members, std::move(smaller), name);
    } catch (const Error& error) {
      last_trouble_ = error.code();
      last_reason_ = fmt::format(": {}", error.reason());
      return nullptr;
    }
  }

  /// Gives it a store that does not depend on a rank that is gone.
  void meet(World& world, const std::string& name, Clock::time_point end) {
    if (world.one_process || agreement_.members().size() == 1) {
      world.store = world.one_process ? prefixed(world.store, name) : memory_store();
      return;
    }
    const Admission admission{world.job, world.secret};
    if (agreement_.members().front() == state_.team.rank()) {
      const Endpoint endpoint = unix_endpoint("shrink-" + random_name());
      const auto server = serve_beyond(endpoint, admission, Clock::now());
      world.store = server->store();
      world.keep_alive = server;
      agreement_.set_name(to_string(endpoint));
      return;
    }
    std::string found;
    while ((found = agreement_.name()).empty()) {
      if (gone(agreement_.members().front()) || Clock::now() >= end) {
        fail(Code::peer_lost, fmt::format("rank {} did not say where to meet", agreement_.members().front()), "");
      }
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    world.store = connect_store(endpoint_from(found), admission, end);
    world.keep_alive.reset();
  }

  CommunicatorState& state_;
  Agreement agreement_;
  std::optional<Code> last_trouble_{};
  std::string last_reason_ = ": too many were lost";
};

}  // namespace

Communicator Communicator::shrink() const {
  CommunicatorState& state = *state_;
  const auto refuse = [&](Code code, const char* what, const char* remedy) {
    throw Error(code, what, {.rank = state.world.rank, .operation = "shrink", .remedy = remedy});
  };
  if (state.facts.hosts > 1) {
    refuse(Code::unsupported,
           "the ranks are on several hosts, whose MPI cannot take back what a lost rank left unfinished",
           "end the job with MPI_Abort and start it anew from what was saved");
  }
  if (std::exchange(state.shrunk, true)) {
    refuse(Code::invalid_argument, "it has been called before", "use the communicator that the first call returned");
  }
  state.engine->abort();  // who has not noticed does so now
  return Communicator(Recovery(state).run());
}

Communicator Communicator::duplicate() const { return split(0).value(); }

}  // namespace tutti
