/// @file  Run: the events of a simulated collective: ranks take their steps, messages take their time.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "run/simulated/flows.hpp"
#include "run/simulated/machine.hpp"
#include "run/simulated/phases.hpp"

namespace tutti::simulated {

/// Plays the lanes of all ranks, or of one machine's where all are alike. A step begins when its lane is through with the
/// one before, every message that it takes has arrived, and every one that it sends finds a slot; it ends when what it
/// sends has left and what it combines is combined. A message that has left arrives a hop's latency later.
class Run {
 public:
  /// `place` says which machine of the cluster each of the job's machines is; empty: they are its first ones, all that
  /// `machine` knows of. `number` tells runs over the same flows apart.
  Run(const Scenario& scenario, const Plan& plan, Machine& machine, Flows& flows, std::vector<std::int64_t> place = {},
      int number = 0);

  static constexpr int most_runs = 16;  ///< over the same flows
  /// The owner of a flow: the number of the run, and its wire.
  static constexpr int run_shift = 26;
  static constexpr int wire_of_owner = (1 << run_shift) - 1;
  static_assert(most_runs <= 1 << (30 - run_shift));

  // What `play` calls, in this order, over and over.
  void begin();
  void take_steps();  ///< whatever can be taken now
  bool finished() const { return unfinished_ == 0; }
  Time next() const { return queue_.empty() ? never : queue_.front().time; }
  void go_to(Time time);  ///< and let happen what happens then
  void flow_ends(int flow, std::uint32_t version, Time time);
  double done() const;
  [[noreturn]] void stuck() const;

  Time end() const { return end_; }  ///< when the last rank was through

  std::uint64_t events() const { return events_; }
  std::uint64_t messages() const { return messages_; }
  std::int64_t simulated_ranks() const { return static_cast<std::int64_t>(nodes_) * gpus_; }
  std::vector<TracedStep> take_trace() { return std::move(trace_); }

 private:
  static constexpr std::int32_t several = -2;
  struct Actor {
    std::int32_t node = 0;
    std::int16_t local = 0;
    std::int8_t channel = 0;
    std::int8_t phase = 0;
    std::int8_t lane = 0;
    bool is_switch = false;
    bool busy = false;
    bool waiting = false;   ///< in the list of those to look at
    std::int32_t rank = 0;  ///< in the phase's schedule
    std::int32_t steps = 0;
    std::int32_t index = 0;
    std::int32_t round = 0;
    std::int32_t open = 0;      ///< parts of the present step that are not done
    std::int32_t in = -1;       ///< the wire that the present step takes from; -1: none, -2: several
    std::int32_t last_in = -1;  ///< the wires used last, most often those used next
    std::int32_t last_out = -1;
    std::int32_t last_in_peer = -1;
    std::int32_t last_out_peer = -1;
    Time begun = 0;
    Time from = 0;  ///< not before
  };
  struct Wire {
    std::int32_t writer = -1;
    std::int32_t reader = -1;
    std::int32_t sent = 0;
    std::int32_t arrived = 0;
    std::int32_t taken = 0;
    std::int32_t first_hop = -1;
    std::int32_t hops = 0;
    Time latency = 0;
  };
  enum class What : std::uint8_t { left, arrives, done, link_fails, link_moves, link_back, wakes };
  struct Event {
    Time time;
    std::uint32_t id;
    std::uint32_t version;
    What what;
    bool operator>(const Event& other) const { return time > other.time; }
  };

  Event take();
  void add_actors(const Gpu& gpu, int channel);
  void add_switches(int channel);
  void look_at(int actor);
  void try_step(int actor);
  void finish_part(int actor);
  void finish_step(int actor);
  void take_from(int wire);
  bool phase_ready(const Actor& actor) const;
  int wire_in(int actor, Actor& a, int peer, int wire);
  int wire_out(int actor, Actor& a, int peer, int wire);
  int wire(const Actor& a, int number, const Gpu& sender, const Gpu& receiver);
  void make_way(Wire& wire, const Gpu& from, const Gpu& to);
  void happen(const Event& event);
  void link_event(const Event& event);
  void trace(const Actor& a, const plan::Step& step);
  void at(Time time, What what, std::size_t id, std::uint32_t version = 0);
  std::int64_t place_of(std::int64_t node) const {
    return place_.empty() || node == machine_.nodes() ? node : place_[static_cast<std::size_t>(node)];
  }

  plan::Step step_of(const Actor& a) const {
    return plan_.phases[static_cast<std::size_t>(a.phase)].step(a.rank, a.lane, a.index);
  }
  int shift_of(const Actor& a) const { return a.channel * plan_.shift; }

  const Scenario& scenario_;
  const Plan& plan_;
  Machine& machine_;
  Flows& flows_;
  std::vector<std::int64_t> place_;
  int number_;
  int gpus_;
  std::int32_t nodes_;  ///< simulated
  Time now_ = 0;
  Time end_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t messages_ = 0;
  std::vector<Actor> actors_{};
  std::vector<std::int32_t> first_of_phase_{};  ///< offsets of a GPU's actors in a channel, one more than phases
  std::vector<Wire> wires_{};
  std::vector<Hop> hops_{};
  std::unordered_map<std::uint64_t, std::int32_t> wire_ids_{};
  std::vector<std::int32_t> ready_{};
  std::vector<Event> queue_{};  ///< a heap, the earliest first
  std::int64_t unfinished_ = 0;
  std::vector<TracedStep> trace_{};
};

/// Until everybody of all runs is through. Throws Error(peer_lost) when that can never be. Calls `progress`, if there is
/// one, now and then with the share that is done of the run that is farthest behind.
void play(std::span<Run* const> runs, Flows& flows, const std::function<void(double)>& progress);

}  // namespace tutti::simulated
