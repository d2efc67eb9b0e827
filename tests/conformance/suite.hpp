/// @file  Suite: the arrays of cases, and running them among threads or as one rank of a job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "conformance/case.hpp"
#include "tutti/communicator.hpp"

namespace tutti::conformance {

inline constexpr std::uint64_t default_seed = 20240229;

/// The collectives that move or combine something; a send stands for a shift around the ranks in one Group, a recv for
/// one call after the other.
inline constexpr Collective tried_collectives[] = {
    Collective::all_reduce,   Collective::reduce_scatter,   Collective::all_gather,   Collective::reduce,
    Collective::broadcast,    Collective::all_to_all,       Collective::gather,       Collective::scatter,
    Collective::all_gather_v, Collective::reduce_scatter_v, Collective::all_to_all_v, Collective::send,
    Collective::recv};

/// Every collective by every algorithm over every protocol with 1 … `most_ranks` ranks, in place and not.
std::vector<Case> exhaustive(int least_ranks, int most_ranks);

/// For each collective, every pair of values of all other axes.
struct CoveringArray {
  std::vector<Case> cases;
  std::size_t pairs = 0;
  std::size_t impossible = 0;
};
CoveringArray covering(int least_ranks, int most_ranks, std::uint64_t seed);

/// Is this build instrumented by a sanitizer, and so many times slower?
bool instrumented();

/// Those of `cases` that this build can run in minutes: all, or where it is instrumented every so-manieth. Says on
/// standard output how many they are.
std::vector<Case> affordable(const std::vector<Case>& cases, std::uint64_t seed);

/// Some of both arrays for one number of ranks: what a test can afford that starts processes.
std::vector<Case> some_of(int ranks, std::uint64_t seed);

/// What went wrong: a line for each case, at most some.
using Failures = std::vector<std::string>;

/// Runs those cases that fit the communicator's size and settings; collective.
Failures run_here(Communicator& comm, std::span<const Case> cases, std::uint64_t seed);

/// Runs all cases, each among as many threads as it has ranks.
Failures run_in_process(std::span<const Case> cases, std::uint64_t seed);

}  // namespace tutti::conformance
