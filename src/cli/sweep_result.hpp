/// @file  SweepResult: the times of a sweep, and who wins at each size, how surely.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/sweep_plan.hpp"

namespace tutti::sweep {

/// One combination at one size.
struct Cell {
  std::vector<double> us{};  ///< one for each launch; one for a simulated sweep
  double spread = 0;         ///< simulated: standard deviation of the logarithm of measured over predicted

  double median() const;  ///< microseconds; infinite while there is none
};

struct Outcome {
  std::vector<Cell> cells{};  ///< [sizes]
  std::string excluded{};     ///< why there are no times; empty: there are
};

struct SweepResult {
  std::int64_t ranks = 0;
  std::vector<Outcome> outcomes{};  ///< [combinations]
  std::vector<std::string> notes{};
};

struct Winner {
  int combination = -1;  ///< -1: nobody has a time
  double us = 0;
  double busbw_gbs = 0;
  int next = -1;     ///< the best of the others; -1: none
  double ahead = 0;  ///< the share of time that the next one takes more
  double sure = -1;  ///< 0 to 1: see docs/sweep.md; below 0: too few launches to say
};

/// [sizes]. Simulated: the next one has another algorithm, protocol or number of channels. Deterministic.
std::vector<Winner> winners(const SweepPlan& plan, const SweepResult& result);

/// Keys of settings that change no time of a simulated sweep.
std::vector<std::string> idle_settings(const SweepPlan& plan, const SweepResult& result);

/// Its name without idle settings.
std::string short_name(const Combination& combination, const std::vector<std::string>& idle);

}  // namespace tutti::sweep
