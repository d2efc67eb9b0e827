#include "tutti/plan/proof.hpp"

#include <algorithm>

#include "plan/proof/machine.hpp"
#include "plan/proof/wording.hpp"
#include "tutti/base/error.hpp"

namespace tutti::plan {

Proof prove(const Program& program, const Conditions& conditions) {
  expect(program.schedule.size >= 1 && program.schedule.size <= most_proven_ranks, Code::invalid_argument,
         "a proof takes 1 to 64 ranks", "a schedule that holds for all of those is used for more");
  expect(program.steps.size() == static_cast<std::size_t>(program.schedule.size), Code::invalid_argument,
         "a program has a list of lanes for each rank");
  expect(conditions.chunks >= 1 && conditions.slots >= 1, Code::invalid_argument,
         "a proof takes at least one chunk and one slot");
  Proof proof{.schedule = program.schedule, .conditions = conditions};
  try {
    proof.cost = Machine(program, conditions, false).run();
    return proof;
  } catch (const Failure&) {  // told below, with its history
  }
  Machine machine(program, conditions, true);
  try {
    machine.run();
  } catch (const Failure& failure) {
    proof.failure = failure.what;
    proof.trace = machine.history(failure.event);
    proof.trace.insert(proof.trace.end(), failure.lines.begin(), failure.lines.end());
  }
  return proof;
}

Proof prove(const Schedule& schedule, const Conditions& conditions) { return prove(program_of(schedule), conditions); }

std::string to_string(const Proof& proof) {
  std::string text = to_string(proof.schedule) + ", " + to_string(proof.conditions) + ": ";
  text += proof ? "holds" : proof.failure;
  for (const std::string& line : proof.trace) text += "\n  " + line;
  return text;
}

std::vector<Conditions> conditions_of(const Schedule& schedule, Effort effort) {
  const int least = least_slots(schedule);
  const bool in_place = works_in_place(schedule);
  if (effort == Effort::few) {
    return {{.chunks = 1, .slots = least}, {.chunks = 2, .slots = least, .in_place = in_place}};
  }
  std::vector<Conditions> all;
  for (int chunks = 1; chunks <= 3; ++chunks) {
    for (const int slots : {1, 2, 4}) {
      for (const bool ragged : {false, true}) {
        for (const bool overlapping : {false, true}) {
          if (slots >= least && (in_place || !overlapping)) all.push_back({chunks, slots, overlapping, ragged});
        }
      }
    }
  }
  return all;
}

namespace {

constexpr int thorough_ranks = 8;

std::vector<int> roots_of(const Schedule& schedule) {
  if (!has_root(schedule.collective) && !is_pairwise(schedule.collective)) return {0};
  const int size = schedule.size;
  if (size > thorough_ranks) return {0, size / 2 + 1, size - 1};
  std::vector<int> roots;
  for (int root = 0; root < size; ++root) roots.push_back(root);
  return roots;
}

}  // namespace

std::optional<Proof> counter_example(const Schedule& family, int first, int last, const ProgramOf& program) {
  Schedule schedule = family;
  for (schedule.size = first; schedule.size <= last; ++schedule.size) {
    for (const Conditions& conditions :
         conditions_of(schedule, schedule.size > thorough_ranks ? Effort::few : Effort::all)) {
      for (const int root : roots_of(schedule)) {
        schedule.root = root;
        Proof proof = prove(program(schedule), conditions);
        if (!proof) return proof;
      }
    }
  }
  return std::nullopt;
}

}  // namespace tutti::plan
