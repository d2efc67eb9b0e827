/// @file  The symbolic machine: runs the lanes of all ranks as far as messages, slots and barriers let them.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plan/proof/clock.hpp"
#include "plan/proof/failure.hpp"
#include "plan/proof/meaning.hpp"
#include "plan/proof/memory.hpp"
#include "plan/proof/wording.hpp"
#include "tutti/plan/cost.hpp"

namespace tutti::plan {

class Machine {
 public:
  /// `keep_history`: remember who made what, for a trace.
  Machine(const Program& program, const Conditions& conditions, bool keep_history);

  /// Throws a Failure.
  Cost run();
  /// The steps that led to `event`, oldest first.
  std::vector<std::string> history(int event) const;

 private:
  struct Message {
    int chunk = 0;
    int depth = 0;  ///< the chain of messages that ends with it
    std::vector<Value> pieces{};
    Clock clock{};
  };
  using Sent = std::shared_ptr<const Message>;  ///< several receivers share it
  struct Wire {
    int from = 0;
    int to = 0;
    int number = 0;
    int writer = -1;  ///< lanes, -1: none
    int reader = -1;
    bool waited_for = false;       ///< the reader waits for a message
    bool waited_on = false;        ///< the writer waits for room
    std::vector<Sent> messages{};  ///< the oldest first; few, so that taking one is cheap
  };
  struct Lane {
    Spot spot{};
    const std::vector<Step>* steps = nullptr;
    int depth = 0;
    int barriers = 0;
    bool at_barrier = false;
    Clock clock{};
  };
  struct Event {
    Spot spot{};
    int block = 0;
    std::vector<int> sources{};
  };

  void check_peers(const Spot& spot, const Peers& peers) const;
  void check_step(const Spot& spot, const Step& step) const;
  void claim_wires();
  int& wire_number(int from, int to, int wire);
  Wire& wire(int from, int to, int wire);

  const Step& step_of(const Lane& lane) const { return (*lane.steps)[static_cast<std::size_t>(lane.spot.index)]; }
  bool done(const Lane& lane) const { return lane.spot.chunk == conditions_.chunks || lane.steps->empty(); }
  int chunks_of(int rank, Place place, int block) const;
  void find_pieces(const Lane& lane, const Step& step);

  bool advance(int number);
  bool ready(int number, const Step& step);
  void pass_barrier(int number);
  void take(Lane& lane, const Step& step);
  void transfer(int number, const Step& step);
  Value result(const SymbolicMemory::Actor& actor, const Step& step, int piece);
  void count(const Lane& lane, const Step& step);
  void next(Lane& lane);
  void wake(int number) { ready_lanes_.push_back(number); }

  std::string what_blocks(int number, int& other);
  [[noreturn]] void report_deadlock();
  void check_end() const;
  void check_output(int rank, int block, const Value& value) const;
  void check_barriers(int rank) const;

  const Program& program_;
  Meaning meaning_;
  Conditions conditions_;
  bool reaches_;      ///< into peers' memory
  bool watch_order_;  ///< of accesses: lanes could come into each other's way
  bool keep_history_;
  SymbolicMemory memory_;
  std::size_t clock_size_ = 0;
  std::vector<Lane> lanes_;
  std::vector<int> wire_numbers_;
  std::vector<Wire> wires_;
  std::vector<int> ready_lanes_;
  std::vector<int> at_barrier_;
  std::vector<Event> events_;
  std::vector<int> messages_sent_;
  std::vector<int> blocks_sent_;

  // Of the step at work; kept to spare allocations.
  std::vector<int> pieces_;
  std::vector<Sent> taken_;
  std::vector<std::pair<int, Value>> sources_;  ///< with their ranks, ascending
};

}  // namespace tutti::plan
