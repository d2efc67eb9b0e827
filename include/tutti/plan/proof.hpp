/// @file  Proof: does a schedule compute its collective? All ranks, run symbolically, with the smallest failure told.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tutti/plan/cost.hpp"
#include "tutti/plan/program.hpp"

namespace tutti::plan {

/// The most ranks a proof takes.
inline constexpr int most_proven_ranks = 64;

/// The conditions of one symbolic run.
struct Conditions {
  int chunks = 1;         ///< of the longest block
  int slots = 2;          ///< messages that a wire holds
  bool in_place = false;  ///< input and output are the same memory where their blocks overlap
  bool ragged = false;    ///< blocks of different lengths: block b has fewer chunks, down to none
};

/// What a run under certain conditions has shown. It holds when
///   - every output block that the collective defines has each part it should have exactly once, prepared and finished
///     once where it reduces, and in rank order where the schedule says so; and nothing is written elsewhere;
///   - every message is taken, by the step that expects it, and no lane waits for ever;
///   - each wire is written by one lane and read by one;
///   - no two lanes touch the same memory, one of them writing, unless messages or barriers say which comes first.
/// The last makes one run enough: what a lane sees does not depend on how lanes are interleaved.
struct Proof {
  Schedule schedule{};
  Conditions conditions{};
  Cost cost{};                       ///< meaningful for one chunk that is not ragged
  std::string failure{};             ///< empty when it holds
  std::vector<std::string> trace{};  ///< the steps that led to the failure, in an order in which they can happen

  explicit operator bool() const { return failure.empty(); }
};

/// Runs the program. Throws invalid_argument for more than `most_proven_ranks`.
Proof prove(const Program& program, const Conditions& conditions);
Proof prove(const Schedule& schedule, const Conditions& conditions);

/// "all_reduce by ring, 3 ranks, 1 chunk, 2 slots, in place", the failure, and the trace, in lines.
std::string to_string(const Proof& proof);

/// The conditions that a schedule is proven under, smallest first. Few: those that find what more would find, save for
/// the interplay of many chunks and slots.
enum class Effort { few, all };
std::vector<Conditions> conditions_of(const Schedule& schedule, Effort effort);

using ProgramOf = std::function<Program(const Schedule&)>;

/// The smallest failure in a family of schedules: `first` … `last` ranks, all roots of up to 8 ranks (else the first,
/// the last and one between), under all conditions of up to 8 ranks (else few). Nothing when they all hold.
std::optional<Proof> counter_example(const Schedule& family, int first, int last,
                                     const ProgramOf& program = program_of);

}  // namespace tutti::plan
